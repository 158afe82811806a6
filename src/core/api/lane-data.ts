import type { LaneData, LaneEvents, LaneMetric, Parsed } from '../../model/contract/index.ts';
import type { Session, SqlResult } from '../../model/engine.ts';
import { numbersOf, rowsOf } from '../store/case-file.ts';
import { questions } from '../store/questions/index.ts';
import type { LaneCatalog } from './lane-catalog.ts';
import { readLogs } from './lane-logs.ts';
import { readCollectives, readSpans } from './lane-slices.ts';
import { readEpisodeLanes, readStates } from './lane-states.ts';
import type { Answer, LaneTarget, Wanted } from './lane-target.ts';

/** More events than this in one lane's window are drawn as density, not as glyphs. */
const MOST_EVENTS = 5000;

type Window = Parsed<'timeline.data'>;

type Reader<K extends LaneTarget['kind']> = (
  session: Session,
  wanted: readonly Wanted<K>[],
  input: Window,
  answer: Answer,
  signal?: AbortSignal,
) => Promise<void>;

/** One scan for all lanes of a kind, however many there are. */
const readers: { readonly [K in LaneTarget['kind']]: Reader<K> } = {
  events: readEvents,
  metric: readMetrics,
  state: readStates,
  episodes: readEpisodeLanes,
  measured: readMeasured,
  spans: readSpans,
  logs: readLogs,
  collectives: readCollectives,
};

/**
 * Data of the lanes on screen. Answers come in the order of `input.lanes`; a lane that cannot be read says so, the
 * others are unaffected.
 */
export async function readLanes(
  session: Session,
  catalog: LaneCatalog,
  input: Window,
  signal?: AbortSignal,
): Promise<LaneData[]> {
  const answers = new Map<string, LaneData>();
  const wanted = input.lanes.flatMap((lane): Wanted[] => {
    const target = catalog.targets.get(lane);
    return target ? [{ lane, target }] : [];
  });
  for (const [kind, own] of Map.groupBy(wanted, ({ target }) => target.kind)) {
    try {
      const read = readers[kind] as Reader<LaneTarget['kind']>;
      await read(session, own, input, (lane, data) => answers.set(lane, data), signal);
    } catch (error) {
      signal?.throwIfAborted();
      const message = error instanceof Error ? error.message : String(error);
      for (const { lane } of own) answers.set(lane, { kind: 'broken', lane, message });
    }
  }
  return input.lanes.map((lane) => answers.get(lane) ?? { kind: 'broken', lane, message: 'there is no such lane' });
}

const emptyMetric = (lane: string, buckets: number): LaneMetric => {
  const column = (): Float64Array<ArrayBuffer> => new Float64Array(buckets).fill(Number.NaN);
  return { kind: 'metric', lane, min: column(), max: column(), last: column() };
};

async function readMetrics(
  session: Session,
  wanted: readonly Wanted<'metric'>[],
  input: Window,
  answer: Answer,
  signal?: AbortSignal,
): Promise<void> {
  const owner = new Map<number, { readonly data: LaneMetric; readonly last_ns: BigInt64Array }>();
  for (const { lane, target } of wanted) {
    const entry = { data: emptyMetric(lane, input.buckets), last_ns: new BigInt64Array(input.buckets) };
    for (const series of target.series) owner.set(series, entry);
    answer(lane, entry.data);
  }
  const list = JSON.stringify([...owner.keys()]);
  const found = await session.query(
    questions.laneMetrics,
    [input.start_ns, input.end_ns, BigInt(input.buckets), list],
    signal,
  );
  const [series = [], buckets = [], min = [], max = [], last = [], last_ns = []] = found.columns;
  for (let i = 0; i < found.count; i++) {
    const entry = owner.get(series[i] as number);
    if (!entry) continue;
    const { data } = entry;
    const bucket = buckets[i] as number;
    widen(data, bucket, min[i] as number, max[i] as number);
    // Several series may share a lane; the latest sample is the one a playhead shows.
    if (Number.isNaN(data.last[bucket]) || (last_ns[i] as bigint) >= (entry.last_ns[bucket] as bigint)) {
      data.last[bucket] = last[i] as number;
      entry.last_ns[bucket] = last_ns[i] as bigint;
    }
  }
}

function widen(data: LaneMetric, bucket: number, low: number, high: number): void {
  const [min, max] = [data.min[bucket] as number, data.max[bucket] as number];
  data.min[bucket] = Number.isNaN(min) ? low : Math.min(min, low);
  data.max[bucket] = Number.isNaN(max) ? high : Math.max(max, high);
}

async function readEvents(
  session: Session,
  wanted: readonly Wanted<'events'>[],
  input: Window,
  answer: Answer,
  signal?: AbortSignal,
): Promise<void> {
  const byEntity = new Map(wanted.map(({ lane, target }) => [target.entity, lane]));
  const list = (entities: Iterable<number>): string => JSON.stringify([...entities]);
  const { start_ns, end_ns, buckets } = input;
  const counted = await session.query(
    questions.laneEventDensity,
    [start_ns, end_ns, list(byEntity.keys()), BigInt(buckets)],
    signal,
  );
  const densities = new Map<number, Int32Array<ArrayBuffer>>();
  for (const { entity, bucket, count } of rowsOf<{ entity: number; bucket: number; count: number }>(counted)) {
    const density = densities.get(entity) ?? new Int32Array(buckets);
    density[bucket] = count;
    densities.set(entity, density);
  }
  const crowded = new Set(
    [...densities].filter(([, density]) => density.reduce((a, b) => a + b, 0) > MOST_EVENTS).map(([entity]) => entity),
  );
  const readable = [...densities.keys()].filter((entity) => !crowded.has(entity));
  const found = await session.query(questions.laneEvents, [start_ns, end_ns, list(readable)], signal);
  const rows = Map.groupBy(found.columns[0]?.keys() ?? [], (row) => found.columns[0]?.[row] as number);
  for (const [entity, lane] of byEntity) {
    const density = densities.get(entity) ?? new Int32Array(buckets);
    answer(lane, toEvents(lane, { found, rows: rows.get(entity) ?? [], density, truncated: crowded.has(entity) }));
  }
}

interface EventAnswer {
  readonly found: SqlResult;
  readonly rows: readonly number[];
  readonly density: Int32Array<ArrayBuffer>;
  readonly truncated: boolean;
}

function toEvents(lane: string, { found, rows, density, truncated }: EventAnswer): LaneEvents {
  const offsets = numbersOf(found, 'offset_s');
  const [, ids = [], , severities = [], names = []] = found.columns;
  const types = [...new Set(rows.map((row) => names[row] as string))];
  return {
    kind: 'events',
    lane,
    truncated,
    density,
    types,
    offset_s: Float64Array.from(rows, (row) => offsets[row] as number),
    severity: Uint8Array.from(rows, (row) => severities[row] as number),
    event_id: Int32Array.from(rows, (row) => ids[row] as number),
    type: Int32Array.from(rows, (row) => types.indexOf(names[row] as string)),
  };
}

async function readMeasured(
  _: Session,
  wanted: readonly Wanted<'measured'>[],
  { start_ns, end_ns, buckets }: Window,
  answer: Answer,
): Promise<void> {
  const width = end_ns > start_ns ? end_ns - start_ns : 1n;
  for (const { lane, target } of wanted) {
    const data = emptyMetric(lane, buckets);
    target.measurements.time_ns.forEach((time, i) => {
      const value = target.measurements[target.field][i] as number;
      if (time < start_ns || time > end_ns || Number.isNaN(value)) return;
      const bucket = Math.min(buckets - 1, Number(((time - start_ns) * BigInt(buckets)) / width));
      widen(data, bucket, value, value);
      data.last[bucket] = value;
    });
    answer(lane, data);
  }
}

/** Of table span_count. */
const SLICE_NS = 2n ** 27n;
/** Fewer, and buckets of a steady rate would visibly differ by the slices that happen to fall into them. */
const SLICES_PER_BUCKET = 16;

export async function readOverview(
  session: Session,
  { start_ns, end_ns, buckets }: Parsed<'timeline.overview'>,
  signal?: AbortSignal,
) {
  const wide = end_ns - start_ns >= BigInt(buckets * SLICES_PER_BUCKET) * SLICE_NS;
  const counts = { event: new Int32Array(buckets), span: new Int32Array(buckets), log: new Int32Array(buckets) };
  for (const sql of [questions.overview, wide ? questions.overviewSpanCounts : questions.overviewSpans]) {
    const found = await session.query(sql, [start_ns, end_ns, BigInt(buckets)], signal);
    for (const row of rowsOf<{ kind: keyof typeof counts; bucket: number; count: bigint }>(found)) {
      counts[row.kind][row.bucket] = Number(row.count);
    }
  }
  return { events: counts.event, spans: counts.span, logs: counts.log };
}
