import type { Harm } from '../../../model/incident/incident.ts';
import { nanoseconds } from '../../../model/time.ts';
import type { TrainingEventFact } from '../../store/facts/reader.ts';
import type { ImpactWindow } from './impact.ts';
import { firstAtOrAfter, type Measurements } from './measurement-table.ts';

const harms: Readonly<Record<TrainingEventFact['type'], Harm>> = {
  training_resumed: 'restarted',
  training_diverged: 'diverged',
};

/**
 * Adds that jobs were started again, or diverged. A job that was started again was mostly measured as one that did nothing for a
 * while: that impact lasts until it had done again what was lost.
 */
export function withTraining(
  found: readonly ImpactWindow[],
  events: readonly TrainingEventFact[],
  measurements: ReadonlyMap<number, Measurements>,
): ImpactWindow[] {
  const all = [...found];
  for (const event of events) {
    const measured = measurements.get(event.job);
    const window = measured && windowOf(event, measured);
    if (!window) continue;
    const known = window.harm === 'restarted' ? all.findIndex((one) => overlaps(one, window)) : -1;
    const other = all[known];
    if (other) all[known] = joined(other, window);
    else all.push(window);
  }
  return all;
}

/** What was measured of a job, from when it stopped until it had done again what was lost. */
function joined(measured: ImpactWindow, restarted: ImpactWindow): ImpactWindow {
  const { onset_ns, onset_earliest_ns, previous_ns, causes_from_ns, first, end_ns, last, harm } = restarted;
  return {
    ...measured,
    ...(onset_ns < measured.onset_ns ? { onset_ns, onset_earliest_ns, previous_ns, causes_from_ns, first } : {}),
    ...(end_ns > measured.end_ns ? { end_ns, last } : {}),
    harm,
  };
}

const overlaps = (one: ImpactWindow, other: ImpactWindow): boolean =>
  one.service === other.service && one.onset_ns <= other.end_ns && other.onset_earliest_ns <= one.end_ns;

function windowOf(
  { job, type, time_ns, gap_s, lasted_s, step_s }: TrainingEventFact,
  measured: Measurements,
): ImpactWindow | undefined {
  const well_ns = time_ns - nanoseconds(gap_s);
  const end_ns = time_ns + nanoseconds(lasted_s);
  const at = (time: bigint): number => Math.min(firstAtOrAfter(measured.time_ns, time), measured.time_ns.length - 1);
  const isResumed = type === 'training_resumed';
  const [first, last] = [at(isResumed ? well_ns : time_ns), at(end_ns)];
  const measured_ns = measured.time_ns[first];
  if (measured_ns === undefined) return undefined;
  // It stopped somewhere between two log lines: when the next step did not come, or else by the first measurement after.
  const stopped_ns = step_s === null ? measured_ns : well_ns + nanoseconds(step_s);
  return {
    service: job,
    measurements: measured,
    first,
    last,
    baseline: { p99: Number.NaN, error_rate: Number.NaN, throughput: Number.NaN, points: first },
    onset_ns: isResumed && stopped_ns < time_ns ? stopped_ns : time_ns,
    onset_earliest_ns: well_ns,
    previous_ns: well_ns,
    causes_from_ns: well_ns,
    end_ns,
    peak_ns: measured_ns,
    times_worse: Number.NaN,
    isStated: false,
    parts: [],
    harm: harms[type],
  };
}
