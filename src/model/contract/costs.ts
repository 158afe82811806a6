import { z } from 'zod';
import { costGapSchema, costRangeSchema } from '../incident/cost-schema.ts';
import { anyNanos } from '../rows/any-nanos.ts';
import { call } from './procedure.ts';

/** What requests are grouped by; `hour` is UTC. */
export const costDimensions = ['service', 'model', 'tenant', 'route', 'hour'] as const;
export type CostDimension = (typeof costDimensions)[number];

const amounts = {
  requests: z.number().int(),
  /** null: of no GPU known to serve them. */
  gpu_seconds: costRangeSchema.nullable(),
  cost: costRangeSchema.nullable(),
  per_request: costRangeSchema.nullable(),
  input_tokens: z.number().nullable(),
  output_tokens: z.number().nullable(),
  /** Of requests whose spans state tokens, input and output together. */
  per_1k_tokens: costRangeSchema.nullable(),
};

const lineSchema = z.object({
  service: z.string(),
  dimension: z.enum(costDimensions),
  /** null: not recorded. */
  value: z.string().nullable(),
  ...amounts,
});
export type ServingCostLine = z.infer<typeof lineSchema>;

const serviceSchema = z.object({
  service: z.string(),
  gpus: z.number().int(),
  shared_gpus: z.number().int(),
  /** Its GPUs by model; `rate` per GPU and hour with its date and source, null: no line of the catalog names it. */
  gpu_types: z.array(
    z.object({
      model: z.string().nullable(),
      gpus: z.number().int(),
      rate: z
        .object({ low: z.number().nullable(), high: z.number(), as_of: z.string(), source: z.string() })
        .nullable(),
    }),
  ),
  /** Share of the recorded time of the window without any request, 0 to 1, and what its GPUs cost meanwhile. */
  idle_share: z.number(),
  idle_cost: costRangeSchema.nullable(),
  gap: costGapSchema.nullable(),
});
export type ServingService = z.infer<typeof serviceSchema>;

export const servingCostsSchema = z.object({
  currency: z.string(),
  /** Time of the window in which spans were recorded, seconds. */
  window_s: z.number(),
  /** Services with requests in the window. */
  services: z.array(serviceSchema),
  /** Of services with GPUs, by service and dimension, the most GPU time first. */
  lines: z.array(lineSchema),
  /** More lines than are listed. */
  truncated: z.boolean(),
});
export type ServingCosts = z.infer<typeof servingCostsSchema>;

export const costsContract = {
  /** What the requests of a window took of the GPUs that serve them (docs/report.md, Cost). */
  'costs.list': call(
    z.object({
      start_ns: anyNanos,
      end_ns: anyNanos,
      /** As in `report.render`. */
      rates: z.string().max(1_000_000).nullable().default(null),
    }),
    servingCostsSchema,
  ),
} as const;
