import type { Topology, TopologyEdge, TopologyNode } from '../../../model/contract/index.ts';

/** Columns of the power map, from the mains to the service. Other kinds are not drawn. */
const columns: readonly (readonly string[])[] = [
  ['ups', 'cooling'],
  ['breaker', 'pdu', 'switch'],
  ['outlet', 'port'],
  ['psu'],
  ['server', 'instance', 'node', 'device'],
  ['cpu', 'gpu', 'nic', 'nvlink'],
  ['pod', 'container', 'process', 'rank'],
  ['service', 'job'],
];
const columnByKind = new Map(columns.flatMap((kinds, at) => kinds.map((kind) => [kind, at] as const)));

export const columnOf = (kind: string): number | undefined => columnByKind.get(kind);

/** A link in the direction in which harm travels. */
export interface Flow {
  /** Indexes into the nodes of the topology. */
  readonly from: number;
  readonly to: number;
  readonly edge: TopologyEdge;
}

const isValidAt = ({ from_ns, until_ns }: TopologyEdge, at: bigint): boolean =>
  (from_ns === null || from_ns <= at) && (until_ns === null || until_ns > at);

/**
 * Links of the power map at an instant: a supply carries its machine, a machine what it contains and what runs on it. Racks are
 * not part of it; cooling of a rack cools the entities in it.
 */
export function flowsAt({ nodes, edges }: Pick<Topology, 'nodes' | 'edges'>, at: bigint): Flow[] {
  const valid = edges.filter((edge) => isValidAt(edge, at));
  const inRack = Map.groupBy(
    valid.filter(({ kind, from }) => kind === 'contains' && nodes[from]?.kind === 'rack'),
    ({ from }) => from,
  );
  return valid
    .flatMap((edge): Flow[] => {
      if (edge.kind === 'calls') return [];
      if (edge.kind === 'feeds' && nodes[edge.to]?.kind === 'rack')
        return (inRack.get(edge.to) ?? [])
          .filter(({ to }) => isMachine(nodes[to]))
          .map(({ to }) => ({ from: edge.from, to, edge }));
      const reversed = edge.kind === 'runs_on' || isOfWhole(edge, nodes) || carriesItsOwner(edge, nodes);
      return [reversed ? { from: edge.to, to: edge.from, edge } : { from: edge.from, to: edge.to, edge }];
    })
    .filter(({ from, to }) => columnOfNode(nodes[from]) !== undefined && columnOfNode(nodes[to]) !== undefined);
}

const columnOfNode = (node: TopologyNode | undefined): number | undefined => (node ? columnOf(node.kind) : undefined);
const isMachine = (node: TopologyNode | undefined): boolean => node?.kind === 'server' || node?.kind === 'device';

/** A whole carries its members, but a job or service is carried by its ranks and pods, which are drawn before it. */
const isOfWhole = ({ kind, from, to }: TopologyEdge, nodes: readonly TopologyNode[]): boolean =>
  kind === 'member_of' && (columnOfNode(nodes[to]) ?? 0) <= (columnOfNode(nodes[from]) ?? 0);

/** A server contains its PSU, but the PSU carries the server. */
const carriesItsOwner = ({ kind, to }: TopologyEdge, nodes: readonly TopologyNode[]): boolean =>
  kind === 'contains' && nodes[to]?.kind === 'psu';

/** Instants at which a link starts or ends, ascending; the map is constant between them. */
export function changesOf(edges: readonly TopologyEdge[]): bigint[] {
  const times = edges.flatMap(({ from_ns, until_ns }) => [from_ns, until_ns].filter((time) => time !== null));
  return [...new Set(times)].sort((a, b) => (a < b ? -1 : 1));
}
