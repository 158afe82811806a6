import type { TraceEvent } from './format.ts';

/** A slice of time on a track: where it began, and where it ended unless the recording did first. */
export interface Slice {
  /** In the order in which slices begin in the file. */
  readonly index: number;
  readonly begin: TraceEvent;
  readonly end: TraceEvent | undefined;
}

interface Open {
  readonly index: number;
  readonly begin: TraceEvent;
}

/**
 * Puts the beginnings and ends of a file's events together. Both passes over a file run through this, so that a slice
 * has the same number in both; only what is open is held.
 */
export class Pairing {
  count = 0;
  /** Ends without a beginning: the recording started in between. */
  unmatched = 0;
  private readonly threads = new Map<string, Open[]>();
  private readonly flights = new Map<string, Open[]>();

  /** Number of the asynchronous slice that encloses what happens next under this id; -1: none. */
  enclosing(event: TraceEvent): number {
    return this.flights.get(event.id)?.at(-1)?.index ?? -1;
  }

  /** The slice that an event opens, if any: its number. */
  opens(event: TraceEvent): number {
    if (event.phase === 'complete') return this.count++;
    if (event.phase !== 'begin' && event.phase !== 'async begin') return -1;
    const stacks = event.phase === 'begin' ? this.threads : this.flights;
    const key = event.phase === 'begin' ? `${event.pid}\n${event.tid}` : event.id;
    const stack = stacks.get(key);
    const open = { index: this.count++, begin: event };
    if (stack) stack.push(open);
    else stacks.set(key, [open]);
    return open.index;
  }

  /** The slice that an event closes, if any. Call after {@link opens}. */
  closes(event: TraceEvent): Slice | undefined {
    if (event.phase === 'complete') return { index: this.count - 1, begin: event, end: undefined };
    if (event.phase === 'end') return this.close(this.threads, `${event.pid}\n${event.tid}`, event);
    return event.phase === 'async end' ? this.close(this.flights, event.id, event) : undefined;
  }

  /** What the recording never saw the end of. */
  *rest(): Generator<Slice> {
    for (const stacks of [this.threads, this.flights])
      for (const stack of stacks.values()) for (const open of stack) yield { ...open, end: undefined };
  }

  private close(stacks: Map<string, Open[]>, key: string, end: TraceEvent): Slice | undefined {
    const stack = stacks.get(key);
    // Ends may leave out the name; asynchronous ones that have it may cross each other.
    const at = stack?.findLastIndex(({ begin }) => end.name === '' || begin.name === end.name) ?? -1;
    const open = stack && (at >= 0 ? stack.splice(at, 1)[0] : end.phase === 'end' ? stack.pop() : undefined);
    if (stack?.length === 0) stacks.delete(key);
    if (!open) this.unmatched++;
    return open ? { ...open, end } : undefined;
  }
}
