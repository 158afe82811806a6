import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultline as faultlineApart } from '../support/command-line.ts';
import { faultlineHere as faultline } from '../support/command-line-here.ts';
import { removeFolder } from '../support/remove-folder.ts';

let folder = '';
let demo = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'views-'));
  await faultlineApart('demo', '--dir', folder);
  demo = join(folder, 'demo.faultline');
});
afterAll(() => removeFolder(folder));

async function answer<T>(...args: readonly string[]): Promise<{ readonly text: string; readonly json: T }> {
  const [words, data] = [await faultline(...args), await faultline(...args, '--json')];
  expect([words.code, data.code], words.err + data.err).toEqual([0, 0]);
  return { text: words.out, json: JSON.parse(data.out) as T };
}

test('gpus: the GPUs of the sagging feed, without a time asked for', async () => {
  const { text, json } = await answer<{ differences: { gpus: number[] }[] }>('gpus', demo);
  expect(text).toMatch(/32 GPUs, gpu-node-05\/GPU-0 \.\.\. {2}hw\.gpu\.clock\.sm/);
  expect(json.differences[0]?.gpus).toHaveLength(32);
});

test('logs: new templates first, against the time before the incident', async () => {
  const { text, json } = await answer<{ templates: { novelty: string }[] }>('logs', demo);
  expect(text).toMatch(/^compared with the \d+ s before\nnovelty .*\nnew .*preempting sequence/);
  expect(json.templates[0]?.novelty).toBe('new');
});

test('logs: fields with counts, the lines of a value, and the lines around one', async () => {
  const fields = await answer<{ facets: { field: string; values: { value: string; lines: number }[] }[] }>(
    'logs',
    demo,
    '--fields',
  );
  expect(fields.text).toMatch(
    /^field +lines +value\nlevel +298 +warn\nlevel +1396 +info\nfrom +626 +service:llama-70b/,
  );
  expect(fields.json.facets.map(({ field }) => field)).toContain('resource host.name');
  const warned = await answer<{ records: { ref: string; body: string }[] }>('logs', demo, '--where', 'level=warn');
  expect(warned.json.records).toHaveLength(100);
  expect(warned.text).toContain('the first 100 lines; --limit shows more');
  const { ref } = warned.json.records[0]!;
  const around = await answer<{ records: { ref: string }[] }>('logs', demo, '--around', ref, '--context', '2');
  expect(around.json.records.map((record) => record.ref)[2]).toBe(ref);
  expect(around.text.split('\n').filter((line) => line.startsWith('>'))).toHaveLength(1);
});

test('compare: the impact of the strongest incident against as long before', async () => {
  const { text, json } = await answer<{ differences: { attribute: string }[] }>('compare', demo);
  expect(text).toContain('hw.gpu.clock.sm');
  expect(json.differences.map(({ attribute }) => attribute)).toContain('hw.voltage');
});

test('lifecycle --parts: hardware with what failed, and how often parts of a model failed', async () => {
  const path = join(folder, 'worn', 'worn-parts.faultline');
  await faultline('demo', '--scenario', 'worn-parts', '--dir', join(folder, 'worn'));
  const { code, out } = await faultline('lifecycle', path, '--parts');
  expect(code).toBe(0);
  expect(out).toMatch(
    /^GPU-00000002-\S+5 +gpu-node-02 +1650524019105 +NVIDIA H100 80GB HBM3 +2 +101 +replaced by serial/m,
  );
  expect(out).toContain('2 failures in 2297 recorded hours: one in 1149 h (95 %: 318 to 9484 h)');
  expect(JSON.parse((await faultline('lifecycle', path, '--parts', '--json')).out)).toMatchObject({ total: 19 });
});

test('lifecycle: a fault that nobody reacted to', async () => {
  const { text, json } = await answer<{ untreated_count: number }>('lifecycle', demo);
  expect(text).toContain('detected, without a recorded reaction: 1\n');
  expect(json.untreated_count).toBe(1);
});

test('trace: its spans as a tree; an unknown one is refused', async () => {
  const found = await answer<{ traces: { trace_id: string }[] }>('traces', demo, '{ status = error }', '--limit', '1');
  const { text, json } = await answer<{ span_id: string[] }>('trace', demo, found.json.traces[0]!.trace_id);
  expect(json.span_id).toHaveLength(5);
  expect(text).toMatch(/ {2}chat-api: POST \/v1\/chat\/completions {2}failed\n.* {4}chat-api: call llama-70b\n/);
  expect(await faultline('trace', demo, '0'.repeat(32))).toMatchObject({ code: 1 });
});

test('traces: a metric is a table over time', async () => {
  const query = '{ } | rate() by (resource.service.name) | topk(2)';
  const { text, json } = await answer<{ series: { values: number[] }[] }>('traces', demo, query, '--buckets', '3');
  expect(text.split('\n')[0]).toMatch(/^time +chat-api 1\/s +embeddings 1\/s$/);
  expect(json.series.map(({ values }) => values.length)).toEqual([3, 3]);
});

test('traces --services: who calls whom', async () => {
  const { text, json } = await answer<{ calls: { caller: string | null; callee: string }[] }>(
    'traces',
    demo,
    '--services',
  );
  expect(text).toMatch(/^caller +callee +calls +calls\/s +errors +p50 ms +p95 ms\n/);
  expect(text).toMatch(/\nchat-api +llama-70b +5\d{3} +2\.\d+ +\d+ +\d+\.\d +\d+\.\d\n/);
  expect(json.calls).toContainEqual(expect.objectContaining({ caller: 'chat-api', callee: 'llama-70b' }));
});
