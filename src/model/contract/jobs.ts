import { z } from 'zod';
import { lostPriceSchema } from '../incident/cost-schema.ts';
import { anyNanos } from '../rows/any-nanos.ts';
import { call } from './procedure.ts';

const float64 = z.instanceof(Float64Array);
/** As `kind:id`; empty: no link names it. */
const keys = z.array(z.string());
const placeSchema = z.object({ gpus: keys, hosts: keys, racks: keys });

export const waitedRankSchema = z.object({
  /** Position in the list of ranks. */
  row: z.number().int(),
  /** `rank:llm/rank-5`. */
  entity: z.string(),
  name: z.string(),
  ...placeSchema.shape,
  /**
   * `stalled`: others wait for it in an operation; `mismatched`: it entered another one; `late`: it came last, again and again;
   * `slow`: its steps took longer than before, and those of most others did not; `stopped`: no step of it is recorded any more, while
   * most others went on.
   */
  kind: z.enum(['stalled', 'mismatched', 'late', 'slow', 'stopped']),
  text: z.string(),
  /** Numbers of ranks that waited; empty: not listed. */
  waiting: z.array(z.number().int()),
  /** Of `late`: operations that it came last into, of how many, and seconds that a usual rank waited for it. */
  late: z.number().nullable(),
  operations: z.number().nullable(),
  lost_s: z.number().nullable(),
  /** Of `slow`: how many times as long as before its steps took; null: not measured. */
  times: z.number().nullable(),
  /** Of `stopped`: its last step, and that of the others; null: steps have no numbers. */
  own_step: z.number().nullable(),
  others_step: z.number().nullable(),
  from_ns: anyNanos,
  to_ns: anyNanos,
  refs: z.array(z.string()),
});
export type WaitedRankView = z.infer<typeof waitedRankSchema>;

export const jobSchema = z.object({
  /** `job:llm`, `service:pretrain`; `ranks:FOLDER` of ranks whose job no row names. */
  id: z.string(),
  /** '': not recorded. */
  name: z.string(),
  /** What names it, as `kind:id`; null: ranks without a job. */
  entity: z.string().nullable(),
  /** Services that it is known by too, as `kind:id`: of its own records, where `entity` is the job of an orchestrator. */
  services: keys,
  /** Ranks; of a job of which no process names one, its processes. */
  ranks: z.number().int(),
  /** Of them, those with steps. */
  ranks_with_steps: z.number().int(),
  hosts: z.number().int(),
  first_ns: anyNanos.nullable(),
  last_ns: anyNanos.nullable(),
  /** The highest that a rank was at last; null: steps have no numbers. */
  last_step: z.number().nullable(),
  /** Median time of a step in seconds; null: no steps. */
  usual_s: z.number().nullable(),
  state: z.enum(['running', 'stalled', 'ended', 'unknown']),
  reason: z.enum([
    'in_collective',
    'counter_stands',
    'done',
    'failed',
    'cancelled',
    'gpus_idle',
    'steps_to_end',
    'operations_to_end',
    'quiet',
    'silent',
    'no_progress',
  ]),
  /** Since when it is stalled or ended, or when its last step or operation was. */
  since_ns: anyNanos.nullable(),
  /** GPU hours that a job which stalled, failed, or left its GPUs idle lost; null: it did not, or its GPUs are unknown. */
  lost: z
    .object({
      gpus: z.number().int(),
      /** `gpus`: links name them; `pods`: its pods ask for so many; `ranks`: each rank counts as one. */
      counted: z.enum(['gpus', 'pods', 'ranks']),
      /** In which it held its GPUs and did no step. */
      idle_gpu_hours: z.number(),
      /** Work since its last checkpoint, which has to be done again; null: no checkpoint is recorded. */
      repeated_gpu_hours: z.number().nullable(),
      /** The last checkpoint; null: none. */
      saved_ns: anyNanos.nullable(),
      price: lostPriceSchema,
    })
    .nullable(),
  /** While a capture runs, the time of the state by the clock of its machine; null: none runs. */
  now_ns: anyNanos.nullable(),
  restarts: z.number().int(),
  checkpoints: z.number().int(),
  /** Of them the first; `waited_total` counts all. */
  waited: z.array(waitedRankSchema),
  waited_total: z.number().int(),
});
export type JobView = z.infer<typeof jobSchema>;

export const jobRankSchema = z.object({
  /** `rank:llm/rank-5`, or the service or process of a row without a rank. */
  entity: z.string(),
  /** `rank 5`, or what separates a process from the others. */
  name: z.string(),
  ...placeSchema.shape,
  /** null: what steps took is recorded, and no number of them. */
  steps: z.number().nullable(),
  /** null: steps have no numbers, or there are none. */
  last_step: z.number().nullable(),
  /** Median time of a step in seconds; null: no steps. */
  usual_s: z.number().nullable(),
  first_ns: anyNanos.nullable(),
  last_ns: anyNanos.nullable(),
});
export type JobRankView = z.infer<typeof jobRankSchema>;

export const jobMarkSchema = z.object({
  /** `step_back`: the number of the step goes back; `restart`: a container was started again. */
  kind: z.enum(['step_back', 'restart', 'checkpoint']),
  /** Position in the list of ranks; -1: of the job. */
  row: z.number().int(),
  start_ns: anyNanos,
  end_ns: anyNanos,
  text: z.string(),
  /** '': none. */
  ref: z.string(),
  failed: z.boolean(),
});
export type JobMarkView = z.infer<typeof jobMarkSchema>;

export const jobMeasures = ['step', 'wait'] as const;
export type JobMeasure = (typeof jobMeasures)[number];

export const jobHeatSchema = z.object({
  id: z.string(),
  /** By number; of more than fit, the first. */
  ranks: z.array(jobRankSchema),
  ranks_total: z.number().int(),
  buckets: z.number().int(),
  /** Those that were recorded at any time. */
  measures: z.array(z.enum(jobMeasures)),
  /** The one of these values; null: none was recorded. */
  measure: z.enum(jobMeasures).nullable(),
  /**
   * Ranks times buckets, rank by rank; NaN: nothing was recorded. `step`: mean time of the steps in seconds, Infinity: the counter of steps was collected
   * and shows that none was completed; `wait`: share of the time in collective operations, 0 to 1.
   */
  values: float64,
  /** Median of the ranks with steps in each bucket; NaN: none has any. */
  usual: float64,
  /** Collective operations that were completed in each bucket. */
  operations: float64,
  stalls: z.array(z.object({ from_ns: anyNanos, to_ns: anyNanos, went_on: z.boolean() })),
  /** In the window; of more, some. */
  marks: z.array(jobMarkSchema),
  marks_total: z.number().int(),
});
export type JobHeat = z.infer<typeof jobHeatSchema>;

export const jobsContract = {
  /** Training jobs: those that hang first, then by ranks. */
  'jobs.list': call(
    z.object({
      /** As in `report.render`; null: the catalog of the case, if it has one. */
      rates: z.string().max(1_000_000).nullable().default(null),
    }),
    z.object({ jobs: z.array(jobSchema), total: z.number().int() }),
  ),
  /** The ranks of a job over a time as a matrix, with what happened to it. @throws ProblemError job.unknown */
  'jobs.heat': call(
    z.object({
      job: z.string().max(1000),
      start_ns: anyNanos,
      end_ns: anyNanos,
      buckets: z.number().int().min(1).max(512),
      /** null, or one that was not recorded: the first of `measures`. */
      measure: z.enum(jobMeasures).nullable().default(null),
    }),
    jobHeatSchema,
  ),
} as const;
