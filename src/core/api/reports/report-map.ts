import type { IncidentView } from '../../../model/contract/index.ts';
import { entityKey, layerOf } from '../../../model/entity.ts';
import type { DrawnMap } from '../../report/figures/topology-figure.ts';
import type { EdgeFact, EntityFact } from '../../store/facts/reader.ts';

interface World {
  readonly entities: readonly EntityFact[];
  readonly edges: readonly EdgeFact[];
}

interface Travel {
  readonly steps: IncidentView['steps'];
  /** Canonical entities of the chain's events, in order of the steps; -1 where a record names none. */
  readonly chained: readonly number[];
  readonly service: number;
  readonly at_ns: bigint;
}

/** UPS to GPU to service is shorter. */
const MOST_HOPS = 6;

/** The links over which each step reached the next, by the shortest way on the map as it was then. */
export function drawnMap({ entities, edges }: World, { steps, chained, service, at_ns }: Travel): DrawnMap {
  const known = new Map(
    entities.filter((one) => one.entity_id === one.canonical_id).map((one) => [one.entity_id, one]),
  );
  const valid = edges.filter(
    ({ valid_from_ns, valid_to_ns, from_id, to_id }) =>
      valid_from_ns <= at_ns && valid_to_ns > at_ns && known.has(from_id) && known.has(to_id),
  );
  const next = neighboursOf(valid);
  const shownEntities = [...chained, service];
  const uniqueEdges = new Map<number, EdgeFact>();
  for (const [at, step] of steps.entries()) {
    const from = step.cause === null ? undefined : shownEntities[step.cause];
    const to = shownEntities[at];
    if (from === undefined || to === undefined) continue;
    for (const place of wayBetween(from, to, next)) uniqueEdges.set(place, valid[place]!);
  }
  const keyOf = (entity: number): string => {
    const one = known.get(entity);
    return one ? entityKey(one.kind, one.id) : '';
  };
  const links = [...uniqueEdges.values()].map(({ from_id, to_id, kind }) => {
    const [from, to] = [keyOf(from_id), keyOf(to_id)];
    return { from, to, kind, ref: `edge:${from}/${kind}/${to}` };
  });
  const shown = new Set([
    ...shownEntities,
    ...[...uniqueEdges.values()].flatMap(({ from_id, to_id }) => [from_id, to_id]),
  ]);
  const troubled = new Map<string, bigint>();
  for (const [at, { time_ns }] of steps.entries()) {
    const key = keyOf(shownEntities[at] ?? -1);
    if (key !== '' && !troubled.has(key)) troubled.set(key, time_ns);
  }
  return {
    nodes: [...shown].flatMap((entity) => {
      const one = known.get(entity);
      return one ? [{ key: entityKey(one.kind, one.id), kind: one.kind, id: one.id, layer: layerOf(one.kind) }] : [];
    }),
    links,
    troubled,
  };
}

interface Neighbour {
  readonly to: number;
  /** Place of the link. */
  readonly edge: number;
}
type Neighbours = ReadonlyMap<number, readonly Neighbour[]>;

function neighboursOf(edges: readonly EdgeFact[]): Neighbours {
  const next = new Map<number, Neighbour[]>();
  const add = (from: number, to: number, edge: number): void => {
    const own = next.get(from);
    if (own) own.push({ to, edge });
    else next.set(from, [{ to, edge }]);
  };
  for (const [at, { from_id, to_id }] of edges.entries()) {
    add(from_id, to_id, at);
    add(to_id, from_id, at);
  }
  return next;
}

/** Places of the links of a shortest way; [] where there is none within reach. */
function wayBetween(from: number, to: number, next: Neighbours): number[] {
  const cameBy = new Map<number, { readonly from: number; readonly edge: number } | null>([[from, null]]);
  let front = [from];
  for (let hop = 0; hop < MOST_HOPS && !cameBy.has(to) && front.length > 0; hop++) {
    const reached: number[] = [];
    for (const at of front) {
      for (const step of next.get(at) ?? []) {
        if (cameBy.has(step.to)) continue;
        cameBy.set(step.to, { from: at, edge: step.edge });
        reached.push(step.to);
      }
    }
    front = reached;
  }
  const way: number[] = [];
  for (let step = cameBy.get(to); step; step = cameBy.get(step.from)) way.unshift(step.edge);
  return way;
}
