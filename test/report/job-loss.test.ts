import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryCore, temporaryFolder } from '../support/core.ts';
import { dumps } from '../support/training-job.ts';

const BEGIN = Date.UTC(2026, 4, 1, 14);
const RANKS = 8;
const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });

/** Counters of the steps of ranks, each with a GPU of its own, that all stand from minute 20 on; rank 5 a step behind. */
async function stalledJob(model: string, job = 'llm'): Promise<string> {
  const path = join(await temporaryFolder(), 'steps.json');
  const digits = Buffer.from(job).toString('hex').padEnd(12, '0').slice(0, 12);
  const resourceMetrics = Array.from({ length: RANKS }, (_, rank) => {
    const dataPoints = Array.from({ length: 120 }, (__, i) => ({
      timeUnixNano: `${BEGIN + 15_000 * i}000000`,
      asDouble: Math.min(Math.floor((15 * i) / 2), rank === 5 ? 599 : 600),
    }));
    const attributes = [
      attribute('service.name', job),
      attribute('gen_ai.training.rank', String(rank)),
      attribute('host.name', `${job}-node-1`),
      attribute('gpu.uuid', `GPU-0000000${rank}-1111-2222-3333-${digits}`),
      ...(model === '' ? [] : [attribute('gpu.model', model)]),
    ];
    return {
      resource: { attributes },
      scopeMetrics: [{ metrics: [{ name: 'train_global_step', gauge: { dataPoints } }] }],
    };
  });
  await writeFile(path, JSON.stringify({ resourceMetrics }));
  return path;
}

const example = await readFile('docs/rates.example.yaml', 'utf8');

test('what a stalled job lost has a price, with its date and source, in jobs and the report', async () => {
  const core = await memoryCore();
  await core.import([await stalledJob('NVIDIA H100 80GB HBM3')]);
  await core.api['rates.choose']({ name: 'example.yaml', text: example });
  const { jobs } = await core.api['jobs.list']({});
  expect(jobs).toMatchObject([{ state: 'stalled', lost: { gpus: RANKS, counted: 'gpus', price: { gap: null } } }]);
  const { idle_gpu_hours, price } = jobs[0]!.lost!;
  expect(idle_gpu_hours).toBeCloseTo((RANKS * (1785 - 1200)) / 3600, 1);
  expect(price.idle).toEqual({ low: null, high: expect.closeTo(idle_gpu_hours * 12.29, 9) });
  const sentence =
    /The job lost 1\.3 GPU-hours in 9\.\d recorded minutes without a step \(8 GPUs\), and no checkpoint is recorded, so what it has to do again is unknown; cost at most 16 USD without a step \(NVIDIA H100 80GB HBM3: at most 12\.29 USD\/h, AWS .*, 2024-06-01\)\./;
  for (const format of ['markdown', 'html', 'json'] as const) {
    const { text } = await core.api['report.render']({ format, rates: example });
    expect(text.indexOf('## Summary') < text.search(sentence)).toBe(true);
    expect(text).toMatch(sentence);
  }
});

test('records of later days do not make the loss of a stalled job longer, those that follow do', async () => {
  const logAt = async (name: string, minutes: number) => {
    const path = join(await temporaryFolder(), name);
    const line = (at: number) => JSON.stringify({ time: new Date(BEGIN + 60_000 * at).toISOString(), msg: 'served' });
    await writeFile(path, `${line(minutes)}\n${line(minutes + 60)}\n`);
    return path;
  };
  const lostWith = async (log: string) => {
    const core = await memoryCore();
    await core.import([await stalledJob('NVIDIA H100 80GB HBM3'), log]);
    return (await core.api['jobs.list']({})).jobs[0]!.lost!.idle_gpu_hours;
  };
  expect(await lostWith(await logAt('later.jsonl', 3 * 1440))).toBeCloseTo((RANKS * (1785 - 1200)) / 3600, 1);
  expect(await lostWith(await logAt('next.jsonl', 40))).toBeCloseTo((RANKS * (6000 - 1200)) / 3600, 1);
});

test('only hours are known without prices, and of GPUs that the catalog does not name or whose model is not recorded', async () => {
  const core = await memoryCore();
  const models = { known: 'NVIDIA H100', foreign: 'AMD Instinct MI300X', unknown: '' };
  await core.import(await Promise.all(Object.entries(models).map(([job, model]) => stalledJob(model, job))));
  const lossOf = async (name: string, rates: string | null) =>
    (await core.api['jobs.list']({ rates })).jobs.find((job) => job.name === name)?.lost;
  for (const [name, rates, gap] of [
    ['known', null, 'no_rates'],
    ['foreign', example, 'no_rate_of_gpu'],
    ['unknown', example, 'no_rate_of_gpu'],
  ] as const)
    expect(await lossOf(name, rates), name).toMatchObject({ gpus: RANKS, price: { idle: null, repeated: null, gap } });
});

test('ranks whose GPUs are not recorded have the price of all GPUs, and no other', async () => {
  const core = await memoryCore();
  const folder = await temporaryFolder();
  const files = Object.entries(dumps('missing')).map(([name, text]) => [join(folder, name), text] as const);
  for (const [path, text] of files) await writeFile(path, text);
  await core.import(files.map(([path]) => path));
  const flat = '{version: 1, currency: USD, rates: [{gpu: "*", per_gpu_hour: 2, source: contract}]}';
  const list = async (rates: string) => (await core.api['jobs.list']({ rates })).jobs[0]!.lost;
  expect(await list(example)).toMatchObject({ counted: 'ranks', price: { idle: null, gap: 'no_rate_of_gpu' } });
  const lost = (await list(flat))!;
  const cost = expect.closeTo(2 * lost.idle_gpu_hours, 9);
  expect(lost.price.idle).toEqual({ low: cost, high: cost });
  const { text } = await core.api['report.render']({ format: 'markdown', rates: flat });
  expect(text).toMatch(/The job lost .* \(16 ranks, each with a GPU of its own\)/);
});

/** A pod of the job `train/llm` that asks for eight GPUs and does not state its processes. */
const podOfEight = (index: number, node: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `llm-worker-${index}`,
    namespace: 'train',
    ownerReferences: [{ kind: 'PyTorchJob', name: 'llm' }],
    labels: {
      'app.kubernetes.io/name': 'llm',
      'training.kubeflow.org/replica-type': 'worker',
      'training.kubeflow.org/replica-index': String(index),
    },
    ...more,
  },
  spec: { nodeName: node, containers: [{ name: 'c', resources: { limits: { 'nvidia.com/gpu': '8' } } }] },
  status: { phase: 'Running' },
});

const nodeWith = (name: string, labels: Readonly<Record<string, string>>) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels },
});

/** What a job lost whose service counts its steps until minute 20, by these objects of its cluster. */
async function lostBy(...items: readonly object[]) {
  const folder = await temporaryFolder();
  const dataPoints = Array.from({ length: 120 }, (_, i) => ({
    timeUnixNano: `${BEGIN + 15_000 * i}000000`,
    asDouble: Math.min(Math.floor((15 * i) / 2), 600),
  }));
  const resource = { attributes: [attribute('service.name', 'llm')] };
  const scopeMetrics = [{ metrics: [{ name: 'train_global_step', gauge: { dataPoints } }] }];
  const files = {
    'steps.json': { resourceMetrics: [{ resource, scopeMetrics }] },
    'objects.json': { apiVersion: 'v1', kind: 'List', items },
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), JSON.stringify(content));
  const core = await memoryCore();
  await core.import(Object.keys(files).map((name) => join(folder, name)));
  const { jobs } = await core.api['jobs.list']({ rates: example });
  const report = async () => (await core.api['report.render']({ format: 'markdown', rates: example })).text;
  return { lost: jobs.find(({ state }) => state === 'stalled')?.lost, report, jobs, core };
}

test('pods of eight GPUs that do not state their processes: their GPUs, at the price of what their nodes hold', async () => {
  const { lost, report } = await lostBy(
    podOfEight(0, 'node-a'),
    podOfEight(1, 'node-b'),
    nodeWith('node-a', { 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3' }),
    nodeWith('node-b', { 'node.kubernetes.io/instance-type': 'p5.48xlarge' }),
  );
  expect(lost).toMatchObject({ gpus: 16, counted: 'pods', price: { gap: null } });
  expect(lost!.idle_gpu_hours).toBeCloseTo((16 * (1785 - 1200)) / 3600, 1);
  expect(lost!.price.idle).toEqual({ low: null, high: expect.closeTo(lost!.idle_gpu_hours * 12.29, 9) });
  expect(await report()).toContain('(16 GPUs that its pods ask for)');
});

test('a pod that was started anew counts once, and GPUs of an unknown node have no price', async () => {
  const [old, first, second] = [podOfEight(0, 'node-a'), podOfEight(0, 'node-c'), podOfEight(1, 'node-b')];
  const failed = { ...old, metadata: { ...old.metadata, name: 'llm-worker-0-old' }, status: { phase: 'Failed' } };
  const { lost } = await lostBy(failed, first, second, nodeWith('node-b', { 'nvidia.com/gpu.product': 'Tesla-T4' }));
  expect(lost).toMatchObject({ gpus: 16, counted: 'pods', price: { idle: null, gap: 'no_rate_of_gpu' } });
  // Where nothing separates pods, one that ended may be the one before another.
  const unnamed = { labels: { 'app.kubernetes.io/name': 'llm' } };
  const ended = { ...podOfEight(0, 'node-a', { ...unnamed, name: 'x' }), status: { phase: 'Failed' } };
  expect((await lostBy(ended, podOfEight(1, 'node-b', unnamed))).lost).toBeNull();
  expect((await lostBy(podOfEight(1, 'node-b', unnamed))).lost).toMatchObject({ gpus: 8, counted: 'pods' });
});

test('pods that state more GPUs than there can be have none that are known', async () => {
  const pod = podOfEight(0, 'node-a');
  const limits = { 'nvidia.com/gpu': '600000' };
  const spec = { ...pod.spec, containers: ['a', 'b'].map((name) => ({ name, resources: { limits } })) };
  expect((await lostBy({ ...pod, spec })).lost).toBeNull();
});

test('a job of Kubernetes and the service that runs in its pods are one, which ends with the failure of the job', async () => {
  const lastTransitionTime = new Date(BEGIN + 1_500_000).toISOString();
  const { jobs, report, core } = await lostBy(podOfEight(0, 'node-a'), podOfEight(1, 'node-b'), {
    ...{ apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob', metadata: { name: 'llm', namespace: 'train' } },
    status: { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', lastTransitionTime }] },
  });
  expect(jobs).toMatchObject([
    { id: 'job:train/llm', services: ['service:llm'], state: 'ended', reason: 'failed', last_step: 600 },
  ]);
  expect(jobs[0]!.lost).toMatchObject({ gpus: 16, counted: 'pods' });
  // From its last step to its failure.
  expect(jobs[0]!.lost!.idle_gpu_hours).toBeCloseTo((16 * (1500 - 1200)) / 3600, 1);
  expect(await report()).toContain('(16 GPUs that its pods ask for)');
  const { incidents } = await core.api.correlate({});
  expect(incidents).toMatchObject([{ harm: 'failed', affected_services: ['llm'] }]);
  const window = { start_ns: BigInt(BEGIN) * 1_000_000n, end_ns: BigInt(BEGIN + 600_000) * 1_000_000n, buckets: 1 };
  const [heat, same] = [
    await core.api['jobs.heat']({ job: 'job:train/llm', ...window }),
    await core.api['jobs.heat']({ job: 'service:llm', ...window }),
  ];
  expect(heat.values.length).toBe(1);
  expect(same).toEqual(heat);
});
