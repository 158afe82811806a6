import { z } from 'zod';
import { anyNanos } from '../rows/any-nanos.ts';
import { servingStages } from '../telemetry/serving-stages.ts';
import { call } from './procedure.ts';

/** Of one stage of many requests. Without spans only means are known: `p99_s` is null. */
const stageFigures = z.object({
  requests: z.number(),
  /** Median of requests, seconds; where metrics state it, their mean. */
  seconds: z.number(),
  p99_s: z.number().nullable(),
  /** Samples; empty for spans. */
  refs: z.array(z.string()),
});
export type StageFigures = z.infer<typeof stageFigures>;

/** `spans`: requests one by one; `metrics`: means of all requests, as their inference server measures them. */
export const stageSources = ['spans', 'metrics'] as const;
export type StageSource = (typeof stageSources)[number];

export const stageSchema = z.object({
  service: z.string(),
  /** null: several, or unknown. */
  model: z.string().nullable(),
  source: z.enum(stageSources),
  stage: z.enum(servingStages),
  /** Name of the tool; null: no stage of a tool, or a tool without a name. */
  tool: z.string().nullable(),
  /** A difference of two measured means: no metric states it. */
  computed: z.boolean(),
  /** Of one trace; null where metrics are the source. */
  seconds: z.number().nullable(),
  /** Of the same service before the incident, and during it; null: nothing is recorded. */
  before: stageFigures.nullable(),
  during: stageFigures.nullable(),
});
export type StageView = z.infer<typeof stageSchema>;

const timeRange = z.object({ from_ns: anyNanos, to_ns: anyNanos });

const stagesSchema = z.object({
  stages: z.array(stageSchema),
  /**
   * `hour`: the same hour of so many days before, of which this is the last; `before`: right before the incident, or the trace. null: too
   * few requests are recorded.
   */
  baseline: z
    .object({ kind: z.enum(['hour', 'before']), days: z.number().int(), from_ns: anyNanos, to_ns: anyNanos })
    .nullable(),
  /** The time of `during`: of the incident. null: there is none. */
  incident: timeRange.nullable(),
});
export type Stages = z.infer<typeof stagesSchema>;

export const stagesContract = {
  /** Stages of one trace that serves a model (queue, prefill, decode and others) against those of its services before. */
  'trace.stages': call(
    z.object({ trace_id: z.string().regex(/^[0-9a-f]{1,32}$/i), start_ns: anyNanos, end_ns: anyNanos }),
    stagesSchema,
  ),
  /** Stages of the requests of every service in a time (`during`) against before. @throws ProblemError case.none_open */
  'stages.list': call(timeRange, stagesSchema),
} as const;
