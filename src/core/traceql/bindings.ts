import type { SqlValue } from '../../model/storage/engine.ts';
import type { Literal, Operator } from '../../model/traceql/syntax.ts';

/** A regular expression of a search, and where it stands in it. */
export interface Pattern {
  readonly text: string;
  readonly at: number;
}

/** The time in which spans are looked for; on the case's clock. */
export interface SearchWindow {
  readonly start_ns: bigint;
  readonly end_ns: bigint;
}

/**
 * Spans that matter to a match without being one (what is called above, below and beside it, the root, the length of its
 * trace) may begin so much before or after the window.
 */
export const RELATED_NS = 600_000_000_000n;

/** What a search binds, and the sets that several of its parts share. No text of a search ever becomes SQL. */
export class Bindings {
  readonly values: SqlValue[] = [];
  readonly patterns: Pattern[] = [];
  private readonly shared = new Map<string, string>();
  private readonly ends = new Map<string, readonly [string, string]>();
  private readonly window: SearchWindow;

  constructor(window: SearchWindow) {
    this.window = window;
  }

  /** Equal values share a parameter: so the engine sees that two terms are the same, and reads the JSON of a span once. */
  bind(value: SqlValue): string {
    const known = this.values.indexOf(value);
    return `$${known >= 0 ? known + 1 : this.values.push(value)}`;
  }

  /** Common table expressions that were asked for, in the order of their use. */
  get commons(): readonly string[] {
    return [...this.shared].map(([name, sql]) => `${name} as materialized (${sql})`);
  }

  /** As text: the engine's library takes every whole number for a 64-bit one, and refuses those that are larger. */
  bindNumber(value: number): string {
    return `${this.bind(String(value))}::double`;
  }

  notePattern(operator: Operator, value: Literal): void {
    if ((operator === '=~' || operator === '!~') && value.kind === 'text')
      this.patterns.push({ text: value.value, at: value.at });
  }

  /** The window is put on each source's own clock, not the spans on the case's: so it meets the zone maps of start_ns. */
  within(span: string, source: string, which: 'window' | 'related'): string {
    const { start_ns, end_ns } = this.window;
    const around = which === 'window' ? 0n : RELATED_NS;
    const [from, to] = this.ends.get(which) ?? [this.bind(start_ns - around), this.bind(end_ns + around)];
    this.ends.set(which, [from, to]);
    return `${span}.start_ns between ${from} - ${source}.clock_offset_ns and ${to} - ${source}.clock_offset_ns`;
  }

  /** The traces of roots for which the condition on `r` holds. */
  roots(condition: string): string {
    return `select r.trace_hi, r.trace_lo from span r join source rs using (source_id) where r.parent_id = 0 and ${this.within('r', 'rs', 'related')} and ${condition}`;
  }

  /** The traces for whose duration the condition holds. */
  traceLengths(condition: string): string {
    this.shared.set(
      'trace_length',
      `select t.trace_hi, t.trace_lo, max(t.end_ns + ts.clock_offset_ns) - min(t.start_ns + ts.clock_offset_ns) as duration_ns
       from span t join source ts using (source_id) where ${this.within('t', 'ts', 'related')} group by all`,
    );
    return `select trace_hi, trace_lo from trace_length where ${condition}`;
  }
}
