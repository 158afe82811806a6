import { type CorrelateOptions, correlateOptionsSchema, type Impact } from '../../model/incident/incident.ts';
import { describeImpact, findImpacts, type ImpactWindow } from '../analysis/impact/impact.ts';
import { withParts } from '../analysis/impact/part-impacts.ts';
import { fleetMeasurements } from './fleet-measurements.ts';
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

/** Impacts of a fleet, found as in a case that has its spans. */
export async function fleetImpacts(question: FleetQuestion, isByPart: boolean): Promise<FleetImpacts> {
  const options: CorrelateOptions = correlateOptionsSchema.parse({});
  const { measurements, parts, names, requests } = await fleetMeasurements(question, isByPart);
  const whole = measurements.flatMap((one) => findImpacts(one, options));
  const impacts = withParts(whole, parts, options).map((window): FleetImpact => {
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
  return { impacts, services: names.length, requests };
}
