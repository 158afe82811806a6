import type { Scene } from './scene.ts';

/** One copy of the model: a pod on a server of its own, spread over its 8 GPUs. */
export interface Replica {
  readonly index: number;
  readonly server: string;
  readonly rack: string;
  readonly pod: string;
}

export const MODEL = 'llama-70b';
export const GATEWAY = 'chat-api';
export const NAMESPACE = 'inference';
export const GATEWAY_POD = 'chat-api-7c9d8b6f4-x2kqp';
export const GATEWAY_SERVER = 'cpu-node-01';
export const GPUS = 8;

/** Requests per second that a replica serves with ease. */
const RATE_OF_REPLICA = 1.5;
/** Servers that share a rack, its PDUs and its switch. */
const SERVERS_OF_RACK = 2;

const pad = (number: number): string => String(number).padStart(2, '0');
export const serverName = (index: number): string => `gpu-node-${pad(index + 1)}`;
export const rackName = (index: number): string => `rack-${pad(Math.floor(index / SERVERS_OF_RACK) + 1)}`;

/** Of a GPU of the server with this index. */
export const gpuUuid = (server: number, gpu: number): string =>
  `GPU-${(server + 1).toString(16).padStart(8, '0')}-0000-4000-8000-${gpu.toString(16).padStart(12, '0')}`;
/** As dcgm-exporter writes it: the same slots in every server. */
export const pciBusId = (gpu: number): string => `00000000:${(0x1b + 0x20 * gpu).toString(16).padStart(2, '0')}:00.0`;

/** As many replicas as the rate needs, at least four, so that each has peers. */
export const replicasOf = ({ rate }: Scene): Replica[] =>
  Array.from({ length: Math.max(4, Math.round(rate / RATE_OF_REPLICA)) }, (_, index) => ({
    index,
    server: serverName(index),
    rack: rackName(index),
    pod: `${MODEL}-${index}`,
  }));

type Edge = readonly [fromKind: string, from: string, edge: string, toKind: string, to: string];

/** The power, cooling and network of some servers of 8 GPUs. */
export function serverEdges(count: number): Edge[] {
  const indices = Array.from({ length: count }, (_, index) => index);
  return [...new Set(indices.map(rackName))]
    .flatMap((rack): Edge[] => [
      ...['A', 'B'].flatMap((feed): Edge[] => [
        ['ups', `UPS-${feed}`, 'feeds', 'pdu', `PDU-${feed}-${rack}`],
        ['rack', rack, 'contains', 'pdu', `PDU-${feed}-${rack}`],
      ]),
      ['rack', rack, 'contains', 'switch', `tor-${rack}`],
    ])
    .concat(
      indices.flatMap((index): Edge[] => {
        const [server, rack] = [serverName(index), rackName(index)];
        return [
          ['rack', rack, 'contains', 'server', server],
          ['pdu', `PDU-A-${rack}`, 'feeds', 'server', server],
          ['pdu', `PDU-B-${rack}`, 'feeds', 'server', server],
          ['switch', `tor-${rack}`, 'connects', 'server', server],
          ...Array.from({ length: GPUS }, (_, gpu): Edge => ['server', server, 'contains', 'gpu', gpuUuid(index, gpu)]),
        ];
      }),
    );
}

export const topologyText = (edges: readonly Edge[]): string =>
  `${['from_kind,from_id,edge,to_kind,to_id,valid_from,valid_to', ...edges.map((edge) => `${edge.join(',')},,`)].join('\n')}\n`;

export const servingTopology = (replicas: readonly Replica[]): string =>
  topologyText([
    ...serverEdges(replicas.length),
    ['pod', `${NAMESPACE}/${GATEWAY_POD}`, 'runs_on', 'server', GATEWAY_SERVER],
    ['service', GATEWAY, 'runs_on', 'pod', `${NAMESPACE}/${GATEWAY_POD}`],
    ['service', GATEWAY, 'calls', 'service', MODEL],
    ...replicas.flatMap(({ pod, server }): Edge[] => [
      ['pod', `${NAMESPACE}/${pod}`, 'runs_on', 'server', server],
      ['service', MODEL, 'runs_on', 'pod', `${NAMESPACE}/${pod}`],
    ]),
  ]);
