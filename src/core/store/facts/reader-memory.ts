import type { EventFact, Reader } from './reader.ts';
import type { Phases } from './software-facts.ts';

/** Rows of answers that are kept; an event takes some 300 bytes. */
const MOST_ROWS = 1_500_000;
/** Of a stream that is kept: what is longer is read anew. */
const MOST_STREAMED = 50_000;
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
 * {@link rowsCame}. Only complete, successful results are cached.
 */
export class ReaderMemory {
  private readonly cached = new Map<string, CachedAnswer>();
  private rows = 0;
  /** Results of queries that span two editions are not cached. */
  private edition = 0;

  over(reader: Reader): Reader {
    type ReaderMethod = (...values: readonly unknown[]) => unknown;
    const readerMethods = Object.entries(reader) as [keyof Reader, ReaderMethod][];
    const remembered = readerMethods.map(([name, run]) => [
      name,
      (...values: readonly unknown[]) => this.recall({ name, values, run: () => run(...values) }),
    ]);
    return {
      ...(Object.fromEntries(remembered) as unknown as Reader),
      events: (from, to) => this.events(reader, from, to),
      logBodies: (phases) => this.stream({ name: 'logBodies', values: [phases], run: () => reader.logBodies(phases) }),
    };
  }

  /** For an answer that is no longer true while all others are. */
  forget(name: keyof Reader): void {
    this.edition++;
    for (const key of this.cached.keys()) if (key.startsWith(`${name} `)) this.drop(key);
  }

  /** The case has more rows, all of this time: what was answered of other times stays true. */
  rowsCame({ from_ns, to_ns }: TimeRange): void {
    this.edition++;
    for (const [key, { about }] of this.cached)
      if (!about || (about.from_ns <= to_ns && about.to_ns >= from_ns)) this.drop(key);
  }

  private drop(key: string): void {
    this.rows -= this.cached.get(key)?.rows ?? 0;
    this.cached.delete(key);
  }

  private async recall({ name, values, run }: CachedQuery<unknown>): Promise<unknown> {
    const key = keyOf(name, values);
    const known = this.cached.get(key);
    if (known) {
      this.store(key, known);
      return known.answer;
    }
    const { edition } = this;
    const answer = await run();
    if (edition === this.edition)
      this.store(key, { answer, rows: Array.isArray(answer) ? answer.length : 1, about: timeOf(name, values) });
    return answer;
  }

  private async *stream<T>({
    name,
    values,
    run: ask,
  }: CachedQuery<AsyncIterable<readonly T[]>>): AsyncIterable<readonly T[]> {
    const key = keyOf(name, values);
    const known = this.cached.get(key);
    if (known) {
      this.store(key, known);
      yield known.answer as readonly T[];
      return;
    }
    const { edition } = this;
    let read: T[] | null = [];
    for await (const rows of ask()) {
      if (read && read.length + rows.length <= MOST_STREAMED) read.push(...rows);
      else read = null;
      yield rows;
    }
    if (read && edition === this.edition)
      this.store(key, { answer: read, rows: read.length, about: timeOf(name, values) });
  }

  private async events(reader: Reader, from_ns: bigint, to_ns: bigint): Promise<EventFact[]> {
    for (const [key, known] of this.cached) {
      if (!isEvents(key, known) || known.about.from_ns > from_ns || known.about.to_ns < to_ns) continue;
      this.store(key, known);
      if (known.about.from_ns === from_ns && known.about.to_ns === to_ns) return [...known.answer];
      return known.answer.filter(({ time_ns }) => time_ns >= from_ns && time_ns <= to_ns);
    }
    const { edition } = this;
    const answer = await reader.events(from_ns, to_ns);
    if (edition === this.edition)
      this.store(keyOf('events', [from_ns, to_ns]), { answer, rows: answer.length, about: { from_ns, to_ns } });
    return answer;
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
  run(): T;
}

function timeOf(name: keyof Reader, values: readonly unknown[]): TimeRange | null {
  const of = bounded[name] as ((...values: readonly unknown[]) => TimeRange) | undefined;
  return of ? of(...values) : null;
}

const isEvents = (key: string, kept: CachedAnswer): kept is CachedEvents =>
  key.startsWith('events ') && kept.about !== null;

const keyOf = (name: string, values: readonly unknown[]): string =>
  `${name} ${JSON.stringify(values, (_key, value) => (typeof value === 'bigint' ? `${value}n` : value))}`;
