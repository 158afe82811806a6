/** Small incidents written as text: what a PowerTrace user would hand over. Times are seconds after T0. */
export const T0 = Date.UTC(2026, 0, 10, 12, 0, 0);
export const at = (seconds: number): string => new Date(T0 + Math.round(seconds * 1000)).toISOString();

export const event = (
  id: string,
  seconds: number,
  source: string,
  type: string,
  device_id: string,
  severity = 'critical',
  metadata: Record<string, unknown> = {},
) => ({
  id,
  timestamp: at(seconds),
  source,
  type,
  severity,
  device_id,
  raw_message: `${type} on ${device_id}`,
  metadata,
});

/** Ten minutes and more of normal, then `bad` from `onset` to `end`, every ten seconds. */
export function service(
  name: string,
  options: {
    onset?: number;
    end?: number;
    p99?: number;
    errors?: number;
    rps?: number;
    from?: number;
    to?: number;
  } = {},
) {
  const { onset = 700, end = 800, p99 = 2000, errors = 4, rps = 60, from = 0, to = 900 } = options;
  const rows: Record<string, unknown>[] = [];
  for (let second = from; second <= to; second += 10) {
    const bad = second >= onset && second <= end;
    rows.push({
      service_name: name,
      timestamp: at(second),
      p50_latency_ms: bad ? p99 / 2 : 200,
      p95_latency_ms: bad ? p99 * 0.8 : 380,
      p99_latency_ms: bad ? p99 : 500 + (second % 30) / 10,
      error_rate_percent: bad ? errors : 0.1,
      throughput_rps: bad ? rps : 140,
    });
  }
  return rows;
}

/** PDU-B feeds two servers; each runs one service and holds one GPU that carries it. */
export const topology = {
  mappings: [
    { physical_device_id: 'PDU-B', rack_id: 'rack-1', feeds: ['server-1', 'server-2'] },
    {
      physical_device_id: 'server-1',
      asset_tag: 'SRV-1',
      ip_address: '10.0.0.1',
      cloud_instance_id: 'i-0001',
      kubernetes_node: 'k8s-node-1',
      gpus: ['GPU-A'],
      services: ['inference'],
    },
    { physical_device_id: 'server-2', asset_tag: 'SRV-2', gpus: ['GPU-B'], services: ['embedding'] },
    {
      physical_device_id: 'GPU-A',
      parent_device_id: 'server-1',
      gpu_index: 0,
      gpu_uuid: 'GPU-aaaa-1111',
      services: ['inference'],
    },
  ],
};
