import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryCore, temporaryFolder } from '../support/core.ts';
import { sharedData } from '../support/shared-data.ts';

/** The best hypothesis of each incident, and its findings. */
async function verdictsOf(files: readonly string[]) {
  const core = await memoryCore();
  await core.import(files);
  const incidents = await core.api['incidents.list']({});
  const best = incidents.map(({ incident: { hypotheses } }) => ({
    type: hypotheses[0]?.type,
    on: hypotheses[0]?.subject?.id,
    probability: hypotheses[0]?.probability ?? 0,
  }));
  const { findings } = await core.api['patterns.list']({});
  return { best, incidents, patterns: findings.map(({ pattern }) => pattern) };
}

async function written(...lines: readonly string[]) {
  const file = join(await temporaryFolder(), 'recording.txt');
  await writeFile(file, ['# Faultline recording from 2026-01-01T00:00:00Z', ...lines, ''].join('\n'));
  return verdictsOf([file]);
}

const place = ['service:llm runs_on gpu:G0', 'server:n1 contains gpu:G0'];
const spans = (from: number, to: number, took: number, attributes: object) =>
  `spans ${from}..${to} service:llm every 0.25 took ${took} generate ${JSON.stringify({ 'gen_ai.request.model': 'm', ...attributes })}`;

test('underfilled batches that InferTrace spans state are the cause, for the service and for its caller', async () => {
  const { best, incidents, patterns } = await verdictsOf([sharedData('defects/inference/spans.json.gz')]);
  expect(best.map(({ type, on }) => [type, on])).toEqual([
    ['batching_limit', 'model-server'],
    ['batching_limit', 'model-server'],
  ]);
  for (const { probability } of best) expect(probability).toBeGreaterThan(0.8);
  expect(patterns.sort()).toEqual(['batch-underfilled', 'cache-misses', 'gpu-idle-while-queued', 'latency-tail']);
  expect(incidents[0]?.incident.hypotheses[0]?.evidence.map(({ text }) => text).join('\n')).toContain(
    'model-server ran batches of 8 of 32 (25 %, 89 % before) while 30.3 requests waited on average',
  );
});

test.each([
  ['cache_misses', { 'cache.hit': true }, { 'cache.hit': false }],
  ['longer_requests', { 'gen_ai.usage.input_tokens': 500 }, { 'gen_ai.usage.input_tokens': 4000 }],
])('%s names the cause', async (type, before, after) => {
  const { best } = await written(
    ...place,
    spans(0, 600, 0.3, before),
    spans(600, 720, 1.5, after),
    spans(720, 900, 0.3, before),
  );
  expect(best.map((one) => [one.type, one.on])).toEqual([[type, 'llm']]);
});

test('what was so before explains no change', async () => {
  const always = { 'batch.size': 4, 'batch.max_size': 32, 'queue.depth': 9 };
  const { best, patterns } = await written(
    ...place,
    spans(0, 600, 0.3, always),
    spans(600, 720, 1.5, always),
    spans(720, 900, 0.3, always),
  );
  expect(patterns).toContain('batch-underfilled');
  expect(best.map(({ type }) => type)).toEqual(['service_latency']);
});

test('beside a fault of its GPU the serving of a model is an effect', async () => {
  const calm = { 'cache.hit': true, 'queue.depth': 0 };
  const { best } = await written(
    ...place,
    spans(0, 600, 0.3, calm),
    '599 gpu:G0 xid_error critical kernel: Xid 79, GPU has fallen off the bus {"xid":79}',
    spans(600, 720, 1.5, { 'cache.hit': false, 'queue.depth': 9 }),
    spans(720, 900, 0.3, calm),
  );
  expect(best.map((one) => [one.type, one.on])).toEqual([['xid_error', 'G0']]);
});

test('a calm service has no findings', async () => {
  const calm = { 'cache.hit': true, 'queue.depth': 1, 'batch.size': 28, 'batch.max_size': 32 };
  expect((await written(...place, spans(0, 900, 0.3, calm))).patterns).toEqual([]);
});
