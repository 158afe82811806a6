import { expect, test } from 'vitest';
import type { TrainingJob } from '../../src/core/analysis/jobs/job.ts';
import { readJobs } from '../../src/core/analysis/jobs/read-jobs.ts';
import { readHeat } from '../../src/core/api/jobs/job-heat.ts';
import { createReader } from '../../src/core/store/facts/reader.ts';
import { appendEvent } from '../../src/main/sources/event-details/append-event.ts';
import type { EntityKind } from '../../src/model/entity.ts';
import { correlateOptionsSchema } from '../../src/model/incident/incident-schema.ts';
import { rankId } from '../../src/model/rank-name.ts';
import { ALWAYS_FROM, ALWAYS_TO } from '../../src/model/rows/rows.ts';
import type { Session } from '../../src/model/storage/engine.ts';
import { atSecond, type Recording, recordedCase } from '../support/software-case.ts';

const END = 600;

/** `pod:train/llm-0 member_of job:train/llm`: links of a case by hand. */
function link({ builder }: Recording, ...texts: readonly string[]): void {
  const entity = (key: string): number =>
    builder.entity(key.slice(0, key.indexOf(':')) as EntityKind, key.slice(key.indexOf(':') + 1));
  for (const text of texts) {
    const [from = '', kind = '', to = ''] = text.split(' ');
    const row = { from_entity: entity(from), kind: builder.name(kind), to_entity: entity(to) };
    const times = { valid_from_ns: ALWAYS_FROM, valid_to_ns: ALWAYS_TO };
    builder.table('edge').push({ ...row, ...times, provenance: builder.name('test') });
  }
}

interface Process {
  readonly pod?: string;
  readonly pid?: number;
  readonly rank?: number;
}

/** Lines of a service that state a step each 10 s. */
function steps({ builder }: Recording, service: string, { pod, pid, rank }: Process = {}): void {
  const named = { 'service.name': service, 'k8s.pod.name': pod, 'process.pid': pid };
  const entity = builder.entity('service', service);
  const resource = builder.resource({ entity, attributes: JSON.stringify(named), schema_url: '' });
  const codes = { severity: 9, severity_text: -1, event_name: -1, resource, scope: -1, flags: 0, dropped: 0 };
  const ids = { observed_ns: 0n, trace_hi: 0n, trace_lo: 0n, span_id: 0n };
  for (let at = 0; at <= END; at += 10) {
    const attributes = JSON.stringify({ step: at / 10, loss: 2, ...(rank !== undefined && { rank: String(rank) }) });
    builder.table('log').push({ time_ns: atSecond(at), ...codes, ...ids, body: 'a line', attributes });
  }
}

function happens({ builder }: Recording, type: 'job_failed' | 'job_cancelled', job: string, second: number): void {
  const stated = { type, severity: 'high', message: type, origin: 'kubernetes', attributes: {}, raw: '' } as const;
  appendEvent(builder, { entity: builder.entity('job', job), time_ns: atSecond(second), ...stated });
}

async function jobsOf(fill: (recording: Recording) => void): Promise<[TrainingJob[], Session]> {
  const session = await recordedCase(fill);
  return [await readJobs(createReader(session), new Map(), correlateOptionsSchema.parse({})), session];
}
/** `job:train/llm+service:llm 1`: names and rows of each job, in order. */
const listed = (jobs: readonly TrainingJob[]): string[] =>
  jobs.map(({ id, services, ranks }) => `${[id, ...services].join('+')} ${ranks.length}`).sort();
const inPods = ['service:llm runs_on pod:train/llm-0', 'pod:train/llm-0 member_of job:train/llm'];

test('the job of pods and the service that runs in them are one entry, with the steps of the service', async () => {
  const [jobs] = await jobsOf((recording) => {
    steps(recording, 'llm');
    link(recording, ...inPods, 'service:llm runs_on pod:train/llm-1', 'pod:train/llm-1 member_of job:train/llm');
  });
  expect(listed(jobs)).toEqual(['job:train/llm+service:llm 1']);
  expect(jobs[0]).toMatchObject({ name: 'train/llm', last_step: 60, standing: { state: 'running' } });
});

test.each(['job_failed', 'job_cancelled'] as const)('%s of the job is the end of its service', async (kind) => {
  const [jobs] = await jobsOf((recording) => {
    steps(recording, 'llm');
    link(recording, ...inPods);
    happens(recording, kind, 'train/llm', END);
  });
  const reason = kind === 'job_failed' ? 'failed' : 'cancelled';
  expect(jobs.map(({ standing }) => standing)).toEqual([{ state: 'ended', reason, since_ns: atSecond(END) }]);
});

test.each([
  ['names are alike, and no link joins them', ['pod:train/llm-0 member_of job:train/llm'], ['job:train/llm 0']],
  [
    'it runs in pods of two jobs',
    [...inPods, 'service:llm runs_on pod:train/old-0', 'pod:train/old-0 member_of job:train/old'],
    ['job:train/llm 0', 'job:train/old 0'],
  ],
  [
    'it runs in pods of two runs of a schedule',
    [
      ...['service:llm runs_on pod:a', 'pod:a member_of job:train/nightly-29392560'],
      ...['service:llm runs_on pod:b', 'pod:b member_of job:train/nightly-29394000'],
      ...['29392560', '29394000'].map((run) => `job:train/nightly-${run} member_of job:train/nightly`),
    ],
    ['job:train/nightly 0', 'job:train/nightly-29392560 0', 'job:train/nightly-29394000 0'],
  ],
  [
    'nothing states the job of another of its pods',
    [...inPods, 'service:llm runs_on pod:train/old-0'],
    ['job:train/llm 0'],
  ],
])('a service and a job stay two where %s', async (_, links, others) => {
  const [jobs] = await jobsOf((recording) => {
    steps(recording, 'llm');
    link(recording, ...links);
  });
  expect(listed(jobs)).toEqual([...others, 'service:llm 1']);
});

test('two services with steps in the pods of one job stay apart from it', async () => {
  const [jobs] = await jobsOf((recording) => {
    for (const service of ['llm', 'evaluation']) {
      steps(recording, service);
      link(recording, `service:${service} runs_on pod:train/llm-0`);
    }
    link(recording, 'pod:train/llm-0 member_of job:train/llm');
  });
  expect(listed(jobs)).toEqual(['job:train/llm 0', 'service:evaluation 1', 'service:llm 1']);
});

test.each([
  [
    'Jobs of a JobSet',
    [
      ...['service:llm runs_on pod:train/llm-a-0', 'pod:train/llm-a-0 member_of job:train/llm-a'],
      ...['service:llm runs_on pod:train/llm-b-0', 'pod:train/llm-b-0 member_of job:train/llm-b'],
      ...['job:train/llm-a member_of job:train/llm', 'job:train/llm-b member_of job:train/llm'],
    ],
    ['job:train/llm+service:llm 1'],
  ],
  [
    'a run of a schedule',
    [
      ...['service:llm runs_on pod:a', 'pod:a member_of job:train/nightly-29392560'],
      'job:train/nightly-29392560 member_of job:train/nightly',
    ],
    ['job:train/nightly 0', 'job:train/nightly-29392560+service:llm 1'],
  ],
  ['a pod that was started anew', [...inPods, 'service:llm runs_on pod:train/llm-1'], ['job:train/llm+service:llm 1']],
  [
    'a container',
    [
      ...['service:llm runs_on container:c', 'container:c member_of pod:train/llm-0'],
      'pod:train/llm-0 member_of job:train/llm',
    ],
    ['job:train/llm+service:llm 1'],
  ],
])('a service in %s is joined', async (_, links, expected) => {
  const [jobs] = await jobsOf((recording) => {
    steps(recording, 'llm');
    link(recording, ...links);
  });
  expect(listed(jobs)).toEqual(expected);
});

/** Ranks of two jobs, so that a number alone names none, each in a pod of its own. */
const twoJobs = (recording: Recording): void => {
  for (const job of ['llm', 'other'])
    for (const rank of [0, 1]) {
      const [own, pod] = [`train/${job}`, `pod:train/${job}-${rank}`];
      recording.builder.entity('rank', rankId(rank, own), [{ kind: 'rank_of_job', name: rankId(rank, '') }]);
      link(recording, `rank:${rankId(rank, own)} member_of job:${own}`, `rank:${rankId(rank, own)} runs_on ${pod}`);
      link(recording, `${pod} member_of job:${own}`, `service:${job} runs_on ${pod}`);
    }
};

test('a rank that both names have is one row, in which the records of both are', async () => {
  const [jobs, session] = await jobsOf((recording) => {
    twoJobs(recording);
    for (const rank of [0, 1]) steps(recording, 'llm', { rank });
  });
  expect(listed(jobs)).toEqual(['job:train/llm+service:llm 2', 'job:train/other 2']);
  const [job] = jobs.filter(({ name }) => name === 'train/llm');
  expect(job!.ranks.map(({ name, stepsFrom }) => [name, stepsFrom])).toEqual([
    ['rank 0', 'lines'],
    ['rank 1', 'lines'],
  ]);
  const window = { start_ns: atSecond(0), end_ns: atSecond(END), buckets: 2, measure: null };
  const { values, ranks } = await readHeat(session, job!, { job: job!.id, ...window });
  expect([...values]).toEqual([10, 10, 10, 10]);
  expect(ranks.map(({ entity }) => entity)).toEqual(['rank:train/llm/rank-0', 'rank:train/llm/rank-1']);
});

test('a process that is alone with a rank in a pod is that rank', async () => {
  const [jobs] = await jobsOf((recording) => {
    twoJobs(recording);
    for (const pod of ['llm-0', 'llm-1']) steps(recording, 'llm', { pod });
    // Two processes in one pod: nothing states which of them is the rank.
    for (const pid of [70, 71]) steps(recording, 'other', { pod: 'other-1', pid });
  });
  expect(listed(jobs)).toEqual(['job:train/llm+service:llm 2', 'job:train/other+service:other 4']);
  const numbers = (of: string) => jobs.find(({ name }) => name === of)!.ranks.map(({ rank }) => rank);
  expect(numbers('train/llm')).toEqual([0, 1]);
  expect(numbers('train/other')).toEqual([0, 1, null, null]);
});
