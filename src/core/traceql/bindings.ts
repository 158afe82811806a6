import type { SqlValue } from '../../model/storage/engine.ts';
import type { Literal, Operator } from '../../model/traceql/syntax.ts';
import type { BoundValues, Dialect } from './dialect.ts';

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
export class Bindings implements BoundValues {
  readonly values: SqlValue[] = [];
  readonly patterns: Pattern[] = [];
  readonly dialect: Dialect;
  private readonly shared = new Map<string, string>();
  private readonly ends = new Map<string, readonly [string, string]>();
  private readonly window: SearchWindow;

  constructor(window: SearchWindow, dialect: Dialect) {
    this.window = window;
    this.dialect = dialect;
  }

  /** Equal values share a parameter: so the engine sees that two terms are the same, and reads the JSON of a span once. */
  bind(value: SqlValue): string {
    const known = this.values.indexOf(value);
    return this.dialect.parameter(known >= 0 ? known + 1 : this.values.push(value), value);
  }

  /** Common table expressions that were asked for, in the order of their use. */
  get commons(): readonly string[] {
    return [...this.shared].map(([name, sql]) => `${name} as ${this.dialect.materialized} (${sql})`);
  }

  /** As text: the engine's library takes every whole number for a 64-bit one, and refuses those that are larger. */
  bindNumber(value: number): string {
    return this.dialect.asNumber(this.bind(String(value)));
  }

  notePattern(operator: Operator, value: Literal): void {
    if ((operator === '=~' || operator === '!~') && value.kind === 'text')
      this.patterns.push({ text: value.value, at: value.at });
  }

  within(alias: string, which: 'window' | 'related'): string {
    const { start_ns, end_ns } = this.window;
    const around = which === 'window' ? 0n : RELATED_NS;
    const [from, to] = this.ends.get(which) ?? [this.bind(start_ns - around), this.bind(end_ns + around)];
    this.ends.set(which, [from, to]);
    return this.dialect.within(alias, from, to);
  }

  /** The traces of roots for which the condition on `r` holds. */
  roots(condition: string): string {
    const { trace_hi, trace_lo, parent_id } = this.dialect.columns('r');
    return `select ${trace_hi}, ${trace_lo} from ${this.dialect.spans('r')}
      where ${parent_id} = ${this.dialect.noParent} and ${this.within('r', 'related')} and ${condition}`;
  }

  /** The traces for whose duration the condition holds. */
  traceLengths(condition: string): string {
    const { trace_hi, trace_lo, start_ns, duration_ns } = this.dialect.columns('t');
    this.shared.set(
      'trace_length',
      `select ${trace_hi} as trace_hi, ${trace_lo} as trace_lo, max(${start_ns} + ${duration_ns}) - min(${start_ns}) as duration_ns
       from ${this.dialect.spans('t')} where ${this.within('t', 'related')} group by all`,
    );
    return `select trace_hi, trace_lo from trace_length where ${condition}`;
  }
}
