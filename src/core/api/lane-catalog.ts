import type { Lane } from '../../model/contract/index.ts';
import type { Session } from '../../model/engine.ts';
import { layers } from '../../model/entity.ts';
import type { Investigation } from '../analysis/correlate.ts';
import { EntityGraph, type EntityNode } from '../analysis/entity-graph.ts';
import type { Measurements } from '../analysis/measurement-table.ts';
import type { MeasurementField } from '../analysis/measurements.ts';
import { rowsOf } from '../store/case-file.ts';
import { questions } from '../store/questions/index.ts';
import { createReader } from '../store/reader.ts';
import { placesOf } from './lane-places.ts';

/** Where a lane's data come from. */
export type LaneTarget =
  | { readonly kind: 'events'; readonly entity: number }
  | { readonly kind: 'metric'; readonly series: readonly number[] }
  /** Worked out from spans or histograms: there are no rows to ask for. */
  | { readonly kind: 'measured'; readonly measurements: Measurements; readonly field: MeasurementField };

export interface LaneCatalog {
  /** In the order in which they stand on screen. */
  readonly lanes: readonly Lane[];
  readonly targets: ReadonlyMap<string, LaneTarget>;
}

export const eventLane = (kind: string, id: string): string => `events:${kind}:${id}`;
export const metricLane = (kind: string, id: string, metric: string): string => `metric:${kind}:${id}:${metric}`;

/** Service figures that every measured service has a lane for, with the metric names of DESIGN section 6. */
const serviceFigures: readonly (readonly [MeasurementField, string, string])[] = [
  ['p99', 'service.latency.p99', 'ms'],
  ['error_rate', 'service.error_rate', '%'],
  ['throughput', 'service.throughput', '1/s'],
];

export interface CaseConclusions {
  readonly investigation: Investigation;
  readonly measurements: ReadonlyMap<number, Measurements>;
}

/** Lists every lane of a case: an entity's events, its metrics, and the derived figures of services. */
export async function readCatalog(session: Session, known: CaseConclusions): Promise<LaneCatalog> {
  const reader = createReader(session);
  const entities = await reader.entities();
  const graph = new EntityGraph(entities, [], 0n);
  const placeOf = placesOf(entities, await reader.edges());
  const involved = involvedEntities(known.investigation);
  const targets = new Map<string, LaneTarget>();
  const lanes: Lane[] = [];
  const add = (
    node: EntityNode | undefined,
    target: LaneTarget,
    more: Pick<Lane, 'metric' | 'unit' | 'count' | 'worst_severity' | 'sources'>,
  ): void => {
    if (!node) return;
    const kind = target.kind === 'events' ? 'events' : 'metric';
    const id = kind === 'events' ? eventLane(node.kind, node.id) : metricLane(node.kind, node.id, more.metric);
    if (targets.has(id)) return;
    targets.set(id, target);
    lanes.push({
      id,
      kind,
      layer: node.layer,
      entity_kind: node.kind,
      entity_id: node.id,
      within: [...placeOf(node.key)],
      ...more,
      involved: involved.has(node.key),
    });
  };
  for (const row of rowsOf<EventLaneRow>(await session.query(questions.eventLanes))) {
    const { worst_severity, sources } = row;
    const more = { metric: '', unit: '', count: Number(row.count), worst_severity, sources: [...sources] };
    add(graph.node(row.entity), { kind: 'events', entity: row.entity }, more);
  }
  for (const row of rowsOf<MetricLaneRow>(await session.query(questions.metricLanes))) {
    const { metric, sources } = row;
    const unit = row.unit ?? '';
    const more = { metric, unit, count: Number(row.count), worst_severity: null, sources: [...sources] };
    add(graph.node(row.entity), { kind: 'metric', series: row.series }, more);
  }
  for (const measurements of known.measurements.values()) {
    for (const [field, metric, unit] of measurements.from === 'gauges' ? [] : serviceFigures) {
      const more = { metric, unit, count: measurements.time_ns.length, worst_severity: null, sources: [] };
      add(graph.node(measurements.service), { kind: 'measured', measurements, field }, more);
    }
  }
  return { lanes: lanes.sort(byPlace), targets };
}

interface EventLaneRow {
  readonly entity: number;
  readonly count: bigint;
  readonly worst_severity: number;
  readonly sources: readonly number[];
}
interface MetricLaneRow {
  readonly entity: number;
  readonly metric: string;
  readonly unit: string | null;
  readonly series: readonly number[];
  readonly sources: readonly number[];
  readonly count: bigint;
}

/** Entities that take part in some incident: all their lanes are worth a first look. */
function involvedEntities({ conclusions }: Investigation): Set<number> {
  return new Set(
    conclusions.flatMap(({ window, chain }) => [window.service, ...chain.members.map(({ event }) => event.entity)]),
  );
}

function byPlace(a: Lane, b: Lane): number {
  const layer = (lane: Lane): number => layers.indexOf(lane.layer as (typeof layers)[number]);
  return (
    layer(a) - layer(b) ||
    Number(b.involved) - Number(a.involved) ||
    naturally(a.entity_id, b.entity_id) ||
    a.kind.localeCompare(b.kind) ||
    naturally(a.metric, b.metric)
  );
}

/** GPU-2 before GPU-10. */
const naturally = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
