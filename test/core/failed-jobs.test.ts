import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryCore, temporaryFolder } from '../support/core.ts';

const BEGIN = Date.UTC(2026, 4, 1, 14);
const stamp = (second: number): string => new Date(BEGIN + second * 1000).toISOString();

async function judge(texts: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder();
  const paths = Object.keys(texts).map((name) => join(folder, name));
  for (const path of paths) await writeFile(path, texts[path.slice(folder.length + 1)]!);
  const core = await memoryCore();
  await core.import(paths);
  const { incidents, warnings } = await core.api.correlate({});
  const { jobs } = await core.api['jobs.list']({});
  return { incidents, warnings, jobs };
}

/** Lines of steps as a container runtime keeps them, one a second. */
const steps = (first: number, last: number, from = 0): string[] =>
  Array.from(
    { length: last - first + 1 },
    (_, i) =>
      `${stamp(from + i + 1)} stdout F  [2026-05-01 14:00:00] iteration ${first + i}/ 100000 | elapsed time per iteration (ms): 1000.0 | lm loss: 2.1E+00 |`,
  );
const plainSteps = (last: number): string[] =>
  Array.from({ length: last }, (_, i) => `${stamp(i + 1)} INFO step ${i + 1} loss: 2.1`);
const torchrun = (second: number): string[] => [
  `${stamp(second)} stderr F E0501 14:10:05.200000 1234 torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: -9) local_rank: 5 (pid: 4326) of binary: /usr/bin/python3`,
];
/** A process of the report of torchrun, whose clock is two hours ahead of UTC. */
const reported = (second: number, rank: number, code: number, host = 'node-1'): string[] => [
  `  time      : ${stamp(second + 7200)
    .slice(0, 19)
    .replace('T', '_')}`,
  `  host      : ${host}`,
  `  rank      : ${rank} (local_rank: ${rank % 8})`,
  `  exitcode  : ${code} (pid: 43${rank})`,
  '  error_file: <N/A>',
];
const report = (first: readonly string[], others: readonly string[]): string[] => [
  ...['train.py FAILED', '------', 'Failures:', '[1]:', ...others],
  ...['------', 'Root Cause (first observed failure):', '[0]:', ...first, '======'],
];

test.each(['a record of each line', 'one record'])(
  'the rank that torchrun saw fail first is the cause, of %s',
  async (form) => {
    const lines = report(reported(604, 13, -9), reported(605, 14, -6));
    const text =
      form === 'one record'
        ? [...plainSteps(600), `${stamp(620)} ERROR failed (exitcode: -9) local_rank: 5 (pid: 4326)`, ...lines]
        : [...steps(1, 600), ...torchrun(620), ...lines.map((line) => `${stamp(620)} stderr F ${line}`)];
    const { incidents, jobs } = await judge({ 'pretrain.log': text.join('\n') });
    expect(incidents).toMatchObject([{ harm: 'failed', affected_services: ['pretrain'] }]);
    const [{ hypotheses, causal_chain }] = incidents as [(typeof incidents)[number]];
    expect(hypotheses[0]).toMatchObject({ type: 'rank_failed', subject: { kind: 'rank', id: 'pretrain/rank-13' } });
    expect(hypotheses[0]!.probability).toBeGreaterThan(0.8);
    // By the time that the report states, though it was printed 16 s later by a clock of another zone.
    expect(causal_chain.map(({ type, timestamp }) => [type, timestamp])[0]).toEqual(['rank_failed', stamp(604)]);
    expect(hypotheses.map(({ subject }) => subject?.id)).not.toContain('pretrain/rank-14');
    expect(jobs).toMatchObject([{ name: 'pretrain', state: 'ended', reason: 'failed' }]);
  },
);

test('what killed the rank that failed first is first itself, and ranks of other machines follow', async () => {
  const logs = {
    a: report(reported(604, 13, -9), reported(605, 14, -15)),
    b: report(reported(612, 21, -6, 'node-2'), []),
  };
  const text = [
    ...steps(1, 600),
    ...[...torchrun(620), ...[...logs.a, ...logs.b].map((line) => `${stamp(620)} stderr F ${line}`)],
  ];
  const killed = {
    ...{ id: 'k', timestamp: stamp(603.5), source: 'kernel', type: 'out_of_memory', severity: 'critical' },
    ...{ device_id: 'node-1', metadata: {}, raw_message: 'Out of memory: Killed process 4313 (python3)' },
  };
  const { incidents } = await judge({
    'pretrain.log': text.join('\n'),
    'events.json': JSON.stringify({ events: [killed] }),
  });
  expect(incidents).toHaveLength(1);
  expect(incidents[0]!.hypotheses[0]).toMatchObject({ type: 'out_of_memory', subject: { id: 'node-1' } });
  expect(incidents[0]!.causal_chain.map(({ type, device_id }) => `${type} ${device_id}`)).toEqual([
    'out_of_memory node-1',
    'rank_failed pretrain/rank-13',
    'trace_degradation pretrain',
  ]);
});

test('a job that is alone in the recording and that torchrun gives up has failed, and does nothing more', async () => {
  const { incidents, warnings, jobs } = await judge({
    'pretrain.log': [...steps(1, 600), ...torchrun(605)].join('\n'),
  });
  expect(incidents).toMatchObject([{ harm: 'failed', affected_services: ['pretrain'], work: 'steps' }]);
  expect(incidents[0]!.impact).toMatchObject({ throughput_baseline_rps: 1, throughput_peak_rps: 0 });
  // Its own report is not its cause.
  expect(incidents[0]!.hypotheses.every(({ event_id }) => event_id === null)).toBe(true);
  expect(warnings.join()).not.toContain('only one measurement');
  expect(jobs).toMatchObject([{ name: 'pretrain', state: 'ended', reason: 'failed', last_step: 600 }]);
});

test('a job that is started again after its failure runs', async () => {
  const log = [...steps(1, 600), ...torchrun(605), ...steps(501, 900, 700)].join('\n');
  const { incidents, jobs } = await judge({ 'pretrain.log': log });
  expect(incidents.map(({ harm }) => harm)).toEqual(['restarted']);
  expect(jobs).toMatchObject([{ state: 'running' }]);
});

test('the output of a job of Slurm: its node failed, or somebody ended it', async () => {
  const log = (end: string): string =>
    [...Array.from({ length: 600 }, (_, i) => `${stamp(i + 1)} INFO llm: step ${i + 1} loss: 2.1`), end].join('\n');
  const cancelled = 'slurmstepd: error: *** JOB 78 ON n-1 CANCELLED AT 2026-05-01T14:10:06';
  const lost = await judge({ 'slurm-78.out': log(`${cancelled} DUE TO NODE FAILURE ***`) });
  expect(lost.incidents.map(({ harm }) => harm)).toEqual(['failed']);
  expect(lost.jobs).toMatchObject([{ name: '78', state: 'ended', reason: 'failed' }]);
  const ended = await judge({ 'slurm-78.out': log(`${cancelled} DUE TO TIME LIMIT ***`) });
  expect(ended.incidents).toEqual([]);
  expect(ended.jobs).toMatchObject([{ name: '78', state: 'ended', reason: 'cancelled' }]);
});

interface Ended {
  readonly exitCode: number;
  readonly reason: string;
  readonly finishedAt: string;
}
const pod = (rank: number, state: { terminated?: Ended; running?: object }, lastState = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    ...{ name: `llm-worker-${rank}`, namespace: 'train', uid: `u${rank}` },
    labels: { 'training.kubeflow.org/job-name': 'llm' },
    ownerReferences: [{ kind: 'PyTorchJob', name: 'llm', controller: true }],
  },
  spec: { nodeName: `node-${rank}`, containers: [{ name: 'c', env: [{ name: 'RANK', value: String(rank) }] }] },
  status: {
    phase: 'Running',
    containerStatuses: [{ name: 'c', containerID: `containerd://${rank}`, state, lastState }],
  },
});
const list = (items: readonly object[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
const running = { running: { startedAt: '2026-05-01T14:00:00Z' } };
const ended = (exitCode: number, reason: string) => ({
  terminated: { exitCode, reason, finishedAt: '2026-05-01T14:10:00Z' },
});

test('the pod of a rank ends with an error: its job failed by it', async () => {
  const killed = [0, 1, 2, 3].map((rank) => pod(rank, rank === 3 ? ended(137, 'OOMKilled') : running));
  const { incidents, jobs } = await judge({ 'pods.json': list(killed) });
  expect(incidents).toMatchObject([{ harm: 'failed', affected_services: ['train/llm'] }]);
  expect(incidents[0]!.hypotheses[0]).toMatchObject({ type: 'pod_oom_killed', subject: { id: 'train/llm-worker-3' } });
  expect(jobs).toMatchObject([{ state: 'ended', reason: 'failed' }]);
});

test.each([
  ['at the same second', '2026-05-01T14:10:00Z'],
  ['seconds later', '2026-05-01T14:10:04Z'],
])('pods whose launcher ends them %s are no causes beside the one that was killed', async (_, finishedAt) => {
  const others = { terminated: { exitCode: 1, reason: 'Error', finishedAt } };
  const pods = [0, 1, 2, 3].map((rank) => pod(rank, rank === 2 ? ended(137, 'OOMKilled') : others));
  const { incidents } = await judge({ 'pods.json': list(pods) });
  expect(incidents).toHaveLength(1);
  const [first] = incidents[0]!.hypotheses;
  expect(first).toMatchObject({ type: 'pod_oom_killed', subject: { id: 'train/llm-worker-2' } });
  expect(first!.probability).toBeGreaterThan(0.85);
  expect(incidents[0]!.hypotheses.map(({ type }) => type)).not.toContain('pod_failed');
});

test.each([
  ['JobSet', 'jobset.x-k8s.io/v1alpha2', 'FailedJobs', { 'jobset.sigs.k8s.io/jobset-name': 'llm' }],
  ['Job', 'batch.volcano.sh/v1alpha1', 'PodFailed', { 'volcano.sh/job-name': 'llm' }],
])('that a %s of %s failed decides nothing by itself', async (kind, apiVersion, reason, labels) => {
  const condition = { type: 'Failed', status: 'True', reason, lastTransitionTime: '2026-05-01T14:10:06Z' };
  const state = { phase: 'Failed', lastTransitionTime: '2026-05-01T14:10:06Z' };
  const job = {
    ...{ apiVersion, kind, metadata: { name: 'llm', namespace: 'train', uid: 'j' } },
    status: kind === 'JobSet' ? { conditions: [condition] } : { state },
  };
  const of = (rank: number, ending: Parameters<typeof pod>[1]) => {
    const one = pod(rank, ending);
    return {
      ...one,
      metadata: { ...one.metadata, labels, ownerReferences: [{ kind, name: 'llm', controller: true }] },
    };
  };
  const alone = await judge({ 'pods.json': list([job, ...[0, 1, 2].map((rank) => of(rank, running))]) });
  expect(alone.incidents.map(({ harm }) => harm)).toEqual(['failed']);
  expect(alone.incidents[0]!.hypotheses[0]).toMatchObject({ type: 'insufficient_evidence' });
  const killed = await judge({
    'pods.json': list([job, ...[0, 1, 2].map((rank) => of(rank, rank === 2 ? ended(137, 'OOMKilled') : running))]),
  });
  expect(killed.incidents[0]!.hypotheses[0]).toMatchObject({
    type: 'pod_oom_killed',
    subject: { id: 'train/llm-worker-2' },
  });
});

test('containers that run, that are done or that run again, and a job that trains nothing, are no failed training', async () => {
  const some = [pod(0, running), pod(1, ended(0, 'Completed')), pod(2, running, ended(1, 'Error'))];
  const backup = {
    ...{ apiVersion: 'v1', kind: 'Event', reason: 'BackoffLimitExceeded', type: 'Warning' },
    metadata: { name: 'b', namespace: 'ops' },
    involvedObject: { kind: 'Job', name: 'backup', namespace: 'ops' },
    firstTimestamp: '2026-05-01T14:10:00Z',
  };
  expect((await judge({ 'pods.json': list([...some, backup]) })).incidents).toEqual([]);
});

test('one rank whose steps take longer, by its log lines, is named', async () => {
  const lines = Array.from({ length: 600 }, (_, i) =>
    Array.from({ length: 8 }, (__, rank) =>
      JSON.stringify({
        ...{ time: stamp(i + 1 + rank / 1000), message: 'step done', service: 'llm', rank, step: i + 1, loss: 2.1 },
        step_time_s: 1 + ((i * 7 + rank) % 10) / 1000 + (rank === 5 && i >= 400 ? 0.4 : 0),
      }),
    ),
  );
  const { incidents } = await judge({ 'ranks.jsonl': lines.flat().join('\n') });
  expect(incidents).toMatchObject([{ harm: 'slowed', affected_parts: [{ kind: 'rank', name: 'rank-5' }] }]);
});

test('ranks that a line tags and the lines beside them are of one job', async () => {
  const at = (step: number) =>
    `2026-05-01 14:${String(Math.floor(step / 60)).padStart(2, '0')}:${String(step % 60).padStart(2, '0')}`;
  const lines = Array.from({ length: 300 }, (_, i) => [
    `[${at(i)},100] [INFO] [logging.py:96:log_dist] [Rank 0] step=${i + 1}, skipped=0, lr=[0.0001]`,
    `[${at(i)},200] [INFO] [timer.py:199:stop] epoch=0/micro_step=${8 * (i + 1)}/global_step=${i + 1}, CurrSamplesPerSec=260.6`,
  ]);
  const { jobs } = await judge({ 'deep.log': lines.flat().join('\n') });
  expect(jobs).toMatchObject([{ name: 'deep', last_step: 300, usual_s: 1 }]);
  const tagged = Array.from({ length: 300 }, (_, i) => `[rank${i % 2}]: ${at(i)} INFO step ${i + 1} loss: 2.1`);
  expect((await judge({ 'tags.log': tagged.join('\n') })).jobs).toMatchObject([{ ranks: 2, ranks_with_steps: 2 }]);
});
