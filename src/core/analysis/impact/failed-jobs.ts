import { nanoseconds } from '../../../model/time.ts';
import type { EdgeFact, EntityFact, FailureEventFact, Reader, RecordingFact } from '../../store/facts/reader.ts';
import { EntityGraph } from '../topology/entity-graph.ts';
import type { GraphsByTime } from '../topology/graphs-by-time.ts';
import { push } from '../topology/links.ts';
import { podJobs } from '../topology/pod-jobs.ts';
import type { ImpactWindow } from './impact.ts';
import { emptyMeasurements, type Measurements } from './measurement-table.ts';
import { impact } from './parameters.ts';
import { isOnSameMachines, recordedUntil } from './stalled-jobs.ts';

const columns = ['p30', 'p50', 'p70', 'p95', 'p99', 'error_rate', 'throughput', 'requests'] as const;

/** Records that state that a training job, or a rank of it, failed. */
export interface JobFailure {
  /** The job; else the service, else the rank. */
  readonly work: number;
  /** The first and the last of them. */
  readonly time_ns: bigint;
  readonly stated_ns: bigint;
  /** When what was recorded meanwhile ends. */
  readonly end_ns: bigint;
  /** The records are of the job in whose pods a service runs: what that is, only steps show. */
  readonly isOfPods: boolean;
}

const known = new WeakMap<Reader, Promise<JobFailure[]>>();

/** As {@link findFailures}, once for all who ask by the same reader, which lives as long as one answer. */
export function readFailures(reader: Reader): Promise<JobFailure[]> {
  const found = known.get(reader) ?? findFailures(reader);
  known.set(reader, found);
  return found;
}

/** By job, in order of time. A job without ranks and without steps may be any work: its failure is an event, not the end of a training. */
async function findFailures(reader: Reader): Promise<JobFailure[]> {
  const events = await reader.failureEvents();
  if (events.length === 0) return [];
  const [entities, edges] = [await reader.entities(), await reader.edges()];
  const works = Map.groupBy(toWorks(events, entities, edges), ({ work }) => work);
  const recordings = works.size === 0 ? [] : await reader.recordings();
  return [...works].flatMap(([work, own]) =>
    together(
      own.map(({ event }) => event),
      recordings,
    ).map((one) => ({ work, isOfPods: own.every(({ isOfPods }) => isOfPods), ...one })),
  );
}

interface OfWork extends Pick<JobFailure, 'work' | 'isOfPods'> {
  readonly event: FailureEventFact;
}

function toWorks(
  events: readonly FailureEventFact[],
  entities: readonly EntityFact[],
  edges: readonly EdgeFact[],
): OfWork[] {
  const kinds = new Map(entities.map(({ entity_id, kind }) => [entity_id, kind]));
  const jobOf = new Map<number, number>();
  const ranksOf = new Map<number, number[]>();
  const outputsOf = new Map<number, number[]>();
  for (const { kind, from_id, to_id } of edges) {
    if (kind === 'member_of' && kinds.get(from_id) === 'service' && kinds.get(to_id) === 'job')
      outputsOf.set(to_id, [...(outputsOf.get(to_id) ?? []), from_id]);
    if (kinds.get(from_id) !== 'rank') continue;
    if (kind === 'member_of' && kinds.get(to_id) === 'job') jobOf.set(from_id, to_id);
    else if (kind === 'runs_on') ranksOf.set(to_id, [...(ranksOf.get(to_id) ?? []), from_id]);
  }
  const training = new Set(jobOf.values());
  const isNamed = (job: number): boolean => training.has(job) || outputsOf.has(job);
  const hasOther = events.some(({ entity }) => kinds.get(entity) === 'job' && !isNamed(entity));
  const servicesOf = hasOther ? servicesInPods(entities, edges) : new Map<number, number[]>();
  const graph = new EntityGraph(entities, edges, events[0]!.time_ns);
  const worksOf = ({ entity, type }: FailureEventFact): number[] => {
    if (type.startsWith('pod_')) return (ranksOf.get(entity) ?? []).flatMap((rank) => jobOf.get(rank) ?? []);
    const kind = kinds.get(entity);
    // A job of a scheduler is measured as the service that its output is of.
    if (kind === 'job') return training.has(entity) ? [entity] : (outputsOf.get(entity) ?? []);
    if (kind === 'service') return [entity];
    const near = [...(ranksOf.get(entity) ?? []), entity].flatMap((one) => jobOf.get(one) ?? []);
    const served = [...graph.servicesNear(entity)].filter((key) => graph.node(key)?.kind === 'service');
    return near.length > 0 ? near : served.length > 0 ? served.slice(0, 1) : kind === 'rank' ? [entity] : [];
  };
  const inPods = ({ entity }: FailureEventFact) => (isNamed(entity) ? [] : (servicesOf.get(entity) ?? []));
  return events.flatMap((event) => [
    ...[...new Set(worksOf(event))].map((work) => ({ work, event, isOfPods: false })),
    ...inPods(event).map((work) => ({ work, event, isOfPods: true })),
  ]);
}

/** By job of an orchestrator, the services that run in its pods alone. */
function servicesInPods(
  entities: readonly EntityFact[],
  edges: readonly EdgeFact[],
): ReadonlyMap<number, readonly number[]> {
  const known = new Map(
    entities.filter((one) => one.entity_id === one.canonical_id).map((one) => [one.entity_id, one]),
  );
  const podJobOf = podJobs(known, edges);
  const found = new Map<number, number[]>();
  for (const { kind, entity_id } of known.values()) {
    const place = kind === 'service' ? podJobOf(entity_id) : undefined;
    for (const job of place ? [place.job, ...place.parts] : []) push(found, job, entity_id);
  }
  return found;
}

/** A job ends with many records: of its ranks, pods and managers, one after the other. */
function together(
  events: readonly FailureEventFact[],
  recordings: readonly RecordingFact[],
): Omit<JobFailure, 'work' | 'isOfPods'>[] {
  const found: { time_ns: bigint; stated_ns: bigint }[] = [];
  for (const { time_ns } of events) {
    const open = found.at(-1);
    if (open && time_ns - open.stated_ns <= nanoseconds(impact.stallsApartSeconds)) open.stated_ns = time_ns;
    else found.push({ time_ns, stated_ns: time_ns });
  }
  return found.map((one) => ({ ...one, end_ns: recordedUntil(recordings, one.time_ns, one.stated_ns) }));
}

/** Failed jobs of which nothing else is measured: they do no more steps. */
export const failureMeasurements = async (reader: Reader): Promise<Measurements[]> =>
  [
    ...Map.groupBy(
      (await readFailures(reader)).filter(({ isOfPods }) => !isOfPods),
      ({ work }) => work,
    ),
  ].map(([work, own]) => {
    // The recording may end with the failure: nothing is done a second later either.
    const times = [
      ...new Set(own.flatMap(({ time_ns, end_ns }) => [time_ns, end_ns > time_ns ? end_ns : time_ns + 1_000_000_000n])),
    ];
    const table = emptyMeasurements(
      work,
      'steps',
      times.sort((a, b) => (a < b ? -1 : 1)),
    );
    table.throughput.fill(0);
    table.requests.fill(0);
    return table;
  });

/**
 * Adds that jobs failed. One that stopped before that was mostly measured as one that did nothing: that is the same incident. What
 * did steps after its failure went on, and is judged by them.
 */
export function withFailures(
  found: readonly ImpactWindow[],
  failures: readonly JobFailure[],
  { measurements, graphs }: { readonly measurements: ReadonlyMap<number, Measurements>; readonly graphs: GraphsByTime },
): ImpactWindow[] {
  const all = [...found];
  for (const failure of failures) {
    const measured = measurements.get(failure.work);
    if (failure.isOfPods && measured?.from !== 'steps') continue;
    const window = measured && windowOf(failure, measured);
    if (!window) continue;
    const known = all.findIndex((one) => isSame(one, window, graphs));
    const other = all[known];
    if (!other) all.push(window);
    else if (other.harm === 'degraded' || other.harm === 'ended' || other.wentOn)
      all[known] = { ...other, harm: 'failed' };
  }
  return all;
}

const isSame = (one: ImpactWindow, failed: ImpactWindow, graphs: GraphsByTime): boolean => {
  const near = nanoseconds(impact.memorySeconds);
  const isThen = one.onset_earliest_ns <= failed.onset_ns + near && failed.onset_ns <= one.end_ns + near;
  return (
    isThen &&
    one.parts.length === 0 &&
    (one.service === failed.service || isOnSameMachines(graphs.at(failed.onset_ns), one.service, failed.service))
  );
};

/** undefined: it went on, by its measurements. */
function windowOf(failure: JobFailure, measured: Measurements): ImpactWindow | undefined {
  const { work, time_ns, stated_ns } = failure;
  const rows = [...measured.time_ns.keys()].filter((i) => measured.requests[i]! > 0 || measured.throughput[i]! > 0);
  const lastRow = rows.at(-1) ?? -1;
  const last_ns = measured.time_ns[lastRow];
  if (last_ns !== undefined && last_ns > stated_ns + nanoseconds(impact.endedSeconds)) return undefined;
  const stopped = withZeros(measured, lastRow + 1, failure);
  const first = lastRow + 1;
  const rates = rows.map((i) => measured.throughput[i]!).filter((rate) => rate > 0);
  const previous_ns = last_ns !== undefined && last_ns < time_ns ? last_ns : time_ns;
  return {
    service: work,
    measurements: stopped,
    first,
    last: stopped.time_ns.length - 1,
    baseline: {
      p99: Number.NaN,
      error_rate: Number.NaN,
      throughput: rates.length === 0 ? Number.NaN : rates.reduce((sum, rate) => sum + rate, 0) / rates.length,
      points: first,
    },
    onset_ns: time_ns,
    onset_earliest_ns: previous_ns,
    previous_ns,
    causes_from_ns: previous_ns,
    end_ns: failure.end_ns,
    peak_ns: stopped.time_ns[first]!,
    times_worse: Number.NaN,
    isStated: false,
    parts: [],
    harm: 'failed',
  };
}

/** The first measurements of a job, and none of its work from its failure to the end of what was recorded. */
function withZeros(measured: Measurements, rows: number, { time_ns, end_ns }: JobFailure): Measurements {
  const before = measured.time_ns.slice(0, rows);
  // The last interval with steps may end after the failure.
  const after = (before.at(-1) ?? time_ns) >= time_ns ? (before.at(-1) ?? time_ns) + 1n : time_ns;
  const times = [...before, after, ...(end_ns > after ? [end_ns] : [])];
  const table = emptyMeasurements(measured.service, measured.from, times);
  for (const column of columns) table[column].set(measured[column].subarray(0, rows));
  table.throughput.fill(0, rows);
  table.requests.fill(0, rows);
  return table;
}
