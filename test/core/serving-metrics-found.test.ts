import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryCore, temporaryFolder } from '../support/core.ts';

const COLLECTIONS = 60;
const EVERY_S = 15;
const BROKEN = 40;
const BOUNDS = [0.1, 0.5, 1, 2.5, 5, 10, 20];

/** Numbers of one replica; durations grow with each collection. */
type Page = (name: (metric: string, labels?: string) => string, broken: boolean, collected: number) => string[];

/** A page of metrics as Prometheus collects it from some replicas, in which something breaks. */
async function collected(replicas: number, page: (replica: number) => Page) {
  const lines: string[] = [];
  for (let replica = 0; replica < replicas; replica++) {
    const write = page(replica);
    for (let i = 0; i < COLLECTIONS; i++) {
      const time_ms = 1_767_225_600_000 + i * EVERY_S * 1000;
      const own = `instance="10.0.0.${replica + 1}:8000",job="llm",model_name="m"`;
      const name = (metric: string, labels = ''): string => `${metric}{${own}${labels && ','}${labels}}`;
      lines.push(...write(name, i >= BROKEN, i).map((line) => `${line} ${time_ms}`));
    }
  }
  const file = join(await temporaryFolder(), 'page.prom');
  await writeFile(file, `${lines.toSorted((a, b) => (a.split('{')[0]! < b.split('{')[0]! ? -1 : 1)).join('\n')}\n`);
  const core = await memoryCore();
  await core.import([file]);
  const incidents = (await core.api['incidents.list']({})).map(({ incident }) => incident);
  return { incidents, findings: (await core.api['patterns.list']({})).findings };
}

/** A histogram of 30 equal values a collection, which change when something breaks. */
function histogram(metric: string, usual: number, after = usual): Page {
  return (name, _, i) => {
    const [early, late] = [30 * Math.min(i, BROKEN), 30 * Math.max(0, i - BROKEN)];
    const within = (bound: number): number => (usual <= bound ? early : 0) + (after <= bound ? late : 0);
    return [
      ...BOUNDS.map((bound) => `${name(`${metric}_bucket`, `le="${bound}"`)} ${within(bound)}`),
      `${name(`${metric}_bucket`, 'le="+Inf"')} ${early + late}`,
      `${name(`${metric}_count`)} ${early + late}`,
      `${name(`${metric}_sum`)} ${early * usual + late * after}`,
    ];
  };
}
const gauge =
  (metric: string, usual: number, after: number): Page =>
  (name, broken) => [`${name(metric)} ${broken ? after : usual}`];
/** Growth a collection. */
const counter =
  (metric: string, usual: number, after: number, labels = ''): Page =>
  (name, _, i) => [`${name(metric, labels)} ${usual * Math.min(i, BROKEN) + after * Math.max(0, i - BROKEN)}`];
const all =
  (...pages: readonly Page[]): Page =>
  (...args) =>
    pages.flatMap((page) => page(...args));

test('times of stages are no times of requests', async () => {
  const page = all(
    histogram('vllm:e2e_request_latency_seconds', 2, 8),
    histogram('vllm:request_prefill_time_seconds', 0.3),
    histogram('vllm:request_decode_time_seconds', 0.4),
  );
  const { incidents } = await collected(1, () => page);
  const [incident] = incidents;
  expect(incident?.impact.p99_baseline_ms).toBeGreaterThan(1000);
  expect(incident?.impact.throughput_baseline_rps).toBeCloseTo(30 / EVERY_S, 1);
});

test('KServe measures steps only: its service is measured by their sum', async () => {
  const page = all(
    histogram('request_preprocess_seconds', 0.1),
    histogram('request_predict_seconds', 2, 8),
    histogram('request_postprocess_seconds', 0.1),
  );
  const { incidents } = await collected(1, () => page);
  expect(incidents.map(({ impact }) => impact.throughput_baseline_rps)).toEqual([30 / EVERY_S]);
  expect(incidents[0]?.impact.p99_baseline_ms).toBeGreaterThan(1000);
});

test('the run of the model is no request where a server measures those', async () => {
  const { incidents } = await collected(1, () =>
    all(histogram('vllm:e2e_request_latency_seconds', 2), histogram('vllm:request_inference_time_seconds', 0.3, 1.9)),
  );
  expect(incidents).toEqual([]);
});

test('requests that SGLang was to stop were cancelled, and did not fail', async () => {
  const { findings, incidents } = await collected(1, () =>
    all(
      histogram('sglang:e2e_request_latency_seconds', 1),
      counter('sglang:num_requests_total', 30, 30),
      counter('sglang:num_aborted_requests_total', 0, 9),
    ),
  );
  expect(incidents).toEqual([]);
  expect(findings.map(({ pattern }) => pattern)).toEqual(['client-cancellations']);
});

test('a slow replica, by histograms of its requests', async () => {
  const { findings } = await collected(4, (replica) =>
    histogram('vllm:e2e_request_latency_seconds', 1, replica === 2 ? 4 : 1),
  );
  const found = findings.filter(({ pattern }) => pattern === 'replica-unlike-peers');
  expect(found.map(({ headline }) => headline)).toEqual([
    'llm (m) took 4 s a request on 10.0.0.3:8000, 1 s on its 3 other replicas.',
  ]);
});

test('longer prompts and cancelled requests, by metrics', async () => {
  const page = all(
    histogram('vllm:e2e_request_latency_seconds', 1),
    histogram('vllm:request_prompt_tokens', 2, 9),
    counter('vllm:request_success_total', 30, 26, 'finished_reason="stop"'),
    counter('vllm:request_success_total', 0, 4, 'finished_reason="abort"'),
  );
  const { findings } = await collected(1, () => page);
  expect(findings.map(({ pattern }) => pattern).toSorted()).toEqual(['client-cancellations', 'token-shift']);
});

test('counters of Triton state the size of batches, and its GPUs are those of the service', async () => {
  const page = all(
    counter('nv_inference_request_success', 48, 48),
    counter('nv_inference_count', 48, 48),
    counter('nv_inference_exec_count', 6, 40),
    gauge('nv_inference_pending_request_count', 0, 12),
    gauge('nv_gpu_utilization', 0.8, 0.2),
  );
  const { findings } = await collected(1, () => (name, ...rest) => {
    const withGpu = (metric: string, labels = ''): string =>
      name(metric, metric.startsWith('nv_gpu') ? 'gpu_uuid="GPU-12345678-1111-2222-3333-444444444444"' : labels);
    return page(withGpu, ...rest);
  });
  expect(findings.map(({ headline }) => headline).toSorted()).toEqual([
    'llm (m) kept its GPUs 20 % busy (80 % before) while 12 requests waited on average.',
    'llm (m) ran batches of 1.2 of 8, the largest one recorded (15 %, 100 % before) while 12 requests waited on average.',
  ]);
});

test('a late first token is found where requests take about as long, and a tail with interruptions is one', async () => {
  const page = (first: number): Page =>
    all(
      histogram('vllm:e2e_request_latency_seconds', 9, 9.4),
      histogram('vllm:time_to_first_token_seconds', 0.3, first),
      histogram('vllm:inter_token_latency_seconds', 0.05),
      gauge('vllm:num_requests_waiting', 0, 1),
    );
  const late = await collected(1, () => page(4));
  expect(late.incidents).toEqual([]);
  expect(late.findings.map(({ headline, verdict }) => [headline, verdict])).toEqual([
    [
      'p99 of the time to the first token of llm rose to 10 times its baseline: 496 ms -> 4980 ms, the median 300 ms -> 3750 ms.',
      'complete',
    ],
  ]);
  expect((await collected(1, () => page(0.4))).findings).toEqual([]);
  // Each third collection is quick.
  const often = await collected(1, () => (name, broken, i) => {
    const slow = (at: number): number => Math.max(0, at - BROKEN) - Math.floor(Math.max(0, at - BROKEN) / 3);
    const total = 30 * i;
    const within = (bound: number): number => total - (bound < 9 ? 30 * slow(i) : 0);
    const metric = 'vllm:e2e_request_latency_seconds';
    return [
      ...BOUNDS.map((bound) => `${name(`${metric}_bucket`, `le="${bound}"`)} ${bound < 1 ? 0 : within(bound)}`),
      `${name(`${metric}_bucket`, 'le="+Inf"')} ${total}`,
      `${name(`${metric}_count`)} ${total}`,
      `${name(`${metric}_sum`)} ${total}`,
      `${name('vllm:num_requests_waiting')} ${broken ? 1 : 0}`,
    ];
  });
  expect(often.findings.filter(({ pattern }) => pattern === 'latency-tail')).toHaveLength(1);
});

test('a full key-value cache holds requests back, not the limit of a batch', async () => {
  const at = (kv: number): Page =>
    all(
      gauge('num_requests_running', 20, 4),
      gauge('num_request_max', 64, 64),
      gauge('num_requests_waiting', 0, 30),
      gauge('gpu_cache_usage_perc', 0.5, kv),
    );
  const named = async (kv: number) => (await collected(1, () => at(kv))).findings.map(({ pattern }) => pattern);
  expect(await named(0.99)).toEqual(['kv-cache-full']);
  expect(await named(0.5)).toEqual(['batch-underfilled']);
});
