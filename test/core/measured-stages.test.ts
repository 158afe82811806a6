import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stagesOfMeans } from '../../src/core/analysis/serving/measured-stages.ts';
import type { MeasuredPart } from '../../src/model/telemetry/serving-stages.ts';
import { memoryCore, type TestCore, temporaryFolder } from '../support/core.ts';

const T0_S = 1_767_225_600;
const EVERY_S = 15;
const CHANGE_S = 1800;
const END_S = 2400;
const LABELS = 'job="chat",model_name="llama"';

/** Seconds of one request before and after the change. */
type Took = readonly [before: number, after: number];

/** Scrapes of a server that answers one request a second; in each the totals since its start. */
async function scraped(lines: (total: (took: Took) => number, requests: number) => readonly string[]) {
  const pages: string[] = [];
  for (let at = 0; at <= END_S; at += EVERY_S) {
    const before = Math.min(at, CHANGE_S);
    const total = (took: Took): number => before * took[0] + (at - before) * took[1];
    pages.push(...lines(total, at).map((line) => `${line} ${(T0_S + at) * 1000}`));
  }
  const file = join(await temporaryFolder(), 'scrapes.prom');
  await writeFile(file, `${pages.join('\n')}\n`);
  const core = await memoryCore();
  await core.import([file]);
  return core;
}

const histogram = (name: string, seconds: number, requests: number, labels = LABELS): string[] => [
  `${name}_bucket{${labels},le="+Inf"} ${requests}`,
  `${name}_sum{${labels}} ${seconds}`,
  `${name}_count{${labels}} ${requests}`,
];

async function stagesOf({ api }: TestCore) {
  const at = (seconds: number): bigint => BigInt(T0_S + seconds) * 1_000_000_000n;
  const { stages, baseline } = await api['stages.list']({ from_ns: at(CHANGE_S), to_ns: at(END_S) });
  expect(stages.every(({ source, seconds }) => source === 'metrics' && seconds === null)).toBe(true);
  expect(stages.every(({ during, before }) => [during, before].every((one) => one?.p99_s === null))).toBe(true);
  if (stages.length > 0) expect(baseline).toMatchObject({ kind: 'before', from_ns: at(0) });
  const round = (value: number | undefined): number => Number(value?.toFixed(6));
  return stages.map(
    ({ stage, service, model, computed, before, during }) =>
      `${service} ${model} ${computed ? '≈' : ''}${stage} ${round(before?.seconds)} ${round(during?.seconds)}`,
  );
}

test('vLLM states queue, prefill and decode; its time of inference is both together', async () => {
  const core = await scraped((total, requests) => [
    ...histogram('vllm:request_queue_time_seconds', total([0.1, 3]), requests),
    ...histogram('vllm:request_prefill_time_seconds', total([0.2, 0.2]), requests),
    ...histogram('vllm:request_decode_time_seconds', total([1, 1.5]), requests),
    ...histogram('vllm:request_inference_time_seconds', total([1.2, 1.7]), requests),
    ...histogram('vllm:e2e_request_latency_seconds', total([1.3, 4.7]), requests),
  ]);
  expect(await stagesOf(core)).toEqual([
    'chat llama queue 0.1 3',
    'chat llama prefill 0.2 0.2',
    'chat llama decode 1 1.5',
  ]);
});

test('SGLang states queue and first token: prefill and decode are computed, and marked', async () => {
  const core = await scraped((total, requests) => [
    ...histogram('sglang:queue_time_seconds', total([0.1, 2]), requests),
    ...histogram('sglang:time_to_first_token_seconds', total([0.4, 2.3]), requests),
    ...histogram('sglang:e2e_request_latency_seconds', total([2.4, 4.3]), requests),
  ]);
  expect(await stagesOf(core)).toEqual([
    'chat llama queue 0.1 2',
    'chat llama ≈prefill 0.3 0.3',
    'chat llama ≈decode 2 2',
  ]);
});

test('KServe states what it does before and after the run of the model, and that', async () => {
  const core = await scraped((total, requests) => [
    ...histogram('request_preprocess_seconds', total([0.02, 0.02]), requests),
    ...histogram('request_predict_seconds', total([0.3, 0.3]), requests),
    ...histogram('request_postprocess_seconds', total([0.01, 1.4]), requests),
  ]);
  expect(await stagesOf(core)).toEqual([
    'chat llama preprocess 0.02 0.02',
    'chat llama inference 0.3 0.3',
    'chat llama postprocess 0.01 1.4',
  ]);
});

test('TGI states validation, queue and inference', async () => {
  const labels = 'job="chat"';
  const core = await scraped((total, requests) => [
    ...histogram('tgi_request_validation_duration', total([0.01, 0.01]), requests, labels),
    ...histogram('tgi_request_queue_duration', total([0.1, 5]), requests, labels),
    ...histogram('tgi_request_inference_duration', total([2, 2]), requests, labels),
  ]);
  expect(await stagesOf(core)).toEqual([
    'chat null preprocess 0.01 0.01',
    'chat null queue 0.1 5',
    'chat null inference 2 2',
  ]);
});

test('Triton counts microseconds of all requests, for each model', async () => {
  const core = await scraped((total, requests) =>
    ['a', 'b'].flatMap((model, slower) => {
      const us = (took: Took): number => Math.round(1e6 * (1 + slower) * total(took));
      const labels = `job="chat",model="${model}",version="1"`;
      return [
        `nv_inference_request_success{${labels}} ${requests}`,
        `nv_inference_queue_duration_us{${labels}} ${us([0.1, 1])}`,
        `nv_inference_compute_input_duration_us{${labels}} ${us([0.01, 0.01])}`,
        `nv_inference_compute_infer_duration_us{${labels}} ${us([0.5, 0.6])}`,
        `nv_inference_compute_output_duration_us{${labels}} ${us([0.02, 0.02])}`,
      ];
    }),
  );
  expect((await stagesOf(core)).toSorted()).toEqual([
    'chat a inference 0.5 0.6',
    'chat a postprocess 0.02 0.02',
    'chat a preprocess 0.01 0.01',
    'chat a queue 0.1 1',
    'chat b inference 1 1.2',
    'chat b postprocess 0.04 0.04',
    'chat b preprocess 0.02 0.02',
    'chat b queue 0.2 2',
  ]);
});

test('the frontend of Dynamo states the first token: queue and prefill are one stage', async () => {
  const core = await scraped((total, requests) => [
    ...histogram('dynamo_frontend_time_to_first_token_seconds', total([0.5, 4]), requests),
    ...histogram('dynamo_frontend_request_duration_seconds', total([2, 5.5]), requests),
  ]);
  expect(await stagesOf(core)).toEqual(['chat llama first_token 0.5 4', 'chat llama ≈decode 1.5 1.5']);
});

const means = (parts: Partial<Record<MeasuredPart, readonly [requests: number, mean_s: number]>>) =>
  stagesOfMeans(
    new Map(
      Object.entries(parts).map(([part, [requests, mean_s]]) => [
        part as MeasuredPart,
        { requests, mean_s, ref: `metric:1@${mean_s}` },
      ]),
    ),
  ).map(({ stage, mean_s }) => `${stage} ${mean_s}`);

test('means of different requests are not subtracted: half of the answers were not streamed', () => {
  expect(means({ first_token: [50, 0.5], request: [100, 2] })).toEqual(['first_token 0.5']);
  expect(means({ queue: [100, 0.25], first_token: [50, 0.5], request: [50, 2] })).toEqual([
    'first_token 0.5',
    'decode 1.5',
  ]);
  expect(means({ first_token: [50, 3], request: [50, 2] })).toEqual(['first_token 3']);
  expect(means({ request: [50, 2] })).toEqual([]);
});

test('a server that started again, and one that was never measured before: nothing of an unknown past', async () => {
  const again = await scraped((total, requests) => [
    ...histogram('vllm:request_queue_time_seconds', total([0.1, 3]) % 500, requests % 2000),
    ...histogram('vllm:request_prefill_time_seconds', total([0.2, 0.2]) % 100, requests % 2000),
  ]);
  const rows = await stagesOf(again);
  expect(rows).toEqual(['chat llama queue 0.1 3', 'chat llama prefill 0.2 0.2']);
});
