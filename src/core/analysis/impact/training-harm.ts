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
    if (!other) all.push(window);
    else if (window.end_ns > other.end_ns)
      all[known] = { ...other, end_ns: window.end_ns, last: window.last, harm: 'restarted' };
    else all[known] = { ...other, harm: 'restarted' };
  }
  return all;
}

const overlaps = (one: ImpactWindow, other: ImpactWindow): boolean =>
  one.service === other.service && one.onset_ns <= other.end_ns && other.onset_earliest_ns <= one.end_ns;

function windowOf(
  { job, type, time_ns, gap_s, lasted_s }: TrainingEventFact,
  measured: Measurements,
): ImpactWindow | undefined {
  const well_ns = time_ns - nanoseconds(gap_s);
  const end_ns = time_ns + nanoseconds(lasted_s);
  const at = (time: bigint): number => Math.min(firstAtOrAfter(measured.time_ns, time), measured.time_ns.length - 1);
  const isResumed = type === 'training_resumed';
  const [first, last] = [at(isResumed ? well_ns : time_ns), at(end_ns)];
  const measured_ns = measured.time_ns[first];
  if (measured_ns === undefined) return undefined;
  return {
    service: job,
    measurements: measured,
    first,
    last,
    baseline: { p99: Number.NaN, error_rate: Number.NaN, throughput: Number.NaN, points: first },
    // It stopped somewhere between two log lines: by the first measurement that covers the time.
    onset_ns: isResumed && measured_ns < time_ns ? measured_ns : time_ns,
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
