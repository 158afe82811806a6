import { z } from 'zod';
import { anyNanos } from '../rows/any-nanos.ts';

/** A reading that an event states while the samples of the same metric and device around it are all far from it. */
export const contradictedReadingSchema = z.object({
  metric: z.string(),
  unit: z.string(),
  /** By the event. */
  stated: z.number(),
  /** By the samples. */
  least: z.number(),
  most: z.number(),
  samples: z.number().int(),
  from_ns: anyNanos,
  to_ns: anyNanos,
  /** Evidence id of the nearest sample. */
  ref: z.string(),
});
export type ContradictedReading = z.infer<typeof contradictedReadingSchema>;
