import { nanoseconds } from '../../../model/time.ts';
import type { CollectiveProgressFact, Reader, RecordingFact, StallEventFact } from '../../store/facts/reader.ts';
import { EntityGraph } from '../topology/entity-graph.ts';
import type { GraphsByTime } from '../topology/graphs-by-time.ts';
import type { ImpactWindow } from './impact.ts';
import { emptyMeasurements, firstAtOrAfter, type Measurements } from './measurement-table.ts';
import { impact } from './parameters.ts';

/** A training job that stopped in a collective operation: ranks wait for one that does not come, or a watchdog ended their wait. */
export interface Stall {
  /** The job; else the service, else the first of the ranks that name none. */
  readonly work: number;
  /** When the first rank began to wait. */
  readonly onset_ns: bigint;
  /** When operations were completed again, or a watchdog ended it; else when what was recorded meanwhile ends: it still went on. */
  readonly end_ns: bigint;
  readonly wentOn: boolean;
  /** Its operations; empty where only a watchdog wrote. */
  readonly progress: readonly CollectiveProgressFact[];
}

/** Of each job, in order of time. */
export async function readStalls(reader: Reader): Promise<Stall[]> {
  const events = await reader.stallEvents();
  if (events.length === 0) return [];
  const progress = Map.groupBy(await reader.collectiveProgress(), ({ job }) => job);
  const graph = new EntityGraph(await reader.entities(), await reader.edges(), events[0]!.time_ns);
  const recordings = await reader.recordings();
  const works = Map.groupBy(events, ({ entity }) => workOf(graph, entity));
  return [...works].flatMap(([named, own]) => {
    const work = named ?? own.find(({ entity }) => graph.node(entity)?.kind === 'rank')?.entity;
    return work === undefined
      ? []
      : together(own).map((some) => stallOf(work, some, { progress: progress.get(work) ?? [], recordings }));
  });
}

/** The job of a rank, else the service; undefined: nothing is recorded of what it works for. */
function workOf(graph: EntityGraph, entity: number): number | undefined {
  const near = [entity, ...graph.servicesNear(entity)];
  return near.find((key) => graph.node(key)?.kind === 'job') ?? near.find((key) => graph.node(key)?.kind === 'service');
}

/** When the operation began to wait. */
const begun = ({ time_ns, waited_s }: StallEventFact): bigint => time_ns - nanoseconds(waited_s);

/** Events of each stall, in order: all ranks of a job wait together. */
function together(events: readonly StallEventFact[]): StallEventFact[][] {
  const stalls: StallEventFact[][] = [];
  let end = 0n;
  for (const event of events.toSorted((a, b) => (begun(a) < begun(b) ? -1 : 1))) {
    const open = stalls.at(-1);
    if (open && begun(event) - end <= nanoseconds(impact.stallsApartSeconds)) open.push(event);
    else stalls.push([event]);
    end = event.time_ns > end ? event.time_ns : end;
  }
  return stalls;
}

interface Around {
  readonly progress: readonly CollectiveProgressFact[];
  readonly recordings: readonly RecordingFact[];
}

function stallOf(work: number, events: readonly StallEventFact[], { progress, recordings }: Around): Stall {
  const stated = events.reduce((most, { time_ns }) => (time_ns > most ? time_ns : most), 0n);
  // Other groups of the same ranks complete what they had begun.
  const again = progress.find((one) => endOf(one) - 2n * one.width_ns > stated);
  const last = progress.at(-1)?.last_ns ?? 0n;
  const onset_ns = begun(events[0]!);
  const least_ns = last > stated ? last : stated;
  const isEnded = events.some(({ type }) => type === 'collective_timeout');
  const end_ns = again
    ? endOf(again) - again.width_ns
    : isEnded
      ? least_ns
      : recordedUntil(recordings, onset_ns, least_ns);
  return { work, onset_ns, end_ns, wentOn: again !== undefined, progress };
}

/**
 * The end of what was recorded during a stall or after a failure, for a day at most: some clocks are wrong. Recordings that follow each
 * other, as slices of an archive do, are one.
 * @param recordings by their beginning
 */
export function recordedUntil(recordings: readonly RecordingFact[], from_ns: bigint, least_ns: bigint): bigint {
  const most_ns = least_ns + nanoseconds(impact.mostStallSeconds);
  let end = least_ns;
  for (const { first_ns, last_ns } of recordings) {
    if (last_ns < from_ns || last_ns > most_ns) continue;
    if (first_ns > end + nanoseconds(impact.adjacentSeconds)) break;
    if (last_ns > end) end = last_ns;
  }
  return end;
}

/** The end of a slice. */
const endOf = ({ first_ns, width_ns, slice }: CollectiveProgressFact): bigint =>
  first_ns + BigInt(slice + 1) * width_ns;

/**
 * Jobs that stopped in a collective operation, measured by the operations that they complete: none while they were stalled.
 * Operations per second count as throughput.
 */
export async function collectiveMeasurements(reader: Reader): Promise<Measurements[]> {
  const stalls = await readStalls(reader);
  return [...Map.groupBy(stalls, ({ work }) => work)].map(([work, own]) => measure(work, own));
}

function measure(work: number, stalls: readonly Stall[]): Measurements {
  const isStalled = (time: bigint): boolean =>
    stalls.some(({ onset_ns, end_ns }) => onset_ns <= time && time <= end_ns);
  const rows = new Map<bigint, number>();
  for (const one of stalls[0]?.progress ?? []) {
    const time = endOf(one);
    if (!isStalled(time) && time <= one.last_ns) rows.set(time, one.operations / (Number(one.width_ns) / 1e9));
  }
  for (const { onset_ns, end_ns } of stalls) for (const time of [onset_ns, end_ns]) rows.set(time, 0);
  const times = [...rows.keys()].sort((a, b) => (a < b ? -1 : 1));
  const table = emptyMeasurements(work, 'collectives', times);
  const width_s = Number(stalls[0]?.progress[0]?.width_ns ?? 0n) / 1e9;
  times.forEach((time, i) => {
    table.throughput[i] = rows.get(time)!;
    table.requests[i] = table.throughput[i]! * width_s;
  });
  return table;
}

/**
 * The impacts of these stalls.
 * @param measurements of every job that stalled, by whatever it is measured
 */
export async function stalledJobs(
  reader: Reader,
  measurements: ReadonlyMap<number, Measurements>,
): Promise<ImpactWindow[]> {
  return (await readStalls(reader)).flatMap((stall) => {
    const measured = measurements.get(stall.work);
    return measured ? [windowOf(stall, measured)] : [];
  });
}

/** When steps were last completed during a stall: a watchdog may state longer than its rank waited. undefined: none were. */
function lastStepIn({ onset_ns, end_ns }: Stall, { from, time_ns, requests }: Measurements): bigint | undefined {
  if (from !== 'steps') return undefined;
  return time_ns.filter((time, i) => time > onset_ns && time < end_ns && requests[i]! > 0).at(-1);
}

function windowOf(stall: Stall, measured: Measurements): ImpactWindow {
  const { work, end_ns, wentOn, progress } = stall;
  const step_ns = lastStepIn(stall, measured);
  const onset_ns = step_ns ?? stall.onset_ns;
  const at = (time: bigint): number => Math.min(firstAtOrAfter(measured.time_ns, time), measured.time_ns.length - 1);
  const [first, last] = [at(onset_ns), at(end_ns)];
  const before = progress.filter((one) => endOf(one) <= onset_ns).at(-1);
  const completed = step_ns ?? progress.at(-1)?.last_ns;
  const previous_ns = completed !== undefined && completed < onset_ns ? completed : before ? endOf(before) : onset_ns;
  const isByCollectives = measured.from === 'collectives';
  return {
    service: work,
    measurements: measured,
    first,
    last,
    baseline: {
      p99: Number.NaN,
      error_rate: Number.NaN,
      throughput: isByCollectives ? rateBefore(progress, onset_ns) : Number.NaN,
      points: first,
    },
    onset_ns: isByCollectives || step_ns !== undefined ? onset_ns : measured.time_ns[first]!,
    onset_earliest_ns: previous_ns,
    previous_ns,
    causes_from_ns: previous_ns,
    end_ns,
    peak_ns: measured.time_ns[first]!,
    times_worse: Number.NaN,
    isStated: false,
    parts: [],
    harm: 'stalled',
    wentOn,
  };
}

/** A job that completed no step for a while stalled, whatever held it: of those that are found by their steps. */
export function asStalled(window: ImpactWindow): ImpactWindow {
  const { measurements, first, last, harm, parts } = window;
  if (harm !== 'degraded' || measurements.from !== 'steps' || parts.length > 0) return window;
  const { time_ns, requests } = measurements;
  const isAtWork = (i: number): boolean => requests[i]! > 0;
  // Its first and last interval may hold steps before and after it.
  const [from, to] = [isAtWork(first) ? first + 1 : first, isAtWork(last) ? last - 1 : last];
  const begun_ns = time_ns[from - 1] ?? time_ns[from]!;
  if (to < from || time_ns[to]! - begun_ns < nanoseconds(impact.leastStallSeconds)) return window;
  if (requests.subarray(from, to + 1).some((count) => count > 0)) return window;
  const isAgain =
    requests.subarray(to + 1).some((count) => count > 0) || (measurements.did_after_ns ?? 0n) >= time_ns[to]!;
  return { ...window, harm: 'stalled', wentOn: isAgain };
}

/** Adds stalls that no measured impact shows: neither of the job, nor of work on the same machines at the same time. */
export function withStalls(
  measured: readonly ImpactWindow[],
  stalls: readonly ImpactWindow[],
  graphs: GraphsByTime,
): ImpactWindow[] {
  const near = nanoseconds(impact.memorySeconds);
  const isShown = ({ service, onset_ns, end_ns }: ImpactWindow): boolean =>
    measured
      .filter((one) => one.onset_ns <= end_ns + near && onset_ns <= one.end_ns + near)
      .some((one) => one.service === service || isOnSameMachines(graphs.at(onset_ns), one.service, service));
  return [...measured, ...stalls.filter((stall) => !isShown(stall))];
}

/** Whether two works run on nearly the same machines: then they are one. */
export function isOnSameMachines(graph: EntityGraph, a: number, b: number): boolean {
  const [first, second] = [new Set(graph.machinesOfService(a)), graph.machinesOfService(b)];
  const shared = second.filter((machine) => first.has(machine)).length;
  return shared > 0 && shared >= impact.sameMachinesShare * (first.size + second.length - shared);
}

/** Operations per second before the stall; NaN: unknown. */
function rateBefore(progress: readonly CollectiveProgressFact[], onset_ns: bigint): number {
  const last = progress.at(-1);
  if (!last) return Number.NaN;
  const whole = progress.filter((one) => endOf(one) <= onset_ns);
  const counted = whole.reduce((sum, { operations }) => sum + operations, 0);
  const end = whole.at(-1);
  if (end) return counted / (Number(endOf(end) - end.first_ns) / 1e9);
  // Too short for a slice: of those between the first and the last one.
  const total = progress.reduce((sum, { operations }) => sum + operations, 0);
  const seconds = Number(last.last_ns - last.first_ns) / 1e9;
  return last.last_ns <= onset_ns && seconds > 0 ? (total - 1) / seconds : Number.NaN;
}
