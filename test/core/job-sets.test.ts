import { expect, test } from 'vitest';
import { memoryCore } from '../support/core.ts';
import { atSecond } from '../support/software-case.ts';

const SET = 'jobset.sigs.k8s.io';

interface PodOf {
  readonly replicated: string;
  readonly index: number;
  readonly pod: number;
  readonly env?: readonly object[];
}

const jobName = ({ replicated, index }: Pick<PodOf, 'replicated' | 'index'>): string => `llm-${replicated}-${index}`;

/** As the controllers of JobSet and Job label it. */
function podOf(one: PodOf, global: number, jobs: number) {
  const { replicated, index, pod, env = [] } = one;
  const job = jobName(one);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${job}-${pod}-x${global}${pod}`,
      namespace: 'train',
      labels: {
        [`${SET}/jobset-name`]: 'llm',
        [`${SET}/replicatedjob-name`]: replicated,
        [`${SET}/job-index`]: String(index),
        [`${SET}/job-global-index`]: String(global),
        [`${SET}/global-replicas`]: String(jobs),
        'batch.kubernetes.io/job-name': job,
        'batch.kubernetes.io/job-completion-index': String(pod),
        'app.kubernetes.io/name': 'llm',
      },
      ownerReferences: [{ kind: 'Job', name: job, controller: true }],
    },
    spec: {
      nodeName: `node-${2 * global + pod}`,
      containers: [{ name: 'trainer', env, resources: { limits: { 'nvidia.com/gpu': '1' } } }],
    },
    status: { phase: 'Running', startTime: '2026-01-01T00:00:00Z' },
  };
}

const list = (items: readonly object[]) => ({ apiVersion: 'v1', kind: 'List', items });

/** Step lines of pods, with a rank if one is given. */
function lines(pods: readonly { readonly pod: string; readonly rank?: number }[]) {
  return {
    resourceLogs: pods.map(({ pod, rank }) => ({
      resource: {
        attributes: Object.entries({ 'service.name': 'llm', 'k8s.namespace.name': 'train', 'k8s.pod.name': pod }).map(
          ([key, value]) => ({ key, value: { stringValue: value } }),
        ),
      },
      scopeLogs: [
        {
          logRecords: Array.from({ length: 61 }, (_, i) => ({
            timeUnixNano: String(atSecond(10 * i)),
            severityNumber: 9,
            body: { stringValue: `${rank === undefined ? '' : `[rank${rank}] `}step ${i} loss 2.1` },
          })),
        },
      ],
    })),
  };
}

const workers = (index: number, pod: number, env: readonly object[] = []): PodOf => ({
  ...{ replicated: 'workers', index, pod, env },
});
const [twoJobs, onePodEach] = [
  [workers(0, 0), workers(0, 1), workers(1, 0), workers(1, 1)],
  (env: (index: number) => object) => [0, 1].map((index) => workers(index, 0, [env(index)])),
];
const byLabel = (name: string, key: string) => ({
  ...{ name, valueFrom: { fieldRef: { fieldPath: `metadata.labels['${key}']` } } },
});

/** The jobs of a recording, and what their rows are with the steps of each. */
async function jobsOf(pods: readonly PodOf[], ranks?: readonly number[]) {
  const names = [...new Set(pods.map(jobName))];
  const objects = pods.map((one) => podOf(one, names.indexOf(jobName(one)), names.length));
  const core = await memoryCore();
  const logged = objects.map(({ metadata }, i) => ({ pod: metadata.name, ...(ranks && { rank: ranks[i]! }) }));
  await core.importJson(list(objects), lines(logged));
  const { jobs } = await core.api['jobs.list']({});
  const window = { start_ns: atSecond(0), end_ns: atSecond(610), buckets: 1, measure: null };
  const rows = await Promise.all(jobs.map(({ id }) => core.api['jobs.heat']({ job: id, ...window })));
  return {
    jobs: jobs.map(({ id }) => id),
    rows: rows.flatMap((one) => one.ranks.map(({ name, steps }) => `${name}: ${steps}`)),
  };
}

test('pods of two Jobs with the same index are rows of their own in the JobSet', async () => {
  const { jobs, rows } = await jobsOf(twoJobs);
  expect(jobs).toEqual(['job:train/llm']);
  expect(rows).toEqual(
    ['workers-0 rank 0', 'workers-0 rank 1', 'workers-1 rank 0', 'workers-1 rank 1'].map((row) => `llm-${row}: 60`),
  );
});

test('a leader and workers of one JobSet are not mixed', async () => {
  const { jobs, rows } = await jobsOf([{ replicated: 'leader', index: 0, pod: 0 }, workers(0, 0), workers(0, 1)]);
  expect(jobs).toEqual(['job:train/llm']);
  expect(rows).toEqual(['leader-0 rank 0', 'workers-0 rank 0', 'workers-0 rank 1'].map((row) => `llm-${row}: 60`));
});

test('ranks that lines number across the JobSet are its ranks', async () => {
  const { jobs, rows } = await jobsOf(twoJobs, [0, 1, 2, 3]);
  expect(jobs).toEqual(['job:train/llm']);
  expect(rows).toEqual([0, 1, 2, 3].map((rank) => `rank ${rank}: 60`));
});

test.each<readonly [string, readonly PodOf[]]>([
  ['as a value', onePodEach((index) => ({ name: 'RANK', value: String(index) }))],
  ['by the global index of their Job', onePodEach(() => byLabel('NODE_RANK', `${SET}/job-global-index`))],
  ['in the only Job of their JobSet', [workers(0, 0), workers(0, 1)]],
])('pods that are numbered %s are ranks of the JobSet', async (_, pods) => {
  const { jobs, rows } = await jobsOf(pods);
  expect([jobs, rows]).toEqual([['job:train/llm'], ['rank 0: 60', 'rank 1: 60']]);
});

test('a number that is the index within a Job is none across the JobSet', async () => {
  const { rows } = await jobsOf(onePodEach(() => byLabel('NODE_RANK', 'batch.kubernetes.io/job-completion-index')));
  expect(rows).toEqual(['llm-workers-0 rank 0: 60', 'llm-workers-1 rank 0: 60']);
});
