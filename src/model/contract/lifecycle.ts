import { z } from 'zod';
import { lifeOutcomes, lifeStages } from '../incident/lifecycle.ts';
import { anyNanos } from '../rows/any-nanos.ts';
import { call } from './procedure.ts';

const stage = z.enum(lifeStages);

/** One health event from its detection to its outcome; the words of `core/analysis/lifecycle/life.ts`. */
export const lifeSchema = z.object({
  ref: z.string(),
  trace_id: z.string().nullable(),
  node: z.string().nullable(),
  trouble: z.string(),
  start_ns: anyNanos,
  end_ns: anyNanos,
  outcome: z.enum(lifeOutcomes),
  why: z.string(),
  steps: z.array(
    z.object({
      stage,
      name: z.string(),
      start_ns: anyNanos,
      end_ns: anyNanos,
      failed: z.boolean(),
      message: z.string(),
      ref: z.string(),
    }),
  ),
  /** Times between steps in which nothing of it was recorded. */
  waits: z.array(z.object({ start_ns: anyNanos, end_ns: anyNanos, after: stage, before: stage })),
});
export type LifeView = z.infer<typeof lifeSchema>;

const untreatedSchema = z.object({
  ref: z.string(),
  node: z.string(),
  trouble: z.string(),
  start_ns: anyNanos,
  count: z.number().int(),
  message: z.string(),
});
export type UntreatedView = z.infer<typeof untreatedSchema>;

export const lifecycleContract = {
  /** Health events that began within a time, and what became of them. */
  'lifecycle.list': call(
    z.object({ start_ns: anyNanos, end_ns: anyNanos }),
    z.object({
      lives: z.array(lifeSchema),
      /** Detected, and nothing of a repair was recorded after it: the first of them, and how many there are. */
      untreated: z.array(untreatedSchema),
      untreated_count: z.number().int(),
      /** More was recorded than was read. */
      truncated: z.boolean(),
    }),
  ),
} as const;
