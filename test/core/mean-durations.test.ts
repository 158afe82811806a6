import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { memoryCore, temporaryFolder } from '../support/core.ts';

const EVERY_S = 15;
const COLLECTIONS = 80;
const BROKEN = 50;
const START_MS = 1_767_225_600_000;

/** Growth of the counters of a page between two collections. */
type Growth = (collection: number) => Readonly<Record<string, number>>;

/** A page that Prometheus collects for 20 minutes: counters that begin at a large value, as those of a server that ran before. */
async function collected(types: readonly string[], growth: Growth) {
  const totals = new Map<string, number>();
  const lines = new Map<string, string[]>();
  for (let i = 0; i < COLLECTIONS; i++)
    for (const [series, value] of Object.entries(growth(i))) {
      const total = (totals.get(series) ?? 5000) + value;
      totals.set(series, total);
      const own = lines.get(series) ?? [];
      lines.set(series, own);
      own.push(`${series} ${total} ${START_MS + i * EVERY_S * 1000}`);
    }
  const family = (line: string): string => types.find((type) => line.startsWith(type.split(' ')[0]!)) ?? '';
  const text = [...lines.values()].flat().toSorted((a, b) => types.indexOf(family(a)) - types.indexOf(family(b)));
  const named = text.flatMap((line, i) =>
    family(line) !== '' && (i === 0 || family(text[i - 1]!) !== family(line))
      ? [`# TYPE ${family(line)}`, line]
      : [line],
  );
  const file = join(await temporaryFolder(), 'page.prom');
  await writeFile(file, `${named.join('\n')}\n`);
  const core = await memoryCore();
  await core.import([file]);
  return core;
}

const incidentsOf = async (core: Awaited<ReturnType<typeof collected>>) =>
  (await core.api['incidents.list']({})).map(({ incident, service, onset_ns }) => ({
    service,
    mean: incident.impact.mean,
    parts: incident.affected_parts.map(({ kind, name }) => `${kind} ${name}`),
    onset: (Number(onset_ns / 1_000_000n) - START_MS) / 1000 / EVERY_S,
  }));

const jitter = (i: number): number => 1 + 0.06 * Math.sin(i * 2.4);

// https://docs.nvidia.com/deeplearning/triton-inference-server/user-guide/docs/user_guide/metrics.html
const TRITON = [
  'nv_inference_request_success counter',
  'nv_inference_request_duration_us counter',
  'nv_inference_queue_duration_us counter',
];
const triton = (model: string, requests: number, milliseconds: number) => ({
  [`nv_inference_request_success{model="${model}",version="1",job="triton"}`]: requests,
  [`nv_inference_request_duration_us{model="${model}",version="1",job="triton"}`]: requests * milliseconds * 1000,
});

describe('counters of Triton', () => {
  test('find requests that take longer, by their mean, and name it a mean', async () => {
    const core = await collected(TRITON, (i) => triton('bert', 90, 20 * jitter(i) * (i >= BROKEN && i < 70 ? 4 : 1)));
    const [found, ...others] = await incidentsOf(core);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ service: 'triton', mean: { of: 'request' } });
    expect(found!.mean!.baseline_ms).toBeCloseTo(20, -1);
    expect(found!.mean!.peak_ms).toBeGreaterThan(70);
    expect(Math.abs(found!.onset - BROKEN)).toBeLessThanOrEqual(2);
    const { text } = await core.api['report.render']({});
    expect(text).toMatch(/Mean latency rose from [\d.]+ ms to/);
    expect(text).not.toMatch(/P99 (rose|latency)/);
  });

  test('find no incident in calm, in one request that waited for a timeout, or in another mix of models', async () => {
    const calm = await collected(TRITON, (i) => triton('bert', 90, 20 * jitter(i)));
    expect(await incidentsOf(calm)).toEqual([]);
    const timeout = await collected(TRITON, (i) =>
      triton('bert', 90, 20 * jitter(i) + (i === BROKEN ? 60_000 / 90 : 0)),
    );
    expect(await incidentsOf(timeout)).toEqual([]);
    const mix = await collected(TRITON, (i) => ({
      ...triton('bert', i >= BROKEN ? 30 : 90, 20 * jitter(i)),
      ...triton('llama', i >= BROKEN ? 90 : 30, 2000 * jitter(i + 3)),
    }));
    expect(await incidentsOf(mix)).toEqual([]);
  });

  test('find the one model that is slow', async () => {
    const core = await collected(TRITON, (i) => ({
      ...triton('bert', 200, 20 * jitter(i)),
      ...triton('rerank', 100, 30 * jitter(i + 1)),
      ...triton('small', 12, 25 * jitter(i + 2) * (i >= BROKEN ? 10 : 1)),
    }));
    expect((await incidentsOf(core)).map(({ parts }) => parts)).toEqual([['model small']]);
  });
});

// https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
const LLAMA = ['llamacpp:tokens_predicted_total counter', 'llamacpp:tokens_predicted_seconds_total counter'];
const llama = (tokens: number, each_ms: number) => ({
  'llamacpp:tokens_predicted_total{job="chat"}': tokens,
  'llamacpp:tokens_predicted_seconds_total{job="chat"}': (tokens * each_ms) / 1000,
});

test('counters of llama.cpp find tokens that take longer, and longer answers are no incident', async () => {
  const slow = await collected(LLAMA, (i) => llama(900 + 100 * (i % 3), 25 * jitter(i) * (i >= BROKEN ? 3 : 1)));
  const [found] = await incidentsOf(slow);
  expect(found).toMatchObject({ service: 'chat', mean: { of: 'token' } });
  expect(found!.mean!.change_percent).toBeGreaterThan(150);
  const longer = await collected(LLAMA, (i) => llama(i >= BROKEN ? 4000 : 900, 25 * jitter(i)));
  expect(await incidentsOf(longer)).toEqual([]);
});

test('a summary without quantiles, as Micrometer writes it, is measured by its mean', async () => {
  const of = (part: string, uri: string, status = '200') =>
    `http_server_requests_seconds_${part}{job="shop",uri="${uri}",status="${status}"}`;
  const page = (uri: string, requests: number, seconds: number) => ({
    [of('count', uri)]: requests,
    [of('sum', uri)]: requests * seconds,
  });
  const core = await collected(['http_server_requests_seconds summary'], (i) => ({
    ...page('/a', 60, 0.1 * jitter(i) * (i >= BROKEN ? 3 : 1)),
    ...page('/b', 40, 0.2 * jitter(i + 1) * (i >= BROKEN ? 3 : 1)),
  }));
  expect(await incidentsOf(core)).toMatchObject([{ service: 'shop', mean: { of: 'request' }, parts: [] }]);
});

test('the lane of such a service is named after the mean', async () => {
  const core = await collected(LLAMA, (i) => llama(900, 25 * jitter(i)));
  const lanes = await core.api['timeline.lanes']({});
  expect(lanes.map(({ metric }) => metric)).toContain('service.time_per_output_token.mean');
});

test('the evidence calls a mean a mean', async () => {
  const core = await collected(LLAMA, (i) => llama(900, 25 * jitter(i) * (i >= BROKEN ? 3 : 1)));
  const [view] = await core.api['incidents.list']({});
  const texts = view!.incident.hypotheses.flatMap(({ evidence }) => evidence.map(({ text }) => text));
  expect(texts).toContainEqual(expect.stringMatching(/mean time per output token of chat rose from \d/));
  expect(texts.join('\n')).not.toMatch(/P\d\d of chat/);
});
