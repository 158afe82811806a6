import { correlateOptionsSchema } from '../../../model/incident/incident-schema.ts';
import { nanoseconds } from '../../../model/time.ts';
import type { Phases } from '../../store/facts/reader.ts';
import { findImpacts, type ImpactWindow } from '../impact/impact.ts';
import type { Measurements } from '../impact/measurement-table.ts';
import { impact } from '../impact/parameters.ts';
import { median } from '../statistics.ts';
import { software } from './parameters.ts';

/** Known facts on the time of the failure. All are optional, and times may be off by a minute. */
export interface WhenAndWhere {
  /** The window of a known impact. */
  readonly window?: { readonly start_ns: bigint; readonly end_ns: bigint };
  /** A failure time from memory. */
  readonly at_ns?: bigint;
  /** Canonical entity of the affected service. */
  readonly service?: number;
  /** Seconds of history to compare with. */
  readonly baseline_s?: number;
  /** All impacts of the case, if already known. */
  readonly impacts?: readonly ImpactWindow[];
}

export interface SelectedPhases extends Phases {
  /** Impacts by which the window was found; empty if it was only specified. */
  readonly impacts: readonly ImpactWindow[];
}

interface Meant {
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  /** End of the normal phase: long before the start if the onset was not measured. */
  readonly normal_ns: bigint;
}

const tolerance = (): bigint => nanoseconds(impact.memorySeconds);

/**
 * Selects baseline and window. Detected impacts determine the onset; a specified time only selects the impact, so that a minute
 * more or less makes no difference. Without an impact the specified time is used, and the minute before it belongs to neither
 * phase. A recording that begins inside the incident is compared with its later part. Null without a specified time and without
 * an impact.
 */
export function selectPhases(
  measurements: ReadonlyMap<number, Measurements>,
  known: WhenAndWhere,
  recorded: { readonly from_ns: bigint; readonly to_ns: bigint },
): SelectedPhases | null {
  const options = correlateOptionsSchema.parse({});
  const impacts = known.impacts ?? [...measurements.values()].flatMap((measured) => findImpacts(measured, options));
  const timed = known.window !== undefined || known.at_ns !== undefined;
  const meant = timed ? impactsMeant(impacts, known) : withCompany(impactsMeant(impacts, known), impacts);
  const window = meant.length > 0 ? span(meant) : requestedWindow(known, measurements);
  if (!window) return null;
  const guard = meant.length > 0 || known.window ? 0n : tolerance();
  const length = nanoseconds(known.baseline_s ?? impact.baselineSeconds);
  const phases = { window_from_ns: window.start_ns, window_to_ns: window.end_ns + 1n, impacts: meant };
  const before_to_ns = window.normal_ns - guard + (guard === 0n ? 1n : 0n);
  const before_from_ns = later(before_to_ns - lengthOf(length, measurements), recorded.from_ns - 1n);
  if (before_to_ns - before_from_ns >= nanoseconds(software.leastBaselineSeconds))
    return { ...phases, before_from_ns, before_to_ns };
  const after = window.end_ns + tolerance();
  const end = earlier(after + length, recorded.to_ns + 1n);
  if (end - after >= nanoseconds(software.leastBaselineSeconds))
    return { ...phases, before_from_ns: after, before_to_ns: end };
  return { ...phases, before_from_ns: earlier(before_from_ns, before_to_ns), before_to_ns };
}

/** Sparse measurements need a longer history: a median and its spread want some of them. */
function lengthOf(wanted: bigint, measurements: ReadonlyMap<number, Measurements>): bigint {
  return later(wanted, nanoseconds(software.baselineIntervals * typicalInterval(measurements)));
}

function typicalInterval(measurements: ReadonlyMap<number, Measurements>): number {
  const intervals = [...measurements.values()].map(({ time_ns }) =>
    time_ns.length < 2 ? Number.NaN : Number(time_ns.at(-1)! - time_ns[0]!) / 1e9 / (time_ns.length - 1),
  );
  return median(intervals) || 0;
}

function impactsMeant(impacts: readonly ImpactWindow[], known: WhenAndWhere): ImpactWindow[] {
  const own = known.service === undefined ? impacts : impacts.filter(({ service }) => service === known.service);
  const windowHint =
    known.window ?? (known.at_ns === undefined ? null : { start_ns: known.at_ns, end_ns: known.at_ns });
  if (!windowHint) return worst(own.length > 0 ? own : impacts);
  // A time from memory is accurate to a minute: the impact that began then is selected, in any service.
  const began = ({ onset_earliest_ns, onset_ns }: ImpactWindow): boolean =>
    onset_earliest_ns - tolerance() <= windowHint.start_ns && windowHint.start_ns <= onset_ns + tolerance();
  const lasted = ({ onset_earliest_ns, end_ns }: ImpactWindow): boolean =>
    onset_earliest_ns - tolerance() <= windowHint.end_ns && windowHint.start_ns <= end_ns + tolerance();
  for (const candidates of [own.filter(began), own.filter(lasted)]) if (candidates.length > 0) return candidates;
  return impacts.filter(began);
}

/** Severity times duration. */
const badness = ({ times_worse, end_ns, onset_ns }: ImpactWindow): number =>
  Math.log(Math.max(2, times_worse || 2)) * (1 + Number(end_ns - onset_ns) / 1e9);

/** Without a specified time: the worst impact. */
function worst(impacts: readonly ImpactWindow[]): ImpactWindow[] {
  return [...impacts].sort((a, b) => badness(b) - badness(a)).slice(0, 1);
}

/** Impacts with a similar onset are the same incident, which begins with the first of them. */
function withCompany(meant: readonly ImpactWindow[], impacts: readonly ImpactWindow[]): readonly ImpactWindow[] {
  return impacts.filter((impact) =>
    meant.some(
      (one) =>
        one === impact ||
        (impact.onset_earliest_ns <= one.onset_ns + tolerance() &&
          one.onset_earliest_ns <= impact.onset_ns + tolerance()),
    ),
  );
}

/**
 * Time before which most impacts had not begun: one service that degraded earlier by chance does not shorten a baseline of few
 * measurements, and one that truly began earlier does not move the median of a long one.
 */
function span(impacts: readonly ImpactWindow[]): Meant {
  const inOrder = impacts.toSorted((a, b) => (a.onset_earliest_ns < b.onset_earliest_ns ? -1 : 1));
  const half = inOrder.reduce((sum, impact) => sum + badness(impact), 0) / 2;
  let sum = 0;
  const middle = inOrder.find((impact) => {
    sum += badness(impact);
    return sum >= half;
  });
  const { onset_earliest_ns, previous_ns } = middle ?? inOrder[0]!;
  return {
    start_ns: onset_earliest_ns,
    normal_ns: previous_ns,
    end_ns: impacts.map(({ end_ns }) => end_ns).reduce(later),
  };
}

function requestedWindow(
  { window, at_ns }: WhenAndWhere,
  measurements: ReadonlyMap<number, Measurements>,
): Meant | null {
  if (window) return { start_ns: window.start_ns, normal_ns: window.start_ns, end_ns: window.end_ns + tolerance() };
  if (at_ns === undefined) return null;
  const two = nanoseconds(2 * typicalInterval(measurements));
  // A measurement covers the time since the previous one: a long one belongs to the phase with most of it.
  const start_ns = two / 4n > tolerance() ? at_ns + two / 4n : at_ns;
  return { start_ns, normal_ns: start_ns, end_ns: start_ns + later(nanoseconds(impact.statedSeconds), two) };
}

const earlier = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const later = (a: bigint, b: bigint): bigint => (a > b ? a : b);
