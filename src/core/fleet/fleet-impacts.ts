import type { CorrelateOptions, Impact } from '../../model/incident/incident.ts';
import { correlateOptionsSchema } from '../../model/incident/incident-schema.ts';
import { describeImpact, findImpacts, type ImpactWindow } from '../analysis/impact/impact.ts';
import type { Measurements } from '../analysis/impact/measurement-table.ts';
import { withParts } from '../analysis/impact/part-impacts.ts';
import { type FleetProgress, fleetMeasurements } from './fleet-measurements.ts';
import type { FleetQuestion } from './question.ts';
import { timesWorse } from './times-worse.ts';

/** A service that did worse than its own baseline, or a part of it while its other parts did as usual. */
export interface FleetImpact {
  readonly service: string;
  /** Empty: the service as a whole. */
  readonly parts: ImpactWindow['parts'];
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  /** How many times worse at worst, by the figure that shows most: P99, requests that came, requests that did not fail. */
  readonly times_worse: number;
  readonly impact: Impact;
}

export interface FleetImpacts {
  /** The worst first. */
  readonly impacts: readonly FleetImpact[];
  /** Services with requests, and how many. */
  readonly services: number;
  readonly requests: number;
}

/** With what they were found by. */
export interface MeasuredImpacts extends FleetImpacts {
  readonly windows: readonly ImpactWindow[];
  readonly measurements: readonly Measurements[];
  /** Of services, by their numbers in `windows` and `measurements`. */
  readonly names: readonly string[];
}

/** Impacts of a fleet, found as in a case that has its spans. */
export async function* measureImpacts(
  question: FleetQuestion,
  isByPart: boolean,
): AsyncGenerator<FleetProgress, MeasuredImpacts, void> {
  const options: CorrelateOptions = correlateOptionsSchema.parse({});
  const { measurements, parts, names, requests } = yield* fleetMeasurements(question, isByPart);
  const whole = measurements.flatMap((one) => findImpacts(one, options));
  const windows = withParts(whole, parts, options);
  const impacts = windows.map((window): FleetImpact => {
    const { onset_earliest_ns, end_ns, service } = window;
    const impact = describeImpact(window, end_ns, onset_earliest_ns, null);
    return {
      service: names[service] ?? '',
      parts: window.parts,
      start_ns: onset_earliest_ns,
      end_ns,
      times_worse: timesWorse(impact),
      impact,
    };
  });
  impacts.sort((a, b) => b.times_worse - a.times_worse || Number(a.start_ns - b.start_ns));
  return { impacts, services: names.length, requests, windows, measurements, names };
}

/** As {@link measureImpacts}, without a word on the way. */
export async function fleetImpacts(question: FleetQuestion, isByPart: boolean): Promise<FleetImpacts> {
  const asking = measureImpacts(question, isByPart);
  let step = await asking.next();
  while (!step.done) step = await asking.next();
  const { impacts, services, requests } = step.value;
  return { impacts, services, requests };
}
