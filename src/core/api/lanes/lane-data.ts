import type { LaneData, LaneMetric, Parsed } from '../../../model/contract/index.ts';
import type { Session, SqlResult } from '../../../model/storage/engine.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import type { CaseTimeIndex } from '../../store/facts/time-index.ts';
import { listText } from '../../store/list-text.ts';
import { queries } from '../../store/queries/index.ts';
import { recordedWindow } from '../evidence/recorded-window.ts';
import type { LaneCatalog } from './lane-catalog.ts';
import { readEvents } from './lane-events.ts';
import { readLogs } from './lane-logs.ts';
import { readQueries } from './lane-queries.ts';
import { readSearches } from './lane-searches.ts';
import { readCollectives, readSpans } from './lane-slices.ts';
import { readEpisodeLanes, readStates } from './lane-states.ts';
import { type LaneTarget, quantiles, type Reading, type Wanted } from './lane-target.ts';

type Window = Parsed<'timeline.data'>;

type Reader<K extends LaneTarget['kind']> = (wanted: readonly Wanted<K>[], reading: Reading) => Promise<void>;

/** Where lanes are read from: a case in use. */
export interface LaneSource {
  withSession(work: (session: Session) => Promise<void>): Promise<void>;
  timeIndex?(): CaseTimeIndex | undefined;
}

/** One scan for all lanes of a kind, however many there are. */
const readers: { readonly [K in LaneTarget['kind']]: Reader<K> } = {
  events: readEvents,
  metric: readMetrics,
  quantile: readQuantiles,
  state: readStates,
  episodes: readEpisodeLanes,
  measured: readMeasured,
  spans: readSpans,
  logs: readLogs,
  query: readQueries,
  search: readSearches,
  collectives: readCollectives,
};

/**
 * Data of the lanes on screen, all kinds at once. Answers are in the order of `input.lanes`; a lane that cannot be read is shown
 * as broken, the others are unaffected.
 */
export async function readLanes(
  source: LaneSource,
  catalog: LaneCatalog,
  input: Window,
  signal?: AbortSignal,
): Promise<LaneData[]> {
  const answers = new Map<string, LaneData>();
  const answer: Reading['answer'] = (lane, data) => answers.set(lane, data);
  const timeIndex = source.timeIndex?.();
  const wanted = input.lanes.flatMap((lane): Wanted[] => {
    const target = catalog.targets.get(lane);
    return target ? [{ lane, target }] : [];
  });
  const reading = [...Map.groupBy(wanted, ({ target }) => target.kind)].map(async ([kind, own]) => {
    try {
      const read = readers[kind] as Reader<LaneTarget['kind']>;
      await source.withSession((session) => read(own, { session, input, answer, signal, timeIndex }));
    } catch (error) {
      signal?.throwIfAborted();
      const message = error instanceof Error ? error.message : String(error);
      for (const { lane } of own) answers.set(lane, { kind: 'broken', lane, message });
    }
  });
  await Promise.all(reading);
  return input.lanes.map((lane) => answers.get(lane) ?? { kind: 'broken', lane, message: 'there is no such lane' });
}

const emptyMetric = (lane: string, buckets: number): LaneMetric => {
  const column = (): Float64Array<ArrayBuffer> => new Float64Array(buckets).fill(Number.NaN);
  return { kind: 'metric', lane, min: column(), max: column(), last: column() };
};

/** A slice may be drawn as wide as so many buckets: what is highest and lowest stays, and half as many points are read. */
const SLICE_BUCKETS = 2n;

/** From slices where they are fine enough, else from the points themselves. */
async function readMetrics(
  wanted: readonly Wanted<'metric'>[],
  { session, input, answer, signal }: Reading,
): Promise<void> {
  const { start_ns, end_ns } = input;
  const buckets = BigInt(input.buckets);
  const isWithin = ({ target: { shift } }: Wanted<'metric'>, most: bigint): boolean =>
    shift !== null && (1n << BigInt(shift)) * buckets <= most * (end_ns - start_ns);
  const coarse = wanted.filter((one) => isWithin(one, SLICE_BUCKETS));
  const fine = wanted.filter((one) => !isWithin(one, SLICE_BUCKETS));
  if (coarse.length > 0) {
    const values = [start_ns, end_ns, buckets, ...seriesOf(coarse)];
    const filled = fillMetrics(coarse, await session.query(queries.laneMetricRanges, values, signal), input, answer);
    filled.forEach((data, at) => {
      if (!isWithin(coarse[at]!, 1n)) reachOver(data);
    });
  }
  if (fine.length === 0) return;
  const { first, last } = await recordedWindow(session, input);
  const values = [start_ns, end_ns, buckets, ...seriesOf(fine), first, last];
  fillMetrics(fine, await session.query(queries.laneMetrics, values, signal), input, answer);
}

async function readQuantiles(
  wanted: readonly Wanted<'quantile'>[],
  { session, input, answer, signal }: Reading,
): Promise<void> {
  const places = wanted.flatMap(({ target }) => target.series.map(() => quantiles.indexOf(target.quantile) + 1));
  const values = [input.start_ns, input.end_ns, BigInt(input.buckets), ...seriesOf(wanted), listText(places)];
  fillMetrics(wanted, await session.query(queries.laneHistograms, values, signal), input, answer);
}

/** Two lists of the same length: series, and the place of the lane that each belongs to. */
function seriesOf(lanes: readonly (Wanted<'metric'> | Wanted<'quantile'>)[]): readonly [string, string] {
  const all = lanes.flatMap(({ target }, lane) => target.series.map((series) => [series, lane] as const));
  return [listText(all.map(([series]) => series)), listText(all.map(([, lane]) => lane))];
}

/** A slice that is wider than its bucket shows its extent in the next one, too, if there is no other value. */
function reachOver({ min, max }: LaneMetric): void {
  for (let at = max.length - 1; at > 0; at--) {
    if (!Number.isNaN(max[at])) continue;
    min[at] = min[at - 1]!;
    max[at] = max[at - 1]!;
  }
}

function fillMetrics(
  lanes: readonly (Wanted<'metric'> | Wanted<'quantile'>)[],
  found: SqlResult,
  { buckets }: Window,
  answer: Reading['answer'],
): readonly LaneMetric[] {
  const data = lanes.map(({ lane }) => emptyMetric(lane, buckets));
  for (const one of data) answer(one.lane, one);
  const [cells = [], low = [], high = [], last = []] = found.columns as readonly (readonly number[])[];
  for (let i = 0; i < found.count; i++) {
    const cell = cells[i]!;
    const one = data[Math.floor(cell / buckets)];
    if (!one) continue;
    const bucket = cell % buckets;
    one.min[bucket] = low[i]!;
    one.max[bucket] = high[i]!;
    one.last[bucket] = last[i]!;
  }
  return data;
}

function widen(data: LaneMetric, bucket: number, low: number, high: number): void {
  const [min, max] = [data.min[bucket]!, data.max[bucket]!];
  data.min[bucket] = Number.isNaN(min) ? low : Math.min(min, low);
  data.max[bucket] = Number.isNaN(max) ? high : Math.max(max, high);
}

async function readMeasured(
  wanted: readonly Wanted<'measured'>[],
  { input: { start_ns, end_ns, buckets }, answer }: Reading,
): Promise<void> {
  const width = end_ns > start_ns ? end_ns - start_ns : 1n;
  for (const { lane, target } of wanted) {
    const data = emptyMetric(lane, buckets);
    target.measurements.time_ns.forEach((time, i) => {
      const value = target.measurements[target.field][i]!;
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
  for (const sql of [queries.overview, wide ? queries.overviewSpanCounts : queries.overviewSpans]) {
    const found = await session.query(sql, [start_ns, end_ns, BigInt(buckets)], signal);
    for (const row of rowsOf<{ kind: keyof typeof counts; bucket: number; count: bigint }>(found)) {
      counts[row.kind][row.bucket] = Number(row.count);
    }
  }
  return { events: counts.event, spans: counts.span, logs: counts.log };
}
