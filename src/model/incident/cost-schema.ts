import { z } from 'zod';

/** What can be opened in the app and resolved by `evidence.get`. */
const refs = z.array(z.string());

/** Prices, or GPU time, as ranges as far as they are known. USD or whatever currency the rates are in. */
export const costRangeSchema = z.object({
  /** null: no lower bound is known. */
  low: z.number().nullable(),
  high: z.number(),
});
export type CostRange = z.infer<typeof costRangeSchema>;

export const costLineSchema = z.object({
  incident: z.string(),
  /** `service:llama`, `job:train-7`. */
  work: z.string(),
  /** As it was recorded; null if not recorded. */
  model: z.string().nullable(),
  gpus: z.number().int(),
  /** From the latest to the earliest onset that the measurements allow. */
  gpu_hours: z.object({ low: z.number(), high: z.number() }),
  /** null: no rate is known for this model. */
  cost: costRangeSchema.nullable(),
  rate: z.object({ low: z.number().nullable(), high: z.number(), as_of: z.string(), source: z.string() }).nullable(),
  refs,
});
export type CostLine = z.infer<typeof costLineSchema>;

/** What a request costs is unknown for one of these reasons, the first that holds; the last two leave its GPU time known. */
export const costGapSchema = z.enum(['no_gpus', 'no_throughput', 'no_requests', 'no_rates', 'no_rate_of_gpu']);
export type CostGap = z.infer<typeof costGapSchema>;

/** GPUs that serve a service: exclusive ones, and those shared with other workloads. */
const servingSchema = {
  gpus: z.number().int(),
  shared_gpus: z.number().int(),
};

/** From the service's own GPUs to those it shares as well; `low` null: it shares all of them. */
const gpu_seconds = costRangeSchema.nullable();

/** What one request to a service costs on average: its GPUs are paid for whether they answer or not. */
export const requestCostSchema = z.object({
  /** UTC. */
  time: z.string(),
  ...servingSchema,
  /** Requests a second. */
  throughput_rps: z.number().nullable(),
  gpu_seconds,
  cost: costRangeSchema.nullable(),
  gap: costGapSchema.nullable(),
  refs,
});
export type RequestCost = z.infer<typeof requestCostSchema>;

export const costSchema = z.object({
  currency: z.string(),
  lines: z.array(costLineSchema),
  /** GPUs that several works share are counted once. null: some GPU has no rate, or none is known to be affected. */
  total: costRangeSchema.nullable(),
  total_gpu_hours: z.object({ low: z.number(), high: z.number() }).nullable(),
  /** GPU-hours of training that would have to be done again since the last checkpoint that was recorded. */
  lost_training: z.array(
    z.object({
      work: z.string(),
      gpus: z.number().int(),
      checkpoint: z.string(),
      gpu_hours: z.number(),
      cost: costRangeSchema.nullable(),
      refs,
    }),
  ),
  /** At the last normal measurement, and when throughput was worst. */
  per_request: z.object({ normal: requestCostSchema, worst: requestCostSchema }),
});
export type Cost = z.infer<typeof costSchema>;

/** Token counts of spans (`gen_ai.usage.*`); null: not recorded. */
const tokensSchema = z.object({ input: z.number().nullable(), output: z.number().nullable() }).nullable();
export type Tokens = z.infer<typeof tokensSchema>;

/** What one trace took of the GPUs of one service. */
export const traceServiceCostSchema = z.object({
  service: z.string(),
  /** Spans of the trace by which the service is entered, and how long they lasted together. */
  requests: z.number().int(),
  duration_s: z.number(),
  /** Requests in the service meanwhile, these included: the mean over their time by which it is shared. null: they took no time. */
  in_flight: z.number().nullable(),
  ...servingSchema,
  /** null: of no GPU known to serve it. */
  gpu_seconds,
  cost: costRangeSchema.nullable(),
  gap: costGapSchema.nullable(),
  tokens: tokensSchema,
  /** Of all tokens that were recorded, input and output together. */
  per_1k_tokens: costRangeSchema.nullable(),
  /** The longest of its spans first. */
  refs,
});
export type TraceServiceCost = z.infer<typeof traceServiceCostSchema>;

export const traceCostSchema = z.object({
  currency: z.string(),
  /** Services by what they took, the most first; those without GPUs last. */
  services: z.array(traceServiceCostSchema),
  /** Of the services with GPUs together. null: there is none, or the price of one is unknown. */
  gpu_seconds,
  cost: costRangeSchema.nullable(),
  gap: costGapSchema.nullable(),
});
export type TraceCost = z.infer<typeof traceCostSchema>;

/** What the GPU hours that a job lost cost, with the prices of the catalog behind it. */
export const lostPriceSchema = z.object({
  currency: z.string(),
  /** Of its hours without a step, and of those to do again. null: a GPU has no price, or the hours are unknown. */
  idle: costRangeSchema.nullable(),
  repeated: costRangeSchema.nullable(),
  gap: costGapSchema.nullable(),
  /** By model, null: not recorded; `rate` per GPU and hour, null: no line of the catalog names it. */
  gpu_types: z.array(
    z.object({
      model: z.string().nullable(),
      gpus: z.number().int(),
      rate: z
        .object({ low: z.number().nullable(), high: z.number(), as_of: z.string(), source: z.string() })
        .nullable(),
    }),
  ),
});
export type LostPrice = z.infer<typeof lostPriceSchema>;
