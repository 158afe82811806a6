import { z } from 'zod';
import { severities } from '../entity.ts';
import { anyNanos } from '../rows/any-nanos.ts';
import { tokenMarkKinds } from '../telemetry/token-marks.ts';
import { call } from './procedure.ts';

const float64 = z.instanceof(Float64Array);

const sample = z.object({ value: z.number(), time_ns: anyNanos });

/** What one metric of the hardware or server did while nothing came. */
const gapLaneSchema = z.object({
  /** `gpu:node-1/GPU-0` */
  entity: z.string(),
  /** A common metric, or the quantity that spans state. */
  metric: z.string(),
  unit: z.string(),
  replica: z.string(),
  from: z.enum(['metric', 'spans']),
  /** Of the samples within the gap; null: none was taken in it. */
  within: z.object({ low: z.number(), high: z.number(), samples: z.number().int() }).nullable(),
  /** The last sample until the gap, and the first from its end on; null: none near. */
  before: sample.nullable(),
  after: sample.nullable(),
  /** Median of the samples of the rest of the request; null: there is none. */
  usual: z.number().nullable(),
});
export type GapLane = z.infer<typeof gapLaneSchema>;

const gapEventSchema = z.object({
  ref: z.string(),
  entity: z.string(),
  type: z.string(),
  severity: z.enum(severities),
  message: z.string(),
  time_ns: anyNanos,
});

const hardwareSchema = z.object({
  lanes: z.array(gapLaneSchema),
  /** Of the same GPUs, machines and pods, from a minute before the gap until its end; the latest first. */
  events: z.array(gapEventSchema),
  events_left_out: z.number().int(),
  /** Whether the trace names a host or pod; if not, all that serve its services are listed. */
  named: z.boolean(),
});
export type GapHardware = z.infer<typeof hardwareSchema>;

const requestSchema = z.object({
  /** Span id as hex. */
  span_id: z.string(),
  service: z.string().nullable(),
  name: z.string().nullable(),
  start_ns: anyNanos,
  end_ns: anyNanos,
  /** What the marks are, the finest that are recorded; null: none, only the time to the first is stated. */
  pieces: z.enum(tokenMarkKinds).nullable(),
  /** Marks of that kind. */
  count: z.number().int(),
  /** Tokens of the answer as the request states them; null: it does not. */
  output_tokens: z.number().nullable(),
  /** From the start of the request to the first mark, seconds; null: no mark. */
  first_s: z.number().nullable(),
  /** The same as the request states it. */
  stated_first_s: z.number().nullable(),
  /** Of the times between marks, seconds; null: too few marks. */
  median_gap_s: z.number().nullable(),
  p99_gap_s: z.number().nullable(),
  /** The longest time between two marks; `after`: marks before it. */
  longest: z.object({ from_ns: anyNanos, until_ns: anyNanos, seconds: z.number(), after: z.number().int() }).nullable(),
  /** The longest time between marks in each of at most 600 parts of the answer: when it ends, nanoseconds after the start, and seconds. */
  gap_ends_ns: float64,
  gaps_s: float64,
  /** During the longest gap; null: not asked for this request. */
  hardware: hardwareSchema.nullable(),
});
export type TokenRequest = z.infer<typeof requestSchema>;

const tokensSchema = z.object({
  /** The longest gap first. */
  requests: z.array(requestSchema),
  /** Requests beyond these, and whether marks were left out: then figures are of those that were read. */
  left_out: z.number().int(),
  truncated: z.boolean(),
});
export type TokenTimes = z.infer<typeof tokensSchema>;

export const tokensContract = {
  /** When the pieces of each answer of one trace came, and what the hardware did in the longest gaps. @throws ProblemError case.none_open */
  'trace.tokens': call(z.object({ trace_id: z.string().regex(/^[0-9a-f]{1,32}$/i) }), tokensSchema),
} as const;
