import { bisectLeft } from '../../../base/bisect.ts';
import { writeAfter } from '../../../base/times-after.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { rowsOf } from '../case-file/case-file.ts';
import { queries } from '../queries/index.ts';

/** Stretches of equal length; both ends of the window are in it. Nanoseconds on the case's clock. */
export interface Buckets {
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  readonly buckets: number;
}

/** Rows of one entity that are counted together. */
export interface Group {
  readonly entity: number;
  readonly grade: number;
}

/** What is counted: a row answers `entity`, `grade` and `time_ns`. */
const counted = {
  spans: { sql: queries.spanTimes, grades: 2 },
  events: { sql: queries.eventTimes, grades: 3 },
} as const;

/** 8 bytes a row are held. Of more rows than this the database goes on counting. */
const MOST_ROWS = 16_000_000;
/** 104 days: nanoseconds after the first row are exact numbers within them. */
const LONGEST_NS = 2n ** 53n;
/** Numbers of entities are given one after another; other numbers mean a foreign case. */
const MOST_ENTITIES = 4_000_000;

/**
 * Times of all rows of a table in memory, to count those of a window in milliseconds: for five million spans the database takes 60
 * to 90 ms, and the timeline queries on every key.
 */
export class TimeIndex {
  private readonly grades: number;
  private readonly origin_ns: bigint;
  /** After the first of all, ascending within each group. */
  private readonly times: Float64Array;
  /** Where the group at `entity * grades + grade` begins; the next one begins where it ends. */
  private readonly begins: Uint32Array;

  private constructor(grades: number, origin_ns: bigint, times: Float64Array, begins: Uint32Array) {
    this.grades = grades;
    this.origin_ns = origin_ns;
    this.times = times;
    this.begins = begins;
  }

  /** @returns null where they are too many, lie too far apart, or could not all be read */
  static async read(session: Session, of: keyof typeof counted, signal: AbortSignal): Promise<TimeIndex | null> {
    const { sql, grades } = counted[of];
    const [extent] = rowsOf<Extent>(await session.query(extentOf(sql), [], signal));
    if (!extent || !fitsInMemory(extent)) return null;
    const { rows, origin_ns, entities } = extent;
    const times = new Float64Array(rows);
    const begins = new Uint32Array(entities * grades + 1).fill(rows);
    let at = 0;
    let entered = 0;
    for await (const { count, columns } of session.stream(`${sql} order by entity, grade, time_ns`, shape)) {
      signal.throwIfAborted();
      const { entity, grade, time_ns } = columns as unknown as Row;
      if (at + count > rows) return null;
      writeAfter(time_ns, origin_ns, times.subarray(at, at + count));
      for (let row = 0; row < count; row++) {
        const group = entity[row]! * grades + grade[row]!;
        while (entered <= group) begins[entered++] = at + row;
      }
      at += count;
    }
    return at === rows ? new TimeIndex(grades, origin_ns, times, begins) : null;
  }

  /** Adds the rows of a group to `counts`, by bucket; answers how many they are. */
  addTo(counts: Int32Array, { entity, grade }: Group, { start_ns, end_ns, buckets }: Buckets): number {
    const group = entity * this.grades + grade;
    const own = this.times.subarray(this.begins[group] ?? 0, this.begins[group + 1] ?? 0);
    const start = Number(start_ns - this.origin_ns);
    const end = Number(end_ns - this.origin_ns);
    const width = Math.max(Number(end_ns - start_ns), 1);
    const first = bisectLeft(own, start);
    let at = first;
    for (let time = own[at]; time !== undefined && time <= end; time = own[++at]) {
      const bucket = Math.min(Math.floor(((time - start) * buckets) / width), buckets - 1);
      counts[bucket] = counts[bucket]! + 1;
    }
    return at - first;
  }
}

/** What the timeline counts at every key. */
export interface CaseTimeIndex {
  readonly spans: TimeIndex;
  readonly events: TimeIndex;
}

/** Null where one of them is not to be had. */
export async function readCaseTimeIndex(session: Session, signal: AbortSignal): Promise<CaseTimeIndex | null> {
  const events = await TimeIndex.read(session, 'events', signal);
  const spans = events && (await TimeIndex.read(session, 'spans', signal));
  return spans && { events, spans };
}

const shape = { entity: 'i32', grade: 'u8', time_ns: 'i64' } as const;

interface Row {
  readonly entity: Int32Array;
  readonly grade: Uint8Array;
  readonly time_ns: BigInt64Array;
}

interface Extent {
  readonly rows: number;
  readonly origin_ns: bigint;
  readonly last_ns: bigint;
  /** One more than the largest. */
  readonly entities: number;
}

const fitsInMemory = ({ rows, origin_ns, last_ns, entities }: Extent): boolean =>
  rows <= MOST_ROWS && last_ns - origin_ns <= LONGEST_NS && entities <= MOST_ENTITIES;

const extentOf = (sql: string): string =>
  `select count(*)::integer as rows, coalesce(min(time_ns), 0)::bigint as origin_ns,
     coalesce(max(time_ns), 0)::bigint as last_ns, coalesce(max(entity) + 1, 0)::integer as entities
   from (${sql})`;
