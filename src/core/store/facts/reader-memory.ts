import type { EventFact, Reader } from './reader.ts';
import type { Phases } from './software-facts.ts';

/** Rows of answers that are kept; an event takes some 300 bytes. */
const MOST_ROWS = 1_500_000;
/** Of a stream that is kept: what is longer is read anew. */
const MOST_STREAMED = 50_000;
/** Remembered, to judge the answers of readers that began before them; a reader that is older caches nothing. */
const MOST_CHANGES = 1000;
/** Spans count as children of what began up to a minute before them (span-shifts.sql). */
const REACH_NS = 60_000_000_000n;

/** Nanoseconds on the case's clock, both ends inclusive. */
export interface TimeRange {
  readonly from_ns: bigint;
  readonly to_ns: bigint;
}
interface CachedAnswer {
  readonly answer: unknown;
  readonly rows: number;
  /** Rows of other times leave it as it is; null: any new row may change it. */
  readonly about: TimeRange | null;
  /** Of the reader that read it: older ones do not see all of its rows. */
  readonly edition: number;
}
/** New rows of these times, or of no time; or a query whose answer changed. */
interface Change {
  readonly edition: number;
  readonly name: keyof Reader | null;
  readonly times: TimeRange | null;
}
interface CachedEvents extends CachedAnswer {
  readonly about: TimeRange;
  readonly answer: readonly EventFact[];
}

const between = (from_ns: bigint, to_ns: bigint): TimeRange => ({ from_ns, to_ns });
const within = ({ before_from_ns, before_to_ns, window_from_ns, window_to_ns }: Phases): TimeRange => ({
  from_ns: before_from_ns < window_from_ns ? before_from_ns : window_from_ns,
  to_ns: (before_to_ns > window_to_ns ? before_to_ns : window_to_ns) + REACH_NS,
});
/** Queries with a time range. */
const bounded: { readonly [N in keyof Reader]?: (...values: Parameters<Reader[N]>) => TimeRange } = {
  events: between,
  samplingFloors: between,
  // Parents may have begun long before.
  calls: (_from_ns, to_ns) => ({ from_ns: -(2n ** 63n), to_ns }),
  spanShifts: within,
  spanSteps: within,
  metricShifts: within,
  logBodies: within,
};

/**
 * Cache of query results of a case: each query runs once per set of values, and events of a range within a cached range are
 * taken from it. Bounded, least recently used first. Valid as long as the case's rows do not change, except by
 * {@link rowsCame}. Only complete, successful results are cached. A reader that holds an older state of the case keeps reading
 * that state: what changed since is neither cached from it nor given to it.
 */
export class ReaderMemory {
  private readonly cached = new Map<string, CachedAnswer>();
  private readonly changes: Change[] = [];
  private rows = 0;
  private current = 0;

  /** Number of changes so far: which state of the case a reader sees that begins now. */
  get edition(): number {
    return this.current;
  }

  /** @param edition taken before the reader could see any row */
  over(reader: Reader, edition = this.edition): Reader {
    type ReaderMethod = (...values: readonly unknown[]) => unknown;
    const readerMethods = Object.entries(reader) as [keyof Reader, ReaderMethod][];
    const remembered = readerMethods.map(([name, run]) => [
      name,
      (...values: readonly unknown[]) => this.recall({ name, values, edition, run: () => run(...values) }),
    ]);
    return {
      ...(Object.fromEntries(remembered) as unknown as Reader),
      events: (from, to) => this.events(reader, between(from, to), edition),
      logBodies: (phases) =>
        this.stream({ name: 'logBodies', values: [phases], edition, run: () => reader.logBodies(phases) }),
    };
  }

  /** For an answer that is no longer true while all others are. */
  forget(name: keyof Reader): void {
    this.note({ name, times: null });
    for (const key of this.cached.keys()) if (key.startsWith(`${name} `)) this.drop(key);
  }

  /** The case has more rows, all of this time, or (null) of no time: what was answered of other times stays true. */
  rowsCame(times: TimeRange | null): void {
    this.note({ name: null, times });
    for (const [key, { about }] of this.cached) if (touches(times, about)) this.drop(key);
  }

  private note(change: Omit<Change, 'edition'>): void {
    this.changes.push({ ...change, edition: ++this.current });
    if (this.changes.length > MOST_CHANGES) this.changes.shift();
  }

  /** Whether an answer of an edition still holds. */
  private holds(query: keyof Reader, { about, edition }: CachedAnswer): boolean {
    if (edition + this.changes.length < this.current) return false;
    return this.changes
      .slice(this.changes.length - (this.current - edition))
      .every(({ name, times }) => (name === null ? !touches(times, about) : name !== query));
  }

  private known(key: string, edition: number): CachedAnswer | undefined {
    const known = this.cached.get(key);
    return known && known.edition <= edition ? known : undefined;
  }

  private drop(key: string): void {
    this.rows -= this.cached.get(key)?.rows ?? 0;
    this.cached.delete(key);
  }

  private async recall({ name, values, edition, run }: CachedQuery<unknown>): Promise<unknown> {
    const key = keyOf(name, values);
    const known = this.known(key, edition);
    if (known) {
      this.store(key, known);
      return known.answer;
    }
    const answer = await run();
    const rows = Array.isArray(answer) ? answer.length : 1;
    this.offer({ name, values }, { answer, rows, about: timeOf(name, values), edition });
    return answer;
  }

  private async *stream<T>({
    name,
    values,
    edition,
    run: ask,
  }: CachedQuery<AsyncIterable<readonly T[]>>): AsyncIterable<readonly T[]> {
    const key = keyOf(name, values);
    const known = this.known(key, edition);
    if (known) {
      this.store(key, known);
      yield known.answer as readonly T[];
      return;
    }
    let read: T[] | null = [];
    for await (const rows of ask()) {
      if (read && read.length + rows.length <= MOST_STREAMED) read.push(...rows);
      else read = null;
      yield rows;
    }
    if (read) this.offer({ name, values }, { answer: read, rows: read.length, about: timeOf(name, values), edition });
  }

  private async events(reader: Reader, about: TimeRange, edition: number): Promise<EventFact[]> {
    const { from_ns, to_ns } = about;
    for (const [key, known] of this.cached) {
      if (
        known.edition > edition ||
        !isEvents(key, known) ||
        known.about.from_ns > from_ns ||
        known.about.to_ns < to_ns
      )
        continue;
      this.store(key, known);
      if (known.about.from_ns === from_ns && known.about.to_ns === to_ns) return [...known.answer];
      return known.answer.filter(({ time_ns }) => time_ns >= from_ns && time_ns <= to_ns);
    }
    const answer = await reader.events(from_ns, to_ns);
    this.offer({ name: 'events', values: [from_ns, to_ns] }, { answer, rows: answer.length, about, edition });
    return answer;
  }

  /** Caches an answer that still holds, unless a newer reader did. */
  private offer({ name, values }: Pick<CachedQuery<unknown>, 'name' | 'values'>, found: CachedAnswer): void {
    const key = keyOf(name, values);
    if (!this.cached.has(key) && this.holds(name, found)) this.store(key, found);
  }

  private store(key: string, cached: CachedAnswer): void {
    this.rows += cached.rows - (this.cached.get(key)?.rows ?? 0);
    this.cached.delete(key);
    this.cached.set(key, cached);
    for (const oldest of this.cached.keys()) {
      if (this.rows <= MOST_ROWS || oldest === key) break;
      this.drop(oldest);
    }
  }
}

interface CachedQuery<T> {
  readonly name: keyof Reader;
  readonly values: readonly unknown[];
  readonly edition: number;
  run(): T;
}

const touches = (times: TimeRange | null, about: TimeRange | null): boolean =>
  !about || (times !== null && about.from_ns <= times.to_ns && about.to_ns >= times.from_ns);

function timeOf(name: keyof Reader, values: readonly unknown[]): TimeRange | null {
  const of = bounded[name] as ((...values: readonly unknown[]) => TimeRange) | undefined;
  return of ? of(...values) : null;
}

const isEvents = (key: string, kept: CachedAnswer): kept is CachedEvents =>
  key.startsWith('events ') && kept.about !== null;

const keyOf = (name: string, values: readonly unknown[]): string =>
  `${name} ${JSON.stringify(values, (_key, value) => (typeof value === 'bigint' ? `${value}n` : value))}`;
