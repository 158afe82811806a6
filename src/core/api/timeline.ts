import type { Lane, LaneData, LaneMetric, Parsed } from '../../model/contract/index.ts';
import type { Session } from '../../model/engine.ts';
import { type EntityKind, entityKey, layerOf, layers } from '../../model/entity.ts';
import type { Measurements } from '../analysis/measurement-table.ts';
import type { MeasurementField } from '../analysis/measurements.ts';
import { numbersOf, rowsOf } from '../store/case-file.ts';
import { questions } from '../store/questions/index.ts';
import { createReader } from '../store/reader.ts';
import type { OpenCase } from './open-case.ts';

/** More events than this in one lane's window are drawn as density, not as glyphs. */
const MOST_EVENTS = 5000;

/** Service figures that every measured service has a lane for, with the metric names of DESIGN section 6. */
const measured: readonly (readonly [MeasurementField, string, string])[] = [
  ['p99', 'service.latency.p99', 'ms'],
  ['error_rate', 'service.error_rate', '%'],
  ['throughput', 'service.throughput', '1/s'],
];

export const eventLane = (kind: string, id: string): string => `events:${kind}:${id}`;
export const metricLane = (kind: string, id: string, metric: string): string => `metric:${kind}:${id}:${metric}`;

interface LaneKey {
  readonly kind: 'events' | 'metric';
  readonly entity_kind: string;
  readonly entity_id: string;
  readonly metric: string;
}
/** Ids may hold colons; metric names never do, so the last one splits. */
function parseLane(id: string): LaneKey | undefined {
  const events = /^events:([^:]+):(.*)$/s.exec(id);
  if (events) return { kind: 'events', entity_kind: events[1] as string, entity_id: events[2] as string, metric: '' };
  const metric = /^metric:([^:]+):(.*):([^:]+)$/s.exec(id);
  if (metric)
    return {
      kind: 'metric',
      entity_kind: metric[1] as string,
      entity_id: metric[2] as string,
      metric: metric[3] as string,
    };
  return undefined;
}

export async function listLanes(opened: OpenCase): Promise<Lane[]> {
  const involved = await involvedEntities(opened);
  const lanes = await opened.withSession(async (session) => {
    const events = rowsOf<{ entity_kind: EntityKind; entity_id: string; count: bigint; worst_severity: number }>(
      await session.query(questions.eventLanes),
    );
    const metrics = rowsOf<{
      entity_kind: EntityKind;
      entity_id: string;
      metric: string;
      unit: string | null;
      count: bigint;
    }>(await session.query(questions.metricLanes));
    return [
      ...events.map((row) =>
        toLane('events', row.entity_kind, row.entity_id, {
          metric: '',
          unit: '',
          count: Number(row.count),
          worst: row.worst_severity,
        }),
      ),
      ...metrics.map((row) =>
        toLane('metric', row.entity_kind, row.entity_id, {
          metric: row.metric,
          unit: row.unit ?? '',
          count: Number(row.count),
          worst: null,
        }),
      ),
      ...(await derivedLanes(opened, session)),
    ];
  });
  const order = (lane: Lane) => layers.indexOf(lane.layer as (typeof layers)[number]);
  return lanes
    .map((lane) => ({ ...lane, involved: involved.has(entityKey(lane.entity_kind as EntityKind, lane.entity_id)) }))
    .sort(
      (a, b) =>
        order(a) - order(b) ||
        Number(b.involved) - Number(a.involved) ||
        naturally(a.entity_id, b.entity_id) ||
        (a.kind === b.kind ? naturally(a.metric, b.metric) : a.kind === 'events' ? -1 : 1),
    );
}

/** GPU-2 before GPU-10. */
const collator = { compare: (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true }) };
const naturally = (a: string, b: string): number => collator.compare(a, b);

function toLane(
  kind: Lane['kind'],
  entity_kind: EntityKind,
  entity_id: string,
  more: { metric: string; unit: string; count: number; worst: number | null },
): Lane {
  return {
    id: kind === 'events' ? eventLane(entity_kind, entity_id) : metricLane(entity_kind, entity_id, more.metric),
    kind,
    layer: layerOf(entity_kind),
    entity_kind,
    entity_id,
    metric: more.metric,
    unit: more.unit,
    count: more.count,
    worst_severity: more.worst,
    involved: false,
  };
}

/** Services measured from spans or histograms have no gauge rows, but the same three lanes. */
async function derivedLanes(opened: OpenCase, session: Session): Promise<Lane[]> {
  const names = new Map((await createReader(session).entities()).map((entity) => [entity.entity_id, entity.id]));
  return [...(await opened.measurements()).values()]
    .filter(({ from }) => from !== 'gauges')
    .flatMap(({ service, time_ns }) =>
      measured.map(([, metric, unit]) =>
        toLane('metric', 'service', names.get(service) ?? '?', { metric, unit, count: time_ns.length, worst: null }),
      ),
    );
}

/** Keys of the entities that take part in some incident: all their lanes are worth a first look. */
async function involvedEntities(opened: OpenCase): Promise<Set<string>> {
  const keys = new Set<string>();
  for (const { chain, graph, service } of (await opened.conclusions()).conclusions) {
    keys.add(entityKey('service', service));
    for (const { event } of chain.members) {
      const node = graph.node(event.entity);
      if (node) keys.add(entityKey(node.kind, node.id));
    }
  }
  return keys;
}

type Window = Parsed<'timeline.data'>;

export async function readLanes(opened: OpenCase, input: Window, signal?: AbortSignal): Promise<LaneData[]> {
  return opened.withSession(async (session) => {
    const answers: LaneData[] = [];
    for (const lane of input.lanes) {
      signal?.throwIfAborted();
      try {
        answers.push(await readLane(opened, session, lane, input, signal));
      } catch (error) {
        signal?.throwIfAborted();
        answers.push({ kind: 'broken', lane, message: error instanceof Error ? error.message : String(error) });
      }
    }
    return answers;
  });
}

async function readLane(
  opened: OpenCase,
  session: Session,
  lane: string,
  input: Window,
  signal?: AbortSignal,
): Promise<LaneData> {
  const key = parseLane(lane);
  if (!key) return { kind: 'broken', lane, message: 'there is no such lane' };
  if (key.kind === 'events') return readEvents(session, lane, key, input, signal);
  const derived = await derivedMetric(opened, session, key);
  return derived ? bucketMeasurements(lane, derived, input) : readMetric(session, lane, key, input, signal);
}

async function readEvents(
  session: Session,
  lane: string,
  key: LaneKey,
  input: Window,
  signal?: AbortSignal,
): Promise<LaneData> {
  const { start_ns, end_ns, buckets } = input;
  const where = [start_ns, end_ns, key.entity_kind, key.entity_id] as const;
  const found = await session.query(questions.laneEvents, [...where, BigInt(MOST_EVENTS)], signal);
  const truncated = found.count > MOST_EVENTS;
  const density = new Int32Array(buckets);
  if (truncated) {
    const counted = await session.query(questions.laneEventDensity, [...where, BigInt(buckets)], signal);
    counted.columns[0]?.forEach((bucket, i) => {
      density[bucket as number] = Number(counted.columns[1]?.[i]);
    });
  }
  const names = truncated ? [] : (found.columns[3] as string[]);
  const types = [...new Set(names)];
  return {
    kind: 'events',
    lane,
    truncated,
    density,
    types,
    offset_s: truncated ? new Float64Array(0) : numbersOf(found, 'offset_s'),
    severity: Uint8Array.from(truncated ? [] : (found.columns[2] as number[])),
    event_id: Int32Array.from(truncated ? [] : (found.columns[0] as number[])),
    type: Int32Array.from(names, (name) => types.indexOf(name)),
  };
}

const emptyMetric = (lane: string, buckets: number): LaneMetric => {
  const column = (): Float64Array<ArrayBuffer> => new Float64Array(buckets).fill(Number.NaN);
  return { kind: 'metric', lane, min: column(), max: column(), last: column() };
};

async function readMetric(
  session: Session,
  lane: string,
  key: LaneKey,
  { start_ns, end_ns, buckets }: Window,
  signal?: AbortSignal,
): Promise<LaneData> {
  const found = await session.query(
    questions.laneMetric,
    [start_ns, end_ns, key.entity_kind, key.entity_id, BigInt(buckets), key.metric],
    signal,
  );
  const answer = emptyMetric(lane, buckets);
  found.columns[0]?.forEach((value, i) => {
    const bucket = value as number;
    answer.min[bucket] = found.columns[1]?.[i] as number;
    answer.max[bucket] = found.columns[2]?.[i] as number;
    answer.last[bucket] = found.columns[3]?.[i] as number;
  });
  return answer;
}

async function derivedMetric(
  opened: OpenCase,
  session: Session,
  key: LaneKey,
): Promise<{ time_ns: Measurements['time_ns']; values: Float64Array } | undefined> {
  const field = measured.find(([, metric]) => metric === key.metric)?.[0];
  if (!field || key.entity_kind !== 'service') return undefined;
  const entity = (await createReader(session).entities()).find((e) => e.kind === 'service' && e.id === key.entity_id);
  const found = entity && (await opened.measurements()).get(entity.canonical_id);
  return found && found.from !== 'gauges' ? { time_ns: found.time_ns, values: found[field] } : undefined;
}

function bucketMeasurements(
  lane: string,
  { time_ns, values }: { time_ns: Measurements['time_ns']; values: Float64Array },
  { start_ns, end_ns, buckets }: Window,
): LaneMetric {
  const answer = emptyMetric(lane, buckets);
  const width = end_ns - start_ns > 0n ? end_ns - start_ns : 1n;
  time_ns.forEach((time, i) => {
    const value = values[i] as number;
    if (time < start_ns || time > end_ns || Number.isNaN(value)) return;
    const bucket = Math.min(buckets - 1, Number(((time - start_ns) * BigInt(buckets)) / width));
    const [low, high] = [answer.min[bucket] as number, answer.max[bucket] as number];
    answer.min[bucket] = Number.isNaN(low) ? value : Math.min(low, value);
    answer.max[bucket] = Number.isNaN(high) ? value : Math.max(high, value);
    answer.last[bucket] = value;
  });
  return answer;
}

export async function readOverview(
  session: Session,
  { start_ns, end_ns, buckets }: Parsed<'timeline.overview'>,
  signal?: AbortSignal,
) {
  const found = await session.query(questions.overview, [start_ns, end_ns, BigInt(buckets)], signal);
  const counts = { event: new Int32Array(buckets), span: new Int32Array(buckets), log: new Int32Array(buckets) };
  found.columns[0]?.forEach((kind, i) => {
    counts[kind as keyof typeof counts][found.columns[1]?.[i] as number] = Number(found.columns[2]?.[i]);
  });
  return { events: counts.event, spans: counts.span, logs: counts.log };
}
