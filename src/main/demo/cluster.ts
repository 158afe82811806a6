/** A row of four racks: 16 servers of 8 GPUs, A and B feeds, two UPSes, one coolant loop, a switch per rack. */
export interface Server {
  readonly name: string;
  readonly rack: string;
  readonly gpus: readonly string[];
}
export interface Service {
  readonly name: string;
  /** Server numbers, 1 to 16. */
  readonly servers: readonly number[];
  readonly calls: readonly string[];
  readonly operation: string;
  /** Requests per second that reach it from outside. */
  readonly rate: number;
  /** Median latency, ms, without what it calls. */
  readonly median_ms: number;
}

const pad = (number: number): string => String(number).padStart(2, '0');
export const racks = ['rack-21', 'rack-22', 'rack-23', 'rack-24'] as const;
export const serverName = (number: number): string => `gpu-node-${pad(number)}`;

export const servers: readonly Server[] = Array.from({ length: 16 }, (_, i) => ({
  name: serverName(i + 1),
  rack: racks[Math.floor(i / 4)] as string,
  gpus: Array.from({ length: 8 }, (__, gpu) => `${serverName(i + 1)}/GPU-${gpu}`),
}));

export const services: readonly Service[] = [
  {
    name: 'chat-api',
    servers: [13, 14],
    calls: ['llama-70b', 'embeddings'],
    operation: 'POST /v1/chat/completions',
    rate: 3,
    median_ms: 40,
  },
  { name: 'llama-70b', servers: [5, 6, 7, 8], calls: [], operation: 'generate', rate: 1.5, median_ms: 620 },
  { name: 'embeddings', servers: [1, 2], calls: [], operation: 'embed', rate: 3, median_ms: 45 },
  { name: 'reranker', servers: [3, 9], calls: [], operation: 'rerank', rate: 3, median_ms: 70 },
  { name: 'speech-to-text', servers: [10, 11, 12], calls: [], operation: 'transcribe', rate: 2.5, median_ms: 380 },
  { name: 'vision-caption', servers: [4, 15, 16], calls: [], operation: 'caption', rate: 2.5, median_ms: 240 },
];

export const podName = (service: string, server: number): string => `inference/${service}-${pad(server)}`;

/** The topology as its CSV (DESIGN section 6). */
export function topologyCsv(): string {
  const rows: string[] = ['from_kind,from_id,edge,to_kind,to_id,valid_from,valid_to'];
  const edge = (...cells: readonly string[]) => rows.push(`${cells.join(',')},,`);
  for (const rack of racks) {
    for (const feed of ['A', 'B']) {
      edge('ups', `UPS-${feed}`, 'feeds', 'pdu', `PDU-${feed}-${rack}`);
      edge('rack', rack, 'contains', 'pdu', `PDU-${feed}-${rack}`);
    }
    edge('rack', rack, 'contains', 'switch', `tor-${rack}`);
    edge('cooling', 'CDU-1', 'feeds', 'rack', rack);
  }
  for (const { name, rack, gpus } of servers) {
    edge('rack', rack, 'contains', 'server', name);
    edge('pdu', `PDU-A-${rack}`, 'feeds', 'server', name);
    edge('pdu', `PDU-B-${rack}`, 'feeds', 'server', name);
    edge('switch', `tor-${rack}`, 'connects', 'server', name);
    for (const gpu of gpus) edge('server', name, 'contains', 'gpu', gpu);
  }
  for (const service of services) {
    for (const server of service.servers) {
      edge('pod', podName(service.name, server), 'runs_on', 'server', serverName(server));
      edge('service', service.name, 'runs_on', 'pod', podName(service.name, server));
    }
    for (const callee of service.calls) edge('service', service.name, 'calls', 'service', callee);
  }
  return `${rows.join('\n')}\n`;
}
