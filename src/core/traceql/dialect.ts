import type { SqlValue } from '../../model/storage/engine.ts';
import type { AttributeScope, Condition } from '../../model/traceql/syntax.ts';

export type Comparison = Condition & { kind: 'comparison' };

/** From the SQL of a value to that of a test of it. */
export type TextTest = (value: string) => string;
export type ValueScope = Extract<AttributeScope, 'span' | 'resource' | 'any'>;
export interface Value {
  readonly number: string;
  readonly text: string;
}

/** The columns of a span as SQL. A trace has two, which together identify it. */
export interface SpanColumns {
  readonly trace_hi: string;
  readonly trace_lo: string;
  readonly span_id: string;
  /** Equal to `noParent` of roots. */
  readonly parent_id: string;
  readonly start_ns: string;
  readonly duration_ns: string;
  /** Numbers of OTLP's enumerations. */
  readonly status: string;
  readonly kind: string;
  readonly status_message: string;
  /** Sixteen hexadecimal digits in lower case, and 32. */
  readonly span_text: string;
  readonly parent_text: string;
  readonly trace_text: string;
}

/** The values of a search, as parameters. */
export interface BoundValues {
  readonly dialect: Dialect;
  bind(value: SqlValue): string;
  bindNumber(value: number): string;
}

/** How the tables of an engine state what TraceQL knows of spans; all else of a search is the same SQL. */
export interface Dialect {
  readonly noParent: string;
  readonly semiJoin: string;
  readonly materialized: string;
  /** @param number of the parameter, from 1 */
  parameter(number: number, value: SqlValue): string;
  /** Of a parameter that was bound as text. */
  asNumber(parameter: string): string;
  /** The value of `value` in the row in which `by` is highest. */
  valueOfHighest(value: string, by: string): string;
  /** Id of a trace and reference to a span as texts, from selected columns. */
  traceText(hi: string, lo: string): string;
  spanText(span_id: string): string;
  /** Whether a text matches a pattern of RE2 as a whole. */
  matches(text: string, pattern: string): string;
  /** Where the spans of an alias are read. */
  spans(alias: string): string;
  columns(alias: string): SpanColumns;
  /** Whether a span began between two parameters, ends included. */
  within(alias: string, from: string, to: string): string;
  /** Whether the span is of the trace whose id a parameter is. */
  isOfTrace(alias: string, id: string): string;
  /** Whether a test holds of the name, or of the service, of a span; false where it has none. */
  name(alias: string, test: (text: string) => string): string;
  service(alias: string, test: (text: string) => string): string;
  hasNoService(alias: string): string;
  /** Of the span `s`. */
  attribute(comparison: Comparison, scope: AttributeScope, bound: BoundValues): string;
  /** Whether a test holds of any event, or link, of the span `s`. Times are nanoseconds since its start. */
  anyEvent(test: { readonly name?: TextTest; readonly sinceStart?: TextTest }): string;
  anyLink(test: { readonly trace?: TextTest; readonly span?: TextTest }): string;
  /** Whether a test holds of the instrumentation scope of the span `s`; false where it has none. */
  scope(test: { readonly name?: TextTest; readonly version?: TextTest }): string;
  /** The same as one operand of a join. */
  joined(alias: string): string;
  /** An attribute of a span as a number and as a text; either is NULL where it is none. */
  attributeValue(name: string, scope: ValueScope, bound: BoundValues, alias: string): Value;
  nameValue(alias: string): string;
  serviceValue(alias: string): string;
  scopeValue(part: 'name' | 'version', alias: string): string;
  /** A number of a time bucket, from an expression of nanoseconds and two parameters: where the first begins, and how long each is. */
  bucket(time: string, from: string, step: string): string;
  /** The value below which a share of all lie. */
  quantile(value: string, share: number): string;
  textOfNumber(value: string): string;
  /** A whole number of a trace, by which some of all traces are drawn. */
  traceNumber(hi: string, lo: string): string;
  /** What {@link pairs} reads of the span `s`. */
  readonly sampled: string;
  /**
   * The attributes of the spans of a set with the columns trace, inside and {@link sampled}, as rows: trace, inside, attribute (as a
   * search writes it), value (its first 200 characters), x (how many spans have it).
   */
  pairs(set: string): string;
  /** Rows found from others step by step, each once: those of `next` from the rows `d` that were found before. */
  closure(columns: string, first: string, next: string): string;
}
