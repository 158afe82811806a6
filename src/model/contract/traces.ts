import { z } from 'zod';
import { LONGEST_SEARCH } from '../traceql/parse-search.ts';
import { call } from './procedure.ts';

/** One trace that a search found. */
export const foundTraceSchema = z.object({
  /** 32 hex digits. */
  trace_id: z.string(),
  /** Of the root; where no root was recorded, of the span that began first. null: not recorded. */
  root_service: z.string().nullable(),
  root_name: z.string().nullable(),
  root_recorded: z.boolean(),
  /** On the case's clock. */
  start_ns: z.bigint(),
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
});
export type FoundTrace = z.infer<typeof foundTraceSchema>;

export const traceOrders = ['earliest', 'slowest', 'most_matched'] as const;

export const tracesContract = {
  /**
   * TraceQL over the spans that begin in a window. ProblemError `traceql.…` names the character in its place
   * (`offsetOf` of model/traceql/problem.ts).
   */
  'traces.search': call(
    z.object({
      query: z.string().max(LONGEST_SEARCH),
      /** null: from the first, or to the last, of the case. */
      start_ns: z.bigint().nullable().default(null),
      end_ns: z.bigint().nullable().default(null),
      /** Which traces are told when there are more than the limit: by their first, their longest, or how many spans match. */
      order: z.enum(traceOrders).default('slowest'),
      limit: z.number().int().min(1).max(5000).default(500),
    }),
    z.object({
      /** In the order that was asked for. */
      traces: z.array(foundTraceSchema),
      /** All that were found, also those beyond the limit. */
      trace_count: z.number(),
      span_count: z.number(),
      truncated: z.boolean(),
    }),
  ),
} as const;
