import type { LaneData, LaneEvents, LaneMetric, Parsed } from '../../model/contract/index.ts';
import type { Session, SqlResult } from '../../model/engine.ts';
import { rowsOf } from '../store/case-file.ts';
import { listText } from '../store/list-text.ts';
import { questions } from '../store/questions/index.ts';
import type { LaneCatalog } from './lane-catalog.ts';
import { readLogs } from './lane-logs.ts';
import { readQueries } from './lane-queries.ts';
import { readCollectives, readSpans } from './lane-slices.ts';
import { readEpisodeLanes, readStates } from './lane-states.ts';
import type { Answer, LaneTarget, Wanted } from './lane-target.ts';

/** More events than this in one lane's window are not told each. */
const MOST_EVENTS = 5000;
/** And in all lanes of a window: 60,000 were there after 140 ms. */
const MOST_TOGETHER = 15_000;

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
  query: readQueries,
  collectives: readCollectives,
};

/**
 * Data of the lanes on screen, all kinds at once. Answers come in the order of `input.lanes`; a lane that cannot be read
 * says so, the others are unaffected.
 */
export async function readLanes(
  withSession: (work: (session: Session) => Promise<void>) => Promise<void>,
  catalog: LaneCatalog,
  input: Window,
  signal?: AbortSignal,
): Promise<LaneData[]> {
  const answers = new Map<string, LaneData>();
  const wanted = input.lanes.flatMap((lane): Wanted[] => {
    const target = catalog.targets.get(lane);
    return target ? [{ lane, target }] : [];
  });
  const reading = [...Map.groupBy(wanted, ({ target }) => target.kind)].map(async ([kind, own]) => {
    try {
      const read = readers[kind] as Reader<LaneTarget['kind']>;
      await withSession((session) => read(session, own, input, (lane, data) => answers.set(lane, data), signal));
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
  session: Session,
  wanted: readonly Wanted<'metric'>[],
  input: Window,
  answer: Answer,
  signal?: AbortSignal,
): Promise<void> {
  const { start_ns, end_ns } = input;
  const buckets = BigInt(input.buckets);
  const isWithin = ({ target: { shift } }: Wanted<'metric'>, most: bigint): boolean =>
    shift !== null && (1n << BigInt(shift)) * buckets <= most * (end_ns - start_ns);
  const coarse = wanted.filter((one) => isWithin(one, SLICE_BUCKETS));
  const fine = wanted.filter((one) => !isWithin(one, SLICE_BUCKETS));
  if (coarse.length > 0) {
    const values = [start_ns, end_ns, buckets, ...seriesOf(coarse)];
    const filled = fillMetrics(coarse, await session.query(questions.laneMetricRanges, values, signal), input, answer);
    filled.forEach((data, at) => {
      if (!isWithin(coarse[at] as Wanted<'metric'>, 1n)) reachOver(data);
    });
  }
  if (fine.length === 0) return;
  const { first, last } = await recordedWindow(session, input);
  const values = [start_ns, end_ns, buckets, ...seriesOf(fine), first, last];
  fillMetrics(fine, await session.query(questions.laneMetrics, values, signal), input, answer);
}

/** Two lists of the same length: series, and the place of the lane that each belongs to. */
function seriesOf(lanes: readonly Wanted<'metric'>[]): readonly [string, string] {
  const all = lanes.flatMap(({ target }, lane) => target.series.map((series) => [series, lane] as const));
  return [listText(all.map(([series]) => series)), listText(all.map(([, lane]) => lane))];
}

const EARLIEST = -(2n ** 63n);
const LATEST = 2n ** 63n - 1n;
const clamped = (time: bigint): bigint => (time < EARLIEST ? EARLIEST : time > LATEST ? LATEST : time);

/** The window as the clocks of the sources told it: what was recorded outside of it lies outside on every clock. */
async function recordedWindow(session: Session, { start_ns, end_ns, clocks: shifted }: Window) {
  const [clocks] = rowsOf<{ behind: bigint; ahead: bigint }>(
    await session.query(
      'select coalesce(min(clock_offset_ns), 0) as behind, coalesce(max(clock_offset_ns), 0) as ahead from source',
    ),
  );
  let { ahead, behind } = clocks ?? { ahead: 0n, behind: 0n };
  for (const { shift_ns } of shifted) {
    if (shift_ns > 0n) ahead += shift_ns;
    else behind += shift_ns;
  }
  return { first: clamped(start_ns - ahead), last: clamped(end_ns - behind) };
}

/** A slice that is wider than its bucket shows its extent in the next one, too, where nothing else is told. */
function reachOver({ min, max }: LaneMetric): void {
  for (let at = max.length - 1; at > 0; at--) {
    if (!Number.isNaN(max[at])) continue;
    min[at] = min[at - 1] as number;
    max[at] = max[at - 1] as number;
  }
}

function fillMetrics(
  lanes: readonly Wanted<'metric'>[],
  found: SqlResult,
  { buckets }: Window,
  answer: Answer,
): readonly LaneMetric[] {
  const data = lanes.map(({ lane }) => emptyMetric(lane, buckets));
  for (const one of data) answer(one.lane, one);
  const [cells = [], low = [], high = [], last = []] = found.columns;
  for (let i = 0; i < found.count; i++) {
    const cell = cells[i] as number;
    const one = data[Math.floor(cell / buckets)];
    if (!one) continue;
    const bucket = cell % buckets;
    one.min[bucket] = low[i] as number;
    one.max[bucket] = high[i] as number;
    one.last[bucket] = last[i] as number;
  }
  return data;
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
  const all = wanted.map(({ target }) => target.entity);
  const counts = await readEventCounts(session, all, input, signal);
  const most = Math.min(MOST_EVENTS, shareOf([...counts.values()].map((own) => own.all)));
  const mildest = new Map([...counts].map(([entity, own]) => [entity, mildestOf(own, most)]));
  const found = counts.size === 0 ? nothing : await readWorst(session, mildest, input, signal);
  const rows = rowsByEntity(found);
  const types = await namesOf(session, found.columns[4] ?? []);
  for (const { lane, target } of wanted) {
    const density = counts.get(target.entity)?.density ?? new Int32Array(input.buckets);
    const told = { mildest: mildest.get(target.entity) ?? MILDEST, rows: rows.get(target.entity) ?? [0, 0] } as const;
    answer(lane, toEvents(lane, { found, types, density, ...told }));
  }
}

const nothing: SqlResult = { names: ['entity', 'event_id', 'offset_s'], types: [], columns: [[], [], []], count: 0 };

/** So many of each lane, that all together are no more than may be; what one has less, the others have more. */
function shareOf(counts: readonly number[]): number {
  let left = MOST_TOGETHER;
  for (const [at, count] of counts.toSorted((a, b) => a - b).entries()) {
    const share = left / (counts.length - at);
    if (count > share) return share;
    left -= count;
  }
  return left;
}

const [CRITICAL, HIGH, MILDEST] = [0, 1, 3];

/** So that what is severe stands out of any number of others: all of a severity, or none of it. -1: too many are critical. */
function mildestOf({ all, critical, high }: EventCounts, most: number): number {
  if (all <= most) return MILDEST;
  if (critical + high <= most) return HIGH;
  return critical <= most ? CRITICAL : -1;
}

async function readWorst(
  session: Session,
  mildest: ReadonlyMap<number, number>,
  input: Window,
  signal?: AbortSignal,
): Promise<SqlResult> {
  const { first, last } = await recordedWindow(session, input);
  const told = [...mildest].filter(([, severity]) => severity >= 0);
  const list = listText(told.map(([entity, severity]) => ({ entity, mildest: severity })));
  const values = [input.start_ns, input.end_ns, list, first, last, clocksOf(input)];
  return session.query(questions.laneEvents, values, signal);
}

/** By how much the clocks of sources are drawn later than the case has them, as the questions take it. */
const clocksOf = ({ clocks }: Window): string =>
  listText(clocks.map(({ source_id, shift_ns }) => ({ source_id, shift_ns })));

interface EventCounts {
  /** By bucket. */
  readonly density: Int32Array<ArrayBuffer>;
  /** In all buckets. */
  all: number;
  critical: number;
  high: number;
}

/** Of the lanes that have any. */
async function readEventCounts(
  session: Session,
  entities: readonly number[],
  input: Window,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<number, EventCounts>> {
  const { start_ns, end_ns, buckets } = input;
  const found = new Map<number, EventCounts>();
  const values = [start_ns, end_ns, listText(entities), BigInt(buckets), clocksOf(input)];
  const { columns, count } = await session.query(questions.laneEventDensity, values, signal);
  const [entity = [], bucket = [], events = [], critical = [], high = []] = columns as readonly number[][];
  for (let row = 0; row < count; row++) {
    const key = entity[row] as number;
    let own = found.get(key);
    if (!own) {
      own = { density: new Int32Array(buckets), all: 0, critical: 0, high: 0 };
      found.set(key, own);
    }
    own.density[bucket[row] as number] = events[row] as number;
    own.all += events[row] as number;
    own.critical += critical[row] as number;
    own.high += high[row] as number;
  }
  return found;
}

/** The texts behind the numbers of names. */
async function namesOf(session: Session, column: ArrayLike<unknown>): Promise<ReadonlyMap<number, string>> {
  const ids = [...new Set(Array.from(column, Number))];
  if (ids.length === 0) return new Map();
  const found = rowsOf<{ name_id: number; text: string }>(
    await session.query(`select name_id, text from name where name_id in (select unnest($1::integer[]))`, [
      listText(ids),
    ]),
  );
  return new Map(found.map(({ name_id, text }) => [name_id, text]));
}

/** From the first row of each to the one after its last: the answer is ordered by them. */
function rowsByEntity({ columns: [entities = []], count }: SqlResult): ReadonlyMap<number, Rows> {
  const rows = new Map<number, Rows>();
  for (let from = 0, at = 1; at <= count; at++) {
    if (at < count && entities[at] === entities[from]) continue;
    rows.set(entities[from] as number, [from, at]);
    from = at;
  }
  return rows;
}

type Rows = readonly [from: number, until: number];

interface EventAnswer {
  readonly found: SqlResult;
  readonly types: ReadonlyMap<number, string>;
  readonly rows: Rows;
  readonly density: Int32Array<ArrayBuffer>;
  readonly mildest: number;
}

function toEvents(lane: string, { found, types, rows, density, mildest }: EventAnswer): LaneEvents {
  const [, ids = [], offsets = [], severities = [], names = []] = found.columns.map(
    (column) => column.slice(...rows) as number[],
  );
  const own = [...new Set(names)];
  const places = new Map(own.map((name, at) => [name, at]));
  return {
    kind: 'events',
    lane,
    truncated: mildest < MILDEST,
    mildest,
    density,
    types: own.map((name) => types.get(name) ?? ''),
    // Typed arrays of arrays: by a function for each value it took longer than to ask for them.
    offset_s: new Float64Array(offsets),
    severity: new Uint8Array(severities),
    event_id: new Int32Array(ids),
    type: new Int32Array(names.map((name) => places.get(name) as number)),
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
