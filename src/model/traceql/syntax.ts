/** What a search asks of spans, as a tree. `at` is the offset of its first character in the text of the search. */

/** Characters of a search. */
export const LONGEST_SEARCH = 4000;

export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | '=~' | '!~';

/** Where an attribute is looked for; `any`: at the span, else at its resource; `event`, `link`: at any of the span's. */
export type AttributeScope = 'span' | 'resource' | 'any' | 'event' | 'link' | 'instrumentation';

/** What every span, or its trace, has without any attribute; by the kind of value it is compared with. */
export const intrinsics = {
  name: 'text',
  statusMessage: 'text',
  rootName: 'text',
  rootServiceName: 'text',
  spanId: 'text',
  traceId: 'text',
  parentId: 'text',
  eventName: 'text',
  linkSpanId: 'text',
  linkTraceId: 'text',
  scopeName: 'text',
  scopeVersion: 'text',
  duration: 'duration',
  traceDuration: 'duration',
  eventTime: 'duration',
  childCount: 'number',
  status: 'status',
  kind: 'kind',
  nestedSetParent: 'root',
} as const;
export type Intrinsic = keyof typeof intrinsics;

/** In the order of their codes in the case. */
export const spanStatuses = ['unset', 'ok', 'error'] as const;
export const spanKinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
export type SpanStatus = (typeof spanStatuses)[number];
export type SpanKind = (typeof spanKinds)[number];

/** `ofParent`: of the span's parent, as far as that was recorded. */
export type Field =
  | {
      readonly kind: 'attribute';
      readonly scope: AttributeScope;
      readonly name: string;
      readonly at: number;
      readonly ofParent?: true;
    }
  | { readonly kind: 'intrinsic'; readonly name: Intrinsic; readonly at: number; readonly ofParent?: true };

export type Literal =
  | { readonly kind: 'text'; readonly value: string; readonly at: number }
  | { readonly kind: 'number'; readonly value: number; readonly at: number }
  /** Nanoseconds. */
  | { readonly kind: 'duration'; readonly value: number; readonly at: number }
  | { readonly kind: 'boolean'; readonly value: boolean; readonly at: number }
  | { readonly kind: 'nil'; readonly at: number }
  | { readonly kind: 'status'; readonly value: SpanStatus; readonly at: number }
  | { readonly kind: 'kind'; readonly value: SpanKind; readonly at: number };

export type Arithmetic = '+' | '-' | '*' | '/' | '%' | '^';

/** What is compared: durations count as nanoseconds. */
export type Term =
  | Field
  | Literal
  | {
      readonly kind: 'binary';
      readonly operator: Arithmetic;
      readonly left: Term;
      readonly right: Term;
      readonly at: number;
    };

export type Condition =
  /** Of two fields, or of what is calculated; numbers with numbers, else texts with texts. */
  | {
      readonly kind: 'computed';
      readonly left: Term;
      readonly operator: Operator;
      readonly right: Term;
      readonly at: number;
    }
  | {
      readonly kind: 'comparison';
      readonly field: Field;
      readonly operator: Operator;
      readonly value: Literal;
      readonly at: number;
    }
  | { readonly kind: 'and' | 'or'; readonly left: Condition; readonly right: Condition }
  | { readonly kind: 'not'; readonly of: Condition }
  | { readonly kind: 'constant'; readonly value: boolean };

/** How the right one of two spans lies to the left one. */
export type Place = '>' | '>>' | '<' | '<<' | '~';
export const placements: readonly Place[] = ['>', '>>', '<', '<<', '~'];

/**
 * How two sets of spans of one trace are put together; the spans of the right side are the answer, of `&&`, `||` and `&>` both.
 * `!>`: those of the right side that do not lie so.
 */
export type Relation = '&&' | '||' | Place | `!${Place}` | `&${Place}`;

export type SpanSet =
  | { readonly kind: 'filter'; readonly condition: Condition; readonly at: number }
  | {
      readonly kind: 'related';
      readonly relation: Relation;
      readonly left: SpanSet;
      readonly right: SpanSet;
      readonly at: number;
    };

export const measures = ['count', 'avg', 'min', 'max', 'sum'] as const;
export type Measure = (typeof measures)[number];

/** What must hold of the spans that were found in a trace, or in each of its groups: `count() > 2`, `avg(duration) > 1s`. */
export interface MeasureStage {
  readonly kind: 'measure';
  readonly measure: Measure;
  /** What is measured, of `count` nothing. */
  readonly of: Term | null;
  readonly operator: Exclude<Operator, '=~' | '!~'>;
  /** A number; of durations nanoseconds. */
  readonly value: number;
}

export type Stage =
  | MeasureStage
  /** Only the spans that are in this set, too. */
  | { readonly kind: 'filter'; readonly spans: SpanSet }
  /** From here on each trace is measured by groups, until they are put together again. */
  | { readonly kind: 'by'; readonly fields: readonly Field[] }
  | { readonly kind: 'coalesce' }
  /** What is listed of the spans found. */
  | { readonly kind: 'select'; readonly fields: readonly Field[] };

export const overTime = ['rate', 'count', 'sum', 'min', 'max', 'avg', 'quantile', 'histogram'] as const;
export type OverTime = (typeof overTime)[number];

/** Which of the spans found are compared with the others, and by how many values of each attribute. */
export interface CompareMetric {
  readonly function: 'compare';
  readonly selection: SpanSet;
  /** Values of an attribute that are listed, by how often each side has them. */
  readonly most: number;
  /** The selection begins within these, in nanoseconds since 1970; null: anywhere. */
  readonly between: readonly [start: number, end: number] | null;
}

/** A series of numbers over time from the spans found, one for each group. */
export interface SeriesMetric {
  readonly function: OverTime;
  /** What is measured; null of `rate` and `count`. */
  readonly of: Field | null;
  /** Of `quantile`: between 0 and 1. */
  readonly quantiles: readonly number[];
  readonly by: readonly Field[];
  /** Only so many series with the highest (`top`) or lowest mean. */
  readonly limit: { readonly kind: 'top' | 'bottom'; readonly count: number } | null;
  /** Only points for which this holds. */
  readonly where: { readonly operator: MeasureStage['operator']; readonly value: number } | null;
}

export type Metric = SeriesMetric | CompareMetric;

export interface TraceSearch {
  readonly spans: SpanSet;
  readonly stages: readonly Stage[];
  /** The answer is series instead of traces. */
  readonly metric: Metric | null;
  /** The hint `most_recent`: the latest traces first. */
  readonly isLatestFirst: boolean;
}
