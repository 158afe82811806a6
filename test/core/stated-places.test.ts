import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { liveDeriver } from '../../src/core/api/captures/live-deriver.ts';
import { prepareCase } from '../../src/core/store/case-file/case-file.ts';
import { finishCapture } from '../../src/core/store/live/finish-capture.ts';
import { LiveWriter } from '../../src/core/store/live/live-writer.ts';
import { openNativeEngine } from '../../src/main/engine/native-engine.ts';
import { otlpJson } from '../../src/main/sources/otlp-json/index.ts';
import { readPlaces } from '../../src/main/sources/workload/append-places.ts';
import { memoryCore, type TestCore, temporaryFolder } from '../support/core.ts';
import { inputOf } from '../support/source-input.ts';

const attribute = (key: string, value: string | number) => ({
  key,
  value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
});
const attributes = (values: Readonly<Record<string, string | number>>) =>
  Object.entries(values).map(([key, value]) => attribute(key, value));

let spans = 0;
const trace = (
  resource: Readonly<Record<string, string | number>>,
  ...own: Readonly<Record<string, string | number>>[]
) => ({
  resourceSpans: [
    {
      resource: { attributes: attributes(resource) },
      scopeSpans: [
        {
          spans: own.map((values) => ({
            traceId: '1'.repeat(32),
            spanId: (++spans).toString(16).padStart(16, '0'),
            name: 'work',
            startTimeUnixNano: '1777644000000000000',
            endTimeUnixNano: '1777644001000000000',
            attributes: attributes(values),
          })),
        },
      ],
    },
  ],
});

async function linksOf(...documents: readonly unknown[]): Promise<string[]> {
  const core = await memoryCore();
  return linksIn(core, ...documents);
}

async function linksIn(core: TestCore, ...documents: readonly unknown[]): Promise<string[]> {
  for (const event of await core.importJson(...documents))
    if (event.kind === 'problem') throw new Error(event.problem.message);
  const { rows } = await core.api['query.sql']({ sql: LINKS });
  return rows.map(([text]) => String(text));
}

/** Of entities under the name that stands for all of theirs. */
const LINKS = `
  with named as (
    select c.entity_id, e.kind || ':' || e.id as name from canonical c join entity e on e.entity_id = c.canonical_id)
  select distinct f.name || ' ' || k.text || ' ' || t.name from edge
  join named f on f.entity_id = from_entity join named t on t.entity_id = to_entity join name k on k.name_id = edge.kind
  order by 1`;

test('a span that names a GPU of its host places its service there', async () => {
  const links = await linksOf(
    trace({ 'service.name': 'model-server', 'host.name': 'gpu-host-1' }, { 'gpu.device_id': 'GPU-1' }, { other: 1 }),
  );
  expect(links).toEqual([
    'server:gpu-host-1 contains gpu:gpu-host-1/gpu1',
    'service:model-server runs_on gpu:gpu-host-1/gpu1',
    'service:model-server runs_on server:gpu-host-1',
  ]);
});

test('a number without a machine names no GPU; a UUID does', async () => {
  expect(await linksOf(trace({ 'service.name': 'a' }, { 'gpu.device_id': '1' }))).toEqual([]);
  expect(
    await linksOf(trace({ 'service.name': 'a' }, { 'gpu.uuid': 'GPU-11111111-2222-3333-4444-555555555555' })),
  ).toEqual(['service:a runs_on gpu:GPU-11111111-2222-3333-4444-555555555555']);
});

test('host and pod in the attributes of a span place its service as those of a resource do', async () => {
  expect(
    await linksOf(
      trace({ 'service.name': 'a' }, { 'k8s.pod.name': 'a-0', 'k8s.namespace.name': 'x', 'host.name': 'n1' }),
    ),
  ).toEqual(['pod:x/a-0 runs_on server:n1', 'service:a runs_on pod:x/a-0']);
});

test('a name in an inner object places nothing, and hides no place of another record', async () => {
  const inner = (name: string) => {
    const one = trace({ 'service.name': name }, ...Array.from({ length: 20 }, () => ({})), { 'host.name': 'n1' });
    const [{ scopeSpans }] = one.resourceSpans as [(typeof one.resourceSpans)[number]];
    const detail = { key: 'peer', value: { kvlistValue: { values: attributes({ 'host.name': 'n1' }) } } };
    for (const span of scopeSpans[0]!.spans.slice(0, 20)) span.attributes = [detail as never];
    if (name === 'b') scopeSpans[0]!.spans.pop();
    return one;
  };
  expect(await linksOf(inner('a'), inner('b'))).toEqual(['service:a runs_on server:n1']);
});

test('rank 12 of two jobs is two entities; a rank of a search result is none', async () => {
  const job = (id: string, host: string) =>
    trace(
      { 'service.name': 'trainer', 'host.name': host, 'gen_ai.training.rank': 12, 'gen_ai.training.job_id': id },
      {},
    );
  const links = await linksOf(job('a', 'n1'), job('b', 'n2'), trace({ 'service.name': 'search' }, { rank: 3 }));
  expect(links.filter((link) => link.startsWith('rank:'))).toEqual([
    'rank:a/rank-12 member_of job:a',
    'rank:a/rank-12 runs_on server:n1',
    'rank:b/rank-12 member_of job:b',
    'rank:b/rank-12 runs_on server:n2',
  ]);
});

const pod = (name: string, spec: object, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'train',
    ownerReferences: [{ kind: 'PyTorchJob', name: 'llm' }],
    ...more,
  },
  spec: { nodeName: 'node-5', ...spec },
  status: { phase: 'Running' },
});
const container = (env: Readonly<Record<string, string>>, gpus = 0) => ({
  containers: [
    {
      name: 'c',
      env: Object.entries(env).map(([name, value]) => ({ name, value })),
      resources: gpus > 0 ? { limits: { 'nvidia.com/gpu': String(gpus) } } : {},
    },
  ],
});
const ranksOf = async (...items: readonly object[]) =>
  (await linksOf({ apiVersion: 'v1', kind: 'List', items })).filter((link) => link.startsWith('rank:'));

test('pods hold the ranks that their operator numbers', async () => {
  expect(await ranksOf(pod('llm-5', container({ RANK: '5' }, 1)))).toEqual([
    'rank:train/llm/rank-5 member_of job:train/llm',
    'rank:train/llm/rank-5 runs_on pod:train/llm-5',
  ]);
  const two = await ranksOf(pod('llm-1', container({ PET_NODE_RANK: '1', PET_NPROC_PER_NODE: 'auto' }, 2)));
  expect(two.filter((link) => link.includes('runs_on'))).toEqual([
    'rank:train/llm/rank-2 runs_on pod:train/llm-1',
    'rank:train/llm/rank-3 runs_on pod:train/llm-1',
  ]);
  const worker = {
    labels: { 'training.kubeflow.org/replica-index': '0', 'training.kubeflow.org/replica-type': 'worker' },
  };
  expect(await ranksOf(pod('llm-worker-0', container({ MASTER_ADDR: 'llm-master-0' }), worker))).toContain(
    'rank:train/llm/rank-1 runs_on pod:train/llm-worker-0',
  );
});

test('a pod of eight GPUs that does not state its processes has unknown ranks', async () => {
  expect(await ranksOf(pod('llm-1', container({ RANK: '1' }, 8)))).toEqual([]);
});

const topology = [
  'from_kind,from_id,edge,to_kind,to_id,valid_from,valid_to',
  'server,node-5,contains,gpu,node-5/GPU-0,,',
];

test('ranks without a job are those of the only job that the case knows, and of none of two', async () => {
  const csv = [...topology, 'rank,rank-5,runs_on,gpu,node-5/GPU-0,,'].join('\n');
  const named = pod('llm-5', container({ RANK: '5' }, 1));
  const other = {
    ...named,
    metadata: { ...named.metadata, name: 'b-5', ownerReferences: [{ kind: 'Job', name: 'b' }] },
  };
  const of = async (...items: readonly object[]) => {
    const core = await memoryCore();
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'topology.csv'), csv);
    await core.import([join(folder, 'topology.csv')]);
    const links = await linksIn(core, { apiVersion: 'v1', kind: 'List', items });
    return links.filter((link) => link.startsWith('rank:') && link.includes('runs_on'));
  };
  expect(await of(named)).toEqual(['rank:rank-5 runs_on gpu:node-5/GPU-0', 'rank:rank-5 runs_on pod:train/llm-5']);
  expect(await of(named, other)).toEqual([
    'rank:rank-5 runs_on gpu:node-5/GPU-0',
    'rank:train/b/rank-5 runs_on pod:train/b-5',
    'rank:train/llm/rank-5 runs_on pod:train/llm-5',
  ]);
});

test('GPU 0 of a machine is one, however a topology and a span write it', async () => {
  const core = await memoryCore();
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'topology.csv'), topology.join('\n'));
  await core.import([join(folder, 'topology.csv')]);
  const links = await linksIn(core, trace({ 'service.name': 'a', 'host.name': 'node-5' }, { 'gpu.index': 0 }));
  expect(links).toContain('service:a runs_on gpu:node-5/GPU-0');
});

test('a live capture has the links that its records state once it has ended', async () => {
  const engine = await openNativeEngine(':memory:');
  await prepareCase(engine, 'live');
  const session = await engine.session();
  onTestFinished(async () => {
    session.close();
    await engine.close();
  });
  const writer = await LiveWriter.begin(session, await liveDeriver(session));
  const clock = { clock_offset_ns: 0n, clock_uncertainty_ns: 0n };
  const feed = writer.add({ name: 'otlp', format: 'otlp-live', imported_at_ns: 0n, ...clock }, true);
  const document = trace({ 'service.name': 'model-server' }, { 'host.name': 'gpu-host-1', 'gpu.device_id': 'GPU-1' });
  const input = inputOf(JSON.stringify(document));
  for await (const batch of otlpJson.read(input)) writer.append(feed, batch);
  await writer.flush();
  const links = async () => (await session.query(LINKS)).columns[0];
  expect(await links()).toEqual([]);
  await finishCapture(session, 'ended', readPlaces);
  expect(await links()).toEqual([
    'server:gpu-host-1 contains gpu:gpu-host-1/gpu1',
    'service:model-server runs_on gpu:gpu-host-1/gpu1',
    'service:model-server runs_on server:gpu-host-1',
  ]);
});
