import type { CorrelateOptions } from '../../../model/incident/incident.ts';
import { nanoseconds } from '../../../model/time.ts';
import type { LifeSignFact, Reader, RecordingFact, StatedEvent } from '../../store/facts/reader.ts';
import { type JobFailure, readFailures } from '../impact/failed-jobs.ts';
import type { Measurements } from '../impact/measurement-table.ts';
import { readSlowRanks } from '../impact/part-impacts.ts';
import { readStalls, recordedUntil, type Stall } from '../impact/stalled-jobs.ts';
import { patternLimits } from '../patterns/parameters.ts';
import { trainingPatterns } from '../patterns/training/parameters.ts';
import { loopNames, SAVES } from '../patterns/training/training-spans.ts';
import { median } from '../statistics.ts';
import type { JobPod, JobRank, JobStall, TrainingJob } from './job.ts';
import { Marks } from './job-marks.ts';
import { entitiesOf, type JobMembers, least, Members, most } from './job-members.ts';
import { jobPods } from './job-pods.ts';
import { standingOf } from './job-standing.ts';
import { jobs as parameters } from './parameters.ts';
import { slowRanks } from './slow-ranks.ts';
import { stoppedRanks } from './stopped-ranks.ts';
import { waitedRanks } from './waited-ranks.ts';

/**
 * The training jobs of a case: those that hang first, then by ranks.
 * @param measured what is known of each service or job by canonical entity
 * @param options how long a rank is observed before its steps count as slow
 */
export async function readJobs(
  reader: Reader,
  measured: ReadonlyMap<number, Pick<Measurements, 'ended_ns'>>,
  options: CorrelateOptions,
): Promise<TrainingJob[]> {
  const range = await reader.recordedRange();
  if (!range) return [];
  const [entities, edges] = [await reader.entities(), await reader.edges()];
  const [spans, lines] = [await reader.spanStepProcesses(loopNames), await reader.lineStepProcesses()];
  const metrics = await reader.metricStepProcesses({
    seconds: parameters.quietSeconds,
    steps: parameters.quietSteps,
  });
  const members = new Members({ entities, edges, spans, lines, metrics });
  const further = new Set([...spans, ...lines, ...metrics].map(({ entity }) => entity));
  const signs = new Map((await reader.lifeSigns([...further])).map((one) => [one.entity, one]));
  const found = members.jobs(signs);
  if (found.length === 0) return [];
  const events = await reader.patternEvents(
    ['collective_stalled', 'collective_mismatch', 'pod_started', 'job_cancelled'],
    patternLimits.mostEvents,
  );
  const marks = new Marks(
    {
      returns: lines.length === 0 ? [] : await reader.stepReturns(parameters.mostMarks),
      saves: await reader.namedSpans(SAVES, patternLimits.mostSpans),
      saveLines: await reader.checkpointLines(SAVES, parameters.mostMarks),
      starts: events.filter(({ type }) => type === 'pod_started'),
      edges,
    },
    members,
  );
  const known = new Map(
    entities.filter((one) => one.entity_id === one.canonical_id).map((one) => [one.entity_id, one]),
  );
  const facts = {
    events: events.filter(({ type }) => type === 'collective_stalled' || type === 'collective_mismatch'),
    late: await reader.lateRanks(nanoseconds(trainingPatterns.lateSeconds)),
  };
  const podsOf = jobPods({ known, edges, pods: await reader.podGpus() });
  const [stalls, failures] = [await readStalls(reader), await readFailures(reader)];
  const [slow, recordings] = [await readSlowRanks(reader, options), await reader.recordings()];
  return found
    .map((one): TrainingJob => {
      const own = {
        ...one,
        pods: podsOf(one),
        stalls: stallsOf(one, stalls),
        failed_ns: failedOf(one, failures),
        cancelled_ns: cancelledOf(one, events),
        signs,
        until_ns: range.to_ns,
        recordings,
      };
      // The job may be known by its ranks, and measured as the service that it is.
      const works = [...one.works, ...one.ranks.flatMap(({ processes }) => processes.map(({ entity }) => entity))];
      const ended_ns = most(works.flatMap((work) => measured.get(work)?.ended_ns ?? []));
      const marked = marks.of(one);
      const job = jobOf(own, ended_ns);
      const waited = [
        ...waitedRanks(one.ranks, facts),
        ...stoppedRanks(one.ranks, job.usual_s),
        ...slowRanks(one, slow),
      ];
      return { ...job, waited, marks: marked };
    })
    .sort(
      (a, b) =>
        Number(b.standing.state === 'stalled') - Number(a.standing.state === 'stalled') ||
        b.ranks.length - a.ranks.length ||
        (a.id < b.id ? -1 : 1),
    );
}

interface Recorded extends JobMembers {
  readonly pods: readonly JobPod[];
  readonly stalls: readonly JobStall[];
  readonly failed_ns: bigint | null;
  readonly cancelled_ns: bigint | null;
  readonly signs: ReadonlyMap<number, LifeSignFact>;
  readonly until_ns: bigint;
  readonly recordings: readonly RecordingFact[];
}

function jobOf(
  { job, services, ranks, pods, stalls, failed_ns, cancelled_ns, signs, until_ns, recordings }: Recorded,
  ended_ns: bigint | null,
): Omit<TrainingJob, 'waited' | 'marks'> {
  const known = <T>(value: (rank: JobRank) => T | null): T[] => ranks.flatMap((rank) => value(rank) ?? []);
  const processes = ranks.flatMap((rank) => rank.processes);
  const sign = ranks.length === 0 || job.id.startsWith('job:') ? signs.get(job.entity) : undefined;
  const usual_s = processes.length === 0 ? null : median(processes.map((one) => one.usual_s));
  const steps = processes.flatMap(({ last_step }) => last_step ?? []);
  const step_ns = most(processes.map(({ last_ns }) => last_ns));
  const operation_ns = most(known(({ operation_ns: last }) => last));
  const worked_ns = step_ns ?? operation_ns;
  return {
    ...job,
    services,
    ranks,
    pods,
    hosts: new Set(ranks.flatMap(({ runsOn }) => runsOn.hosts)).size,
    first_ns: least([...known(({ first_ns }) => first_ns), ...(sign ? [sign.first_ns] : [])]),
    last_ns: most([...known(({ last_ns }) => last_ns), ...(sign ? [sign.last_ns] : [])]),
    last_step: steps.length === 0 ? null : Math.max(...steps),
    usual_s,
    operation_ns,
    worked_ns,
    until_ns,
    meanwhile_ns: worked_ns === null ? until_ns : recordedUntil(recordings, worked_ns, worked_ns),
    standing: standingOf({
      step_ns,
      operation_ns,
      usual_s,
      sampled_ns: most(processes.flatMap(({ sampled_ns }) => sampled_ns ?? [])),
      done_ns: most(processes.flatMap(({ done_ns }) => done_ns ?? [])),
      ended_ns,
      failed_ns,
      cancelled_ns,
      stalls,
      until_ns,
    }),
    stalls,
  };
}

/** Stalls of a job, or of ranks of it that name none. */
function stallsOf(members: JobMembers, stalls: readonly Stall[]): JobStall[] {
  const own = new Set(entitiesOf(members));
  return stalls
    .filter(({ work }) => own.has(work))
    .map(({ onset_ns, end_ns, wentOn }) => ({ from_ns: onset_ns, to_ns: end_ns, wentOn }));
}

/** When records stated last that a job failed; null: none does. */
function failedOf(members: JobMembers, failures: readonly JobFailure[]): bigint | null {
  const own = new Set(entitiesOf(members));
  return failures.filter(({ work }) => own.has(work)).at(-1)?.stated_ns ?? null;
}

/** When somebody or a limit ended a job; null: no record states that. */
function cancelledOf(members: JobMembers, events: readonly StatedEvent[]): bigint | null {
  const own = new Set(entitiesOf(members));
  const cancelled = events.filter(({ type, entity }) => type === 'job_cancelled' && own.has(entity));
  return most(cancelled.map(({ time_ns }) => time_ns));
}
