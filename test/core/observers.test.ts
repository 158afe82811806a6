import { expect, test } from 'vitest';
import { attributes, unixNano } from '../../src/main/demo/otlp.ts';
import { memoryCore } from '../support/core.ts';

const gauge = (name: string, labels: Readonly<Record<string, string>>) => ({
  name,
  gauge: {
    dataPoints: [10, 20, 30].map((at) => ({
      timeUnixNano: unixNano(at),
      asDouble: 50,
      attributes: attributes(labels),
    })),
  },
});
const measured = (service: string, host: string, metrics: readonly object[]) => ({
  resource: { attributes: attributes({ 'service.name': service, 'host.name': host }) },
  scopeMetrics: [{ scope: { name: 'x' }, metrics }],
});
const ofGpu = (host: string) => gauge('DCGM_FI_DEV_GPU_TEMP', { gpu: '0', UUID: `GPU-${host}`, Hostname: host });
const span = {
  ...{ traceId: '1'.repeat(32), spanId: '2'.repeat(16), name: 'step', kind: 1 },
  ...{ startTimeUnixNano: unixNano(10), endTimeUnixNano: unixNano(11) },
};

test('what only reads a GPU does not use it, whatever its name', async () => {
  const core = await memoryCore();
  await core.importJson(
    {
      resourceMetrics: [
        measured('dcgm-exporter', 'a', [ofGpu('a')]),
        // A scrape states of its target whether it was up.
        measured('card-watch', 'b', [ofGpu('b'), gauge('up', {}), gauge('scrape_duration_seconds', {})]),
        measured('node-agent', 'c', [ofGpu('c'), gauge('queue_length', {})]),
        // Trains and measures its own GPU; an agent that answers people; a server that measures what it does, too.
        measured('trainer', 'd', [ofGpu('d')]),
        measured('travel-agent', 'e', [ofGpu('e'), gauge('vllm:num_requests_running', { model_name: 'm' })]),
        measured('embed', 'host-f', [ofGpu('host-f'), gauge('queue_length', {})]),
      ],
    },
    {
      resourceSpans: [
        {
          resource: { attributes: attributes({ 'service.name': 'trainer', 'host.name': 'd' }) },
          scopeSpans: [{ scope: { name: 'x' }, spans: [span] }],
        },
      ],
    },
  );
  const info = await core.api['case.current']({});
  const window = { start_ns: info!.first_ns!, end_ns: info!.last_ns! + 1n, metric: null, buckets: 10 };
  const { gpus } = await core.api['gpus.fleet'](window);
  expect(Object.fromEntries(gpus.map(({ within, work }) => [within.at(-1), work]))).toEqual({
    'server:a': [],
    'server:b': [],
    'server:c': [],
    'server:d': ['service:trainer'],
    'server:e': ['service:travel-agent'],
    'server:host-f': ['service:embed'],
  });
});
