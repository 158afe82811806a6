import { z } from 'zod';
import { anyNanos } from '../rows/any-nanos.ts';
import { LONGEST_SEARCH } from '../traceql/syntax.ts';
import { call, stream } from './procedure.ts';

/** One trace that a search found. */
export const foundTraceSchema = z.object({
  /** 32 hex digits. */
  trace_id: z.string(),
  /** Of the root; where no root was recorded, of the span that began first. null: not recorded. */
  root_service: z.string().nullable(),
  root_name: z.string().nullable(),
  root_recorded: z.boolean(),
  /** On the case's clock. */
  start_ns: anyNanos,
  /** From the first beginning to the last end of its spans, whatever the window. */
  duration_ms: z.number(),
  spans: z.number(),
  errors: z.number(),
  services: z.number(),
  /** Spans that the search found in it. */
  matched: z.number(),
  /** Evidence id of the longest of these. */
  ref: z.string(),
  longest_ms: z.number(),
  /** Of this span, what `| select(…)` asked for; absent without it. */
  selected: z.array(z.string()).optional(),
});
export type FoundTrace = z.infer<typeof foundTraceSchema>;

export const traceMetricSchema = z.object({
  start_ns: anyNanos,
  step_ns: anyNanos,
  /** `1/s`, `s` or ''. */
  unit: z.string(),
  /** Highest mean first, or lowest after `bottomk`. */
  series: z.array(
    z.object({
      labels: z.array(z.object({ name: z.string(), value: z.string() })),
      /** One for each bucket; null: no span, or not what the search asks of a point. */
      values: z.array(z.number().nullable()),
    }),
  ),
  /** Series that are not listed. */
  omitted: z.number(),
  /** Of `compare()`: what differs; its series are how many spans each side has. */
  comparison: z
    .object({
      /** Spans read of each side; of more than 100,000, whole traces of one in `share`. */
      selection: z.number(),
      baseline: z.number(),
      share: z.number().int(),
      /** Greatest difference of shares first. */
      values: z.array(
        z.object({
          /** As a search writes it. */
          attribute: z.string(),
          value: z.string(),
          /** Spans of each side that have it. */
          selection: z.number(),
          baseline: z.number(),
          /** False-discovery rate of such a difference of shares, by traces; null: a side is empty. */
          chance: z.number().nullable(),
        }),
      ),
      /** Attributes of which not all values are listed, and how many each has. */
      cut: z.array(z.object({ attribute: z.string(), values: z.number() })),
    })
    .optional(),
});
export type TraceMetric = z.infer<typeof traceMetricSchema>;

export const tracesFoundSchema = z.object({
  /** In the order that was asked for. */
  traces: z.array(foundTraceSchema),
  /** What `selected` of each is, as it stands in the search. */
  fields: z.array(z.string()).optional(),
  /** All that were found, also those beyond the limit. */
  trace_count: z.number(),
  span_count: z.number(),
  truncated: z.boolean(),
});

export const traceOrders = ['earliest', 'slowest', 'most_matched'] as const;

const float64 = z.instanceof(Float64Array);
const int32 = z.instanceof(Int32Array);
const extent = z.object({ start_ns: anyNanos, end_ns: anyNanos });

/**
 * Spans summed by call path (service and name of the root, of its child, …), parents before children; every column has one
 * entry a path. `time_ms` is the self time of a path and of all below it: the width in a flame graph.
 */
export const flameSchema = z.object({
  /** What was counted: spans are summed in slices of 1.07 s, and a window takes every slice that it touches. */
  window: extent,
  baseline: extent.nullable(),
  /** Of the window's traces that were looked at; below 1 all sums are those of the looked at, for as many spans as the window has. */
  share: z.number().min(0).max(1),
  /** Self time of all spans of the window, also of paths that are left out. */
  all_ms: z.number(),
  /** Paths below the asked share, and their self time within the window. */
  hidden: z.number(),
  hidden_ms: z.number(),
  /** Index of the path above; -1: a root. */
  parent: int32,
  /** 1: a root. */
  depth: int32,
  /** 1: stands for all rarer children of its parent, with what is below them. */
  is_other: z.instanceof(Uint8Array),
  service: z.array(z.string().nullable()),
  name: z.array(z.string().nullable()),
  spans: float64,
  errors: float64,
  /** Durations of the spans, in which their children's are contained. */
  total_ms: float64,
  self_ms: float64,
  time_ms: float64,
  /** The same of the baseline; 0 without one. */
  base_spans: float64,
  base_errors: float64,
  base_total_ms: float64,
  base_self_ms: float64,
  base_time_ms: float64,
});
export type Flame = z.infer<typeof flameSchema>;

/** A service in the traces of a window. */
const serviceNodeSchema = z.object({
  service: z.string(),
  /** Calls that it answered, from other services or from outside. */
  calls: z.number(),
  errors: z.number(),
  /** null: it only calls. */
  p50_ms: z.number().nullable(),
  p95_ms: z.number().nullable(),
});

/** What one service asked of another. */
const serviceCallSchema = z.object({
  /** null: from outside of what was recorded. */
  caller: z.string().nullable(),
  callee: z.string(),
  calls: z.number(),
  errors: z.number(),
  /** How long the callee took. */
  p50_ms: z.number(),
  p95_ms: z.number(),
});
export type ServiceCall = z.infer<typeof serviceCallSchema>;

export const serviceGraphSchema = z.object({
  services: z.array(serviceNodeSchema),
  calls: z.array(serviceCallSchema),
  /** Length of the window, for rates. */
  seconds: z.number(),
  /** One trace of so many was read: above 1 counts are estimates. */
  share: z.number().int(),
});
export type ServiceGraph = z.infer<typeof serviceGraphSchema>;

/** null: from the first, or to the last, of the case. */
const window = { start_ns: anyNanos.nullable().default(null), end_ns: anyNanos.nullable().default(null) };

const flameInput = z.object({
  start_ns: anyNanos,
  end_ns: anyNanos,
  /** Time to compare with. */
  baseline: extent.nullable().default(null),
  /** Paths that take less of all time are left out. */
  min_share: z.number().min(0).max(1).default(0.001),
});

export const tracesContract = {
  /**
   * TraceQL over the spans that begin in a window. ProblemError `traceql.…` names the character in its place
   * (`offsetOf` of model/traceql/problem.ts).
   */
  'traces.search': call(
    z.object({
      query: z.string().max(LONGEST_SEARCH),
      /** null: from the first, or to the last, of the case. */
      start_ns: anyNanos.nullable().default(null),
      end_ns: anyNanos.nullable().default(null),
      /** Order of traces beyond the limit: by start, duration, or matching spans. */
      order: z.enum(traceOrders).default('slowest'),
      limit: z.number().int().min(1).max(5000).default(500),
    }),
    tracesFoundSchema,
  ),
  /** A search that ends with a metric (`| rate() by (name)`, `| compare({ status = error })`) as series over time; `traces.search` refuses one. */
  'traces.metric': call(
    z.object({
      query: z.string().max(LONGEST_SEARCH),
      start_ns: anyNanos.nullable().default(null),
      end_ns: anyNanos.nullable().default(null),
      buckets: z.number().int().min(1).max(1000).default(60),
    }),
    traceMetricSchema,
  ),
  /** Attributes that spans of a window have, most spans first: to complete a search. */
  'traces.tags': call(
    z.object(window),
    z.array(z.object({ scope: z.enum(['span', 'resource']), name: z.string(), spans: z.number() })),
  ),
  /** Values of a field as a search writes it, most spans first; [] where it has none of its own. */
  'traces.values': call(
    z.object({
      ...window,
      field: z.string().max(LONGEST_SEARCH),
      /** In the value; case does not matter. */
      text: z.string().max(LONGEST_SEARCH).default(''),
    }),
    z.array(z.object({ value: z.string(), is_number: z.boolean(), spans: z.number() })),
  ),
  /** Which service called which in the traces of a window. */
  'traces.services': call(z.object(window), serviceGraphSchema),
  /** Makes what flame graphs are read from, once per state of the case; ends when it is there. Spans done, of all. */
  'traces.prepare': stream(z.object({}), z.object({ done: z.number(), total: z.number() })),
  'traces.flame': call(flameInput, flameSchema),
  /**
   * The same at once, from as many of the window's traces as half a second allows, often from all of them. null: the paths of
   * the whole case are there already, or even a few traces are too large.
   */
  'traces.flameEstimate': call(flameInput, flameSchema.nullable()),
} as const;
