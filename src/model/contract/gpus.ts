import { z } from 'zod';
import { anyNanos } from '../rows/any-nanos.ts';
import { call } from './procedure.ts';

const float64 = z.instanceof(Float64Array);

const grown = z.number().nullable();
/** Errors of a GPU within a time: by how much its counters grew; null is not recorded. */
export const gpuHealthSchema = z.object({
  xids: z.array(z.object({ xid: z.number().int(), count: z.number().int() })),
  corrected: grown,
  uncorrected: grown,
  remapped: grown,
  nvlink: grown,
  replays: grown,
});
export type GpuHealth = z.infer<typeof gpuHealthSchema>;

export const fleetGpuSchema = z.object({
  /** `gpu:node-3/GPU-1`. */
  entity: z.string(),
  id: z.string(),
  /** Its number in its machine; null: none is stated. */
  slot: z.number().int().nullable(),
  /** What holds it, outermost first, as `kind:id`. */
  within: z.array(z.string()),
  /** Services and jobs that used it in this time, as `kind:id`; of its machine, if the assignment of GPUs is unknown. */
  work: z.array(z.string()),
  /** Pods on it in this time, as `kind:id`; of its machine, if none is linked to it. */
  pods: z.array(z.string()),
  health: gpuHealthSchema,
  /** In this time. */
  events: z.number().int(),
  /** Worst severity among them: 0 critical .. 3 low. */
  worst_severity: z.number().int().nullable(),
});
export type FleetGpu = z.infer<typeof fleetGpuSchema>;

export const fleetDifferenceSchema = z.object({
  /** Places in the list of GPUs; several where all that share their work moved together. */
  gpus: z.array(z.number().int()).min(1),
  /** `peers`: than those that share its work; `fleet`: than itself at other times, less what the fleet did. */
  against: z.enum(['peers', 'fleet']),
  metric: z.string(),
  unit: z.string(),
  /** Medians over the time in which it differed: what it measured, and what was to be expected. */
  value: z.number(),
  typical: z.number(),
  /** Of the time that could be compared, and since when. */
  share: z.number(),
  since_ns: anyNanos,
  /** GPUs that it was compared with, itself among them. */
  others: z.number().int(),
  /** Robust deviations of the others between them. */
  deviations: z.number(),
});
export type FleetDifference = z.infer<typeof fleetDifferenceSchema>;

export const fleetSchema = z.object({
  gpus: z.array(fleetGpuSchema),
  /** What some GPU measured, the usual first. */
  metrics: z.array(z.object({ metric: z.string(), unit: z.string(), gpus: z.number().int() })),
  /** The one whose values these are; null where no GPU measured anything. */
  metric: z.string().nullable(),
  /** How the samples of a bucket become one value. */
  pick: z.enum(['lowest', 'highest']),
  /** `gpus` times buckets, GPU by GPU; NaN where nothing was recorded. */
  values: float64,
  /** GPUs that differ from their peers or from the fleet, the furthest first. */
  differences: z.array(fleetDifferenceSchema),
  /** GPUs with comparable metrics in the time. */
  measured: z.number().int(),
  /** GPUs that were measured long enough for a comparison. */
  compared: z.number().int(),
  /** GPUs that have too few peers to be compared with. */
  alone: z.number().int(),
});
export type Fleet = z.infer<typeof fleetSchema>;

export const gpusContract = {
  /** All GPUs over a time: one of their measurements as a matrix, and who differs in any. */
  'gpus.fleet': call(
    z.object({
      start_ns: anyNanos,
      end_ns: anyNanos,
      buckets: z.number().int().min(1).max(512),
      /** null, or one that no GPU has: the first of `metrics`. */
      metric: z.string().max(1000).nullable().default(null),
    }),
    fleetSchema,
  ),
} as const;
