import type { LaneEvents, Parsed } from '../../../model/contract/index.ts';
import type { Session, SqlResult } from '../../../model/storage/engine.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import type { TimeIndex } from '../../store/facts/time-index.ts';
import { listText } from '../../store/list-text.ts';
import { queries } from '../../store/queries/index.ts';
import { recordedWindow } from '../evidence/recorded-window.ts';
import type { Reading, Wanted } from './lane-target.ts';

/** More events than this in one lane's window are not listed singly. */
const MOST_EVENTS = 5000;
/** And in all lanes of a window: 60,000 were there after 140 ms. */
const MOST_TOGETHER = 15_000;

type Window = Parsed<'timeline.data'>;

/** Events of entities: all if few enough, else the worst, with counts. */
export async function readEvents(wanted: readonly Wanted<'events'>[], reading: Reading): Promise<void> {
  const { session, input, answer, signal, timeIndex } = reading;
  const all = wanted.map(({ target }) => target.entity);
  // What was read beforehand lies on the clocks that the case has.
  const known = input.clocks.length === 0 ? timeIndex?.events : undefined;
  const counts = known ? countEvents(known, all, input) : await readEventCounts(all, reading);
  const most = Math.min(MOST_EVENTS, shareOf([...counts.values()].map((own) => own.all)));
  const mildest = new Map([...counts].map(([entity, own]) => [entity, mildestOf(own, most)]));
  const found = counts.size === 0 ? nothing : await readWorst(session, mildest, input, signal);
  const rows = rowsByEntity(found);
  const types = await namesOf(session, found.columns[4] ?? []);
  for (const { lane, target } of wanted) {
    const density = counts.get(target.entity)?.density ?? new Int32Array(input.buckets);
    const described = {
      mildest: mildest.get(target.entity) ?? MILDEST,
      rows: rows.get(target.entity) ?? [0, 0],
    } as const;
    answer(lane, toEvents(lane, { found, types, density, ...described }));
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
  const graded = [...mildest].filter(([, severity]) => severity >= 0);
  const list = listText(graded.map(([entity, severity]) => ({ entity, mildest: severity })));
  const values = [input.start_ns, input.end_ns, list, first, last, clocksOf(input)];
  return session.query(queries.laneEvents, values, signal);
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

function countEvents(
  timeIndex: TimeIndex,
  entities: readonly number[],
  input: Window,
): ReadonlyMap<number, EventCounts> {
  const found = new Map<number, EventCounts>();
  for (const entity of entities) {
    const density = new Int32Array(input.buckets);
    const count = (grade: number): number => timeIndex.addTo(density, { entity, grade }, input);
    const [critical, high, milder] = [count(CRITICAL), count(HIGH), count(HIGH + 1)];
    if (critical + high + milder > 0) found.set(entity, { density, all: critical + high + milder, critical, high });
  }
  return found;
}

/** Of the lanes that have any. */
async function readEventCounts(
  entities: readonly number[],
  { session, input, signal }: Reading,
): Promise<ReadonlyMap<number, EventCounts>> {
  const { start_ns, end_ns, buckets } = input;
  const found = new Map<number, EventCounts>();
  const values = [start_ns, end_ns, listText(entities), BigInt(buckets), clocksOf(input)];
  const { columns, count } = await session.query(queries.laneEventDensity, values, signal);
  const [entity = [], bucket = [], events = [], critical = [], high = []] = columns as readonly number[][];
  for (let row = 0; row < count; row++) {
    const key = entity[row]!;
    let own = found.get(key);
    if (!own) {
      own = { density: new Int32Array(buckets), all: 0, critical: 0, high: 0 };
      found.set(key, own);
    }
    own.density[bucket[row]!] = events[row]!;
    own.all += events[row]!;
    own.critical += critical[row]!;
    own.high += high[row]!;
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
    type: new Int32Array(names.map((name) => places.get(name)!)),
  };
}
