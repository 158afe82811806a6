import type { DerivedEvent } from '../../../model/telemetry/derived-event.ts';
import type { Reader, TrainingRunFact } from '../../store/facts/reader.ts';
import { loopNames } from '../patterns/training/training-spans.ts';

/** What the steps of training jobs, logged or traced, show: one that was started again from an earlier step, and one whose loss is not finite any more. */
export async function deriveTraining(reader: Reader): Promise<DerivedEvent[]> {
  const runs = await reader.trainingRuns(loopNames.steps);
  return [...Map.groupBy(runs, ({ service }) => service).values()].flatMap((own) => [
    ...own.flatMap((run, i) => resumed(own.slice(0, i), run)),
    ...own.flatMap(diverged),
  ]);
}

/**
 * It goes on in the middle of what a run did before it: from its last checkpoint. One that begins where the other began is no
 * evidence, for many loops count anew in each epoch, and experiments are repeated.
 */
function resumed(earlier: readonly TrainingRunFact[], run: TrainingRunFact): DerivedEvent[] {
  const before = earlier.findLast(({ last_ns }) => last_ns <= run.first_ns);
  if (!before || before.lines < 2 || run.first_step <= before.first_step || run.first_step > before.last_step)
    return [];
  const lost_steps = before.last_step - run.first_step;
  const gap_s = secondsBetween(before.last_ns, run.first_ns);
  // As long as they took the first time, with its steps evenly spaced.
  const share = lost_steps / (before.last_step - before.first_step);
  const repeated_s = share * secondsBetween(before.first_ns, before.last_ns);
  return [
    {
      ...eventOf(run, run.first_ns),
      id: `derived:training:${run.source_id}:${run.first_ns}:resumed`,
      type: 'training_resumed',
      severity: 'high',
      message: `the job was started again from step ${run.first_step}: it had reached step ${before.last_step}`,
      details: { lost_steps, gap_s: rounded(gap_s), repeated_s: rounded(repeated_s) },
    },
  ];
}

function diverged(run: TrainingRunFact): DerivedEvent[] {
  const { finite_ns, diverged_ns, diverged_step } = run;
  // A job without a single finite loss never was well; nothing shows when it went wrong.
  if (diverged_ns === null || finite_ns === null) return [];
  return [
    {
      ...eventOf(run, diverged_ns),
      id: `derived:training:${run.source_id}:${diverged_ns}:diverged`,
      type: 'training_diverged',
      severity: 'high',
      message: `the loss of the job is not finite from step ${diverged_step} on`,
      details: {
        gap_s: rounded(secondsBetween(finite_ns, diverged_ns)),
        lasted_s: rounded(secondsBetween(diverged_ns, run.last_ns)),
      },
    },
  ];
}

function eventOf(
  run: TrainingRunFact,
  time_ns: bigint,
): Omit<DerivedEvent, 'id' | 'type' | 'severity' | 'message' | 'details'> {
  const { source_id, service, offset_ns, lines, kept_in } = run;
  return {
    source_id,
    entity: service,
    time_ns: time_ns - offset_ns,
    attributes: { derived_from: { table: kept_in, operations: lines } },
  };
}

const secondsBetween = (from: bigint, to: bigint): number => Number(to - from) / 1e9;
const rounded = (value: number): number => Number(value.toFixed(3));
