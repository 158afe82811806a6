import type { Lane } from '../../../model/contract/index.ts';
import { layers } from '../../../model/entity.ts';
import { laneKinds } from '../../../model/lane-kind.ts';
import type { KnownQueries } from '../../../model/storage/case-storage.ts';
import type { Session } from '../../../model/storage/engine.ts';
import type { Investigation } from '../../analysis/correlate.ts';
import { latencyMetric, type Measurements } from '../../analysis/impact/measurement-table.ts';
import type { MeasurementField } from '../../analysis/impact/measurements.ts';
import { EntityGraph, type EntityNode } from '../../analysis/topology/entity-graph.ts';
import { readAnnotations } from '../../store/case-file/annotations.ts';
import { createReader, type Reader } from '../../store/facts/reader.ts';
import { createRunQuery } from '../../store/facts/run-query.ts';
import type { RunQuery } from '../../store/facts/software-facts.ts';
import { queries } from '../../store/queries/index.ts';
import { named, readGpuNames } from '../gpus/gpu-names.ts';
import { readStateEntities } from './episodes.ts';
import { placesOf } from './lane-places.ts';
import { savedLanes } from './lane-queries.ts';
import { searchLane } from './lane-searches.ts';
import { isStateMetric } from './lane-states.ts';
import { type LaneTarget, quantiles } from './lane-target.ts';

export interface LaneCatalog {
  /** In the order in which they stand on screen. */
  readonly lanes: readonly Lane[];
  readonly targets: ReadonlyMap<string, LaneTarget>;
}

export const eventLane = (kind: string, id: string): string => `events:${kind}:${id}`;
export const metricLane = (kind: string, id: string, metric: string): string => `metric:${kind}:${id}:${metric}`;

type Figure = readonly [MeasurementField, string, string];
/** Service figures that every measured service has a lane for, with the metric names of DESIGN section 6. */
const serviceFigures: readonly Figure[] = [
  ['p99', 'service.latency.p99', 'ms'],
  ['error_rate', 'service.error_rate', '%'],
  ['throughput', 'service.throughput', '1/s'],
];
const figuresOf = (measured: Measurements): readonly Figure[] => {
  if (measured.from === 'gauges') return [];
  return measured.meanOf === undefined ? serviceFigures : [['p50', latencyMetric(measured), 'ms'], ...serviceFigures];
};

export interface CaseConclusions {
  readonly investigation: Investigation;
  readonly measurements: ReadonlyMap<number, Measurements>;
}

type Facts = Pick<Lane, 'kind' | 'metric' | 'unit' | 'count' | 'worst_severity'> & {
  readonly sources: readonly number[];
};
type LaneFacts = Partial<Facts> & Pick<Facts, 'kind' | 'count'>;
type Add = (entity: number, target: LaneTarget, facts: LaneFacts) => void;

/** Lanes of recorded data, before the analysis. */
export interface RecordedLanes extends LaneCatalog {
  /** A lane of an entity; undefined if it is unknown. */
  laneOf(entity: number, target: LaneTarget, facts: LaneFacts): Lane | undefined;
}

/** Lists all lanes by entity. */
export async function readRecordedLanes(
  session: Session,
  queries: KnownQueries,
  reader: Pick<Reader, 'entities' | 'edges'> = createReader(session),
): Promise<RecordedLanes> {
  const entities = await reader.entities();
  const graph = new EntityGraph(entities, [], 0n);
  const placeOf = placesOf(entities, await reader.edges());
  const names = await readGpuNames(session, reader);
  const targets = new Map<string, LaneTarget>();
  const lanes: Lane[] = [];
  const laneOf: RecordedLanes['laneOf'] = (entity, target, laneFacts) => {
    const node = graph.node(entity);
    if (!node) return undefined;
    const facts = { metric: '', unit: '', worst_severity: null, ...laneFacts, sources: [...(laneFacts.sources ?? [])] };
    const { layer, kind: entity_kind, id: entity_id } = node;
    const within = [...placeOf(node.key)];
    const about = { layer, entity_kind, entity_id, ...named(names, entity_id), within };
    return { id: idOf(node, target, facts), ...about, ...facts, involved: null };
  };
  const add: Add = (entity, target, facts) => {
    const lane = laneOf(entity, target, facts);
    if (!lane || targets.has(lane.id)) return;
    targets.set(lane.id, target);
    lanes.push(lane);
  };
  const runQuery = createRunQuery(session, undefined, { atRest: true });
  await addEvents(runQuery, add);
  await addSeries(runQuery, graph, add);
  await addHistograms(runQuery, add);
  await addEpisodes(session, targets, graph, add);
  await addRows(runQuery, placeOf, add);
  for (const { lane, target } of await ownLanes(session, queries)) {
    targets.set(lane.id, target);
    lanes.push(lane);
  }
  return { lanes, targets, laneOf };
}

/** What the investigator added: saved queries with a lane, and metrics of spans. */
async function ownLanes(session: Session, queries: KnownQueries) {
  const annotations = await readAnnotations(session);
  const searches = annotations.filter((one) => one.kind === 'search').map(searchLane);
  return [...(await savedLanes(annotations, queries)), ...searches];
}

/** With the derived figures of services, and with the entities of incidents. */
export function concludeCatalog(recorded: RecordedLanes, known: CaseConclusions): LaneCatalog {
  const targets = new Map(recorded.targets);
  const lanes = [...recorded.lanes];
  for (const measurements of known.measurements.values())
    for (const [field, metric, unit] of figuresOf(measurements)) {
      const target = { kind: 'measured' as const, measurements, field };
      const facts = { kind: 'metric' as const, metric, unit, count: measurements.time_ns.length };
      const lane = recorded.laneOf(measurements.service, target, facts);
      if (!lane || targets.has(lane.id) || !measurements[field].some(Number.isFinite)) continue;
      targets.set(lane.id, target);
      lanes.push(lane);
    }
  const involved = involvedEntities(known.investigation);
  const judged = lanes.map((lane) => ({ ...lane, involved: involved.has(`${lane.entity_kind}:${lane.entity_id}`) }));
  return { lanes: judged.sort(byPlace), targets };
}

function idOf({ kind, id }: EntityNode, target: LaneTarget, { metric }: Pick<Facts, 'metric'>): string {
  switch (target.kind) {
    case 'events':
      return eventLane(kind, id);
    case 'metric':
    case 'state':
    case 'measured':
    case 'quantile':
      return metricLane(kind, id, metric);
    case 'episodes':
      return `state:${kind}:${id}:${metric}`;
    default:
      return `${target.kind}:${kind}:${id}`;
  }
}

interface LaneCount {
  readonly entity: number;
  readonly count: bigint;
  readonly sources: readonly number[];
}

async function addEvents(runQuery: RunQuery, add: Add): Promise<void> {
  const found = await runQuery<LaneCount & { readonly worst_severity: number }>(queries.eventLanes);
  for (const { entity, count, worst_severity, sources } of found)
    add(entity, { kind: 'events', entity }, { kind: 'events', count: Number(count), worst_severity, sources });
}

interface SeriesCount extends LaneCount {
  readonly metric: string;
  readonly unit: string | null;
  readonly series: readonly number[];
  readonly shift: number | null;
}

async function addSeries(runQuery: RunQuery, graph: EntityGraph, add: Add): Promise<void> {
  for (const row of await runQuery<SeriesCount>(queries.metricLanes)) {
    const { entity, metric, sources, series, shift } = row;
    const facts = { metric, count: Number(row.count), sources };
    const entityKind = graph.node(entity)?.kind;
    if (entityKind && isStateMetric(metric))
      add(entity, { kind: 'state', series, metric, entityKind }, { kind: 'state', ...facts });
    else add(entity, { kind: 'metric', series, shift }, { kind: 'metric', unit: row.unit ?? '', ...facts });
  }
}

/** A lane for each quantile, named after its metric: `http.server.request.duration p99`. */
async function addHistograms(runQuery: RunQuery, add: Add): Promise<void> {
  const found = await runQuery<Omit<SeriesCount, 'shift'> & { readonly stated: readonly boolean[] }>(
    queries.histogramLanes,
  );
  for (const { entity, metric, unit, series, sources, count, stated } of found)
    for (const [i, quantile] of quantiles.entries()) {
      if (stated[i] !== true) continue;
      const facts = { metric: `${metric} ${quantile}`, unit: unit ?? '', count: Number(count), sources };
      add(entity, { kind: 'quantile', series, quantile }, { kind: 'metric', ...facts });
    }
}

/** If samples show a state, events derived from them are redundant. */
async function addEpisodes(
  session: Session,
  targets: ReadonlyMap<string, LaneTarget>,
  graph: EntityGraph,
  add: Add,
): Promise<void> {
  for (const { entity, state, count, sources } of await readStateEntities(session)) {
    const node = graph.node(entity);
    if (!node || state.metrics.some((metric) => targets.has(metricLane(node.kind, node.id, metric)))) continue;
    add(entity, { kind: 'episodes', entity, state }, { kind: 'state', metric: state.state, count, sources });
  }
}

/** Lanes of spans, logs and collective operations. */
async function addRows(runQuery: RunQuery, placeOf: (entity: number) => readonly string[], add: Add): Promise<void> {
  const lanes = <T>(sql: string): Promise<(LaneCount & T)[]> => runQuery(sql);
  for (const { entity, services, count, sources } of await lanes<{ services: number[] }>(queries.spanLanes))
    add(entity, { kind: 'spans', services }, { kind: 'spans', unit: 'ms', count: Number(count), sources });
  for (const { entity, resources, count, sources } of await lanes<{ resources: number[] }>(queries.logLanes))
    add(entity, { kind: 'logs', resources }, { kind: 'logs', count: Number(count), sources });
  const found = await lanes<{ ranks: number[] }>(queries.collectiveLanes);
  const all = found.flatMap(({ entity, ranks }) =>
    ranks.map((rank) => ({ rank, lane: entity, job: placeOf(entity).join() })),
  );
  for (const { entity, ranks, count, sources } of found)
    add(
      entity,
      { kind: 'collectives', entity, ranks, all },
      { kind: 'collectives', unit: 'ms', count: Number(count), sources },
    );
}

/** Entities of incidents: all their lanes are shown first. */
function involvedEntities({ conclusions }: Investigation): Set<string> {
  const nodes = conclusions.flatMap(({ window, chain, graph }) =>
    [window.service, ...chain.members.map(({ event }) => event.entity)].flatMap((key) => graph.node(key) ?? []),
  );
  return new Set(nodes.map(({ kind, id }) => `${kind}:${id}`));
}

function byPlace(a: Lane, b: Lane): number {
  const layer = (lane: Lane): number => layers.indexOf(lane.layer as (typeof layers)[number]);
  return (
    layer(a) - layer(b) ||
    Number(b.involved) - Number(a.involved) ||
    naturally(a.name ?? a.entity_id, b.name ?? b.entity_id) ||
    laneKinds.indexOf(a.kind) - laneKinds.indexOf(b.kind) ||
    naturally(a.metric, b.metric)
  );
}

/** GPU-2 before GPU-10. */
const naturally = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
