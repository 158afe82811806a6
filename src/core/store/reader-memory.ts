import type { EventFact, Reader } from './reader.ts';

/** Rows of answers that are kept; an event takes some 300 bytes. */
const MOST_ROWS = 1_500_000;
/** Streams are read once, and are too long to keep. */
const passed: ReadonlySet<string> = new Set<keyof Reader>(['logBodies']);

interface Kept {
  readonly answer: unknown;
  readonly rows: number;
}
interface KeptEvents extends Kept {
  readonly from_ns: bigint;
  readonly to_ns: bigint;
  readonly answer: readonly EventFact[];
}

/**
 * What was read of a case, so that it is not read again: each question is asked once with the same values, events of
 * a time within one that was read already are taken from it. Bounded; what was used longest ago is forgotten first.
 * Good for as long as the case's rows do not change. Only whole answers are kept, none of a question that failed.
 */
export class ReaderMemory {
  private readonly kept = new Map<string, Kept>();
  private rows = 0;

  over(reader: Reader): Reader {
    type Ask = (...values: readonly unknown[]) => unknown;
    const asks = Object.entries(reader) as [string, Ask][];
    const remembered = asks.map(([name, ask]) => [
      name,
      passed.has(name)
        ? ask
        : (...values: readonly unknown[]) => this.recall(keyOf(name, values), () => ask(...values)),
    ]);
    return {
      ...(Object.fromEntries(remembered) as unknown as Reader),
      events: (from, to) => this.events(reader, from, to),
    };
  }

  /** For an answer that is no longer true while all others are. */
  forget(name: keyof Reader): void {
    for (const [key, { rows }] of this.kept) {
      if (!key.startsWith(`${name} `)) continue;
      this.kept.delete(key);
      this.rows -= rows;
    }
  }

  private async recall(key: string, ask: () => unknown): Promise<unknown> {
    const known = this.kept.get(key);
    if (known) {
      this.keep(key, known);
      return known.answer;
    }
    const answer = await ask();
    this.keep(key, { answer, rows: Array.isArray(answer) ? answer.length : 1 });
    return answer;
  }

  private async events(reader: Reader, from_ns: bigint, to_ns: bigint): Promise<EventFact[]> {
    for (const [key, known] of this.kept) {
      if (!isEvents(known) || known.from_ns > from_ns || known.to_ns < to_ns) continue;
      this.keep(key, known);
      if (known.from_ns === from_ns && known.to_ns === to_ns) return [...known.answer];
      return known.answer.filter(({ time_ns }) => time_ns >= from_ns && time_ns <= to_ns);
    }
    const answer = await reader.events(from_ns, to_ns);
    const kept: KeptEvents = { answer, rows: answer.length, from_ns, to_ns };
    this.keep(keyOf('events', [from_ns, to_ns]), kept);
    return answer;
  }

  private keep(key: string, kept: Kept): void {
    this.rows += kept.rows - (this.kept.get(key)?.rows ?? 0);
    this.kept.delete(key);
    this.kept.set(key, kept);
    for (const [oldest, { rows }] of this.kept) {
      if (this.rows <= MOST_ROWS || oldest === key) break;
      this.kept.delete(oldest);
      this.rows -= rows;
    }
  }
}

const isEvents = (kept: Kept): kept is KeptEvents => 'from_ns' in kept;

const keyOf = (name: string, values: readonly unknown[]): string =>
  `${name} ${JSON.stringify(values, (_key, value) => (typeof value === 'bigint' ? `${value}n` : value))}`;
