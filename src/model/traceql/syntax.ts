/** What a search asks of spans, as a tree. `at` is the offset of its first character in the text of the search. */

export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | '=~' | '!~';

/** Where an attribute is looked for; `any`: at the span, else at its resource. */
export type AttributeScope = 'span' | 'resource' | 'any';

/** What every span, or its trace, has without any attribute; by the kind of value it is compared with. */
export const intrinsics = {
  name: 'text',
  statusMessage: 'text',
  rootName: 'text',
  rootServiceName: 'text',
  spanId: 'text',
  traceId: 'text',
  duration: 'duration',
  traceDuration: 'duration',
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

export type Field =
  | { readonly kind: 'attribute'; readonly scope: AttributeScope; readonly name: string; readonly at: number }
  | { readonly kind: 'intrinsic'; readonly name: Intrinsic; readonly at: number };

export type Literal =
  | { readonly kind: 'text'; readonly value: string; readonly at: number }
  | { readonly kind: 'number'; readonly value: number; readonly at: number }
  /** Nanoseconds. */
  | { readonly kind: 'duration'; readonly value: number; readonly at: number }
  | { readonly kind: 'boolean'; readonly value: boolean; readonly at: number }
  | { readonly kind: 'nil'; readonly at: number }
  | { readonly kind: 'status'; readonly value: SpanStatus; readonly at: number }
  | { readonly kind: 'kind'; readonly value: SpanKind; readonly at: number };

export type Condition =
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

/** How two sets of spans of one trace are put together; the spans of the right side are the answer, of `&&` and `||` both. */
export type Relation = '&&' | '||' | '>' | '>>' | '<' | '<<' | '~';

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

/** What must hold of the spans that were found in a trace: `count() > 2`, `avg(duration) > 1s` (nanoseconds). */
export interface Stage {
  readonly measure: Measure;
  readonly operator: Exclude<Operator, '=~' | '!~'>;
  readonly value: number;
}

export interface TraceSearch {
  readonly spans: SpanSet;
  readonly stages: readonly Stage[];
}
