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
}, 120_000);
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

test('compare: the impact of the strongest incident against as long before', async () => {
  const { text, json } = await answer<{ differences: { attribute: string }[] }>('compare', demo);
  expect(text).toContain('hw.gpu.clock.sm');
  expect(json.differences.map(({ attribute }) => attribute)).toContain('hw.voltage');
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
