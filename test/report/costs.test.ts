import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AffectedGpu } from '../../src/core/analysis/costs/affected-gpus.ts';
import { type CostInput, incidentCost } from '../../src/core/analysis/costs/incident-cost.ts';
import { parseRates } from '../../src/core/analysis/costs/rates.ts';
import { requestCost, type ServedInstant } from '../../src/core/analysis/costs/request-cost.ts';
import { type TracedService, traceCost } from '../../src/core/analysis/costs/trace-cost.ts';
import { ProblemError } from '../../src/model/problem.ts';

const HOUR = 3_600_000_000_000n;
const gpu = (key: string, model: string | null, ...work: string[]) => ({ key: `gpu:${key}`, model, work });
const H100 = 'NVIDIA H100 80GB HBM3';
const servedAt = (throughput_rps: number | null, gpus: readonly AffectedGpu[]): ServedInstant => ({
  time_ns: 9n * HOUR,
  gpus,
  throughput_rps,
  refs: ['measurement:llama'],
});
const unmeasured = { normal: servedAt(null, []), worst: servedAt(null, []) };
const costInput = (more: Partial<CostInput>): CostInput => ({
  incident: 'inc_1',
  service: 'llama',
  onset_ns: 10n * HOUR,
  onset_earliest_ns: 10n * HOUR,
  end_ns: 12n * HOUR,
  gpus: [gpu('a', 'NVIDIA H100 80GB HBM3', 'service:llama'), gpu('b', 'NVIDIA H100 80GB HBM3', 'service:llama')],
  checkpoints: [],
  requests: unmeasured,
  ...more,
});
const rates = (...lines: string[]) =>
  parseRates(`version: 1\ncurrency: USD\nrates:\n${lines.map((l) => `  - ${l}\n`).join('')}`);
const h100 = '{gpu: H100, per_gpu_hour: 3, as_of: 2026-01-02, source: contract}';

test('GPUs times hours times the rate of their model', () => {
  const cost = incidentCost(costInput({}), rates(h100));
  expect(cost.total).toEqual({ low: 12, high: 12 });
  expect(cost.total_gpu_hours).toEqual({ low: 4, high: 4 });
  expect(cost.lines).toMatchObject([
    { work: 'service:llama', model: 'NVIDIA H100 80GB HBM3', gpus: 2, cost: { low: 12, high: 12 } },
  ]);
});

test('an onset between two measurements, a price range and a list price are ranges', () => {
  const onset = costInput({ onset_earliest_ns: 9n * HOUR });
  expect(incidentCost(onset, rates(h100)).total).toEqual({ low: 12, high: 18 });
  const range = rates('{gpu: H100, per_gpu_hour: [2, 3], as_of: 2026-01-02, source: contract}');
  expect(incidentCost(onset, range).total).toEqual({ low: 8, high: 18 });
  const list = rates('{gpu: H100, per_gpu_hour: 3, bound: upper, as_of: 2026-01-02, source: price list}');
  expect(incidentCost(onset, list).total).toEqual({ low: null, high: 18 });
});

test('no rate is null, never a guess: one GPU of an unknown model makes the sum unknown', () => {
  const mixed = costInput({
    gpus: [gpu('a', 'NVIDIA H100 80GB HBM3', 'service:llama'), gpu('b', null, 'service:llama')],
  });
  const cost = incidentCost(mixed, rates(h100));
  expect(cost.total).toBeNull();
  expect(cost.lines.map((line) => line.cost)).toEqual([{ low: 6, high: 6 }, null]);
  expect(incidentCost(costInput({}), null).total).toBeNull();
  expect(incidentCost(costInput({ gpus: [] }), rates(h100))).toMatchObject({
    total: null,
    total_gpu_hours: null,
    lines: [],
  });
});

test('the line with the most words knows the model best; a star stands for what no other line names', () => {
  const known = rates(
    '{gpu: A100, per_gpu_hour: 1, as_of: 2026-01-02, source: s}',
    '{gpu: A100 80GB, per_gpu_hour: 2, as_of: 2026-01-02, source: s}',
    '{gpu: "*", per_gpu_hour: 9, as_of: 2026-01-02, source: s}',
  );
  expect(known.of('NVIDIA A100-SXM4-80GB')?.high).toBe(2);
  expect(known.of('NVIDIA A100-SXM4-40GB')?.high).toBe(1);
  expect(known.of('NVIDIA A1000')?.high).toBe(9);
  expect(known.of(null)?.high).toBe(9);
});

test('a GPU that several works share is in the line of each, and once in the sum', () => {
  const cost = incidentCost(costInput({ gpus: [gpu('a', 'H100', 'job:train', 'service:llama')] }), rates(h100));
  expect(cost.lines.map(({ work }) => work)).toEqual(['job:train', 'service:llama']);
  expect(cost.total).toEqual({ low: 6, high: 6 });
});

test('training since the last checkpoint', () => {
  const cost = incidentCost(
    costInput({ checkpoints: [{ work: 'service:llama', ref: 'span:1/2', end_ns: 9n * HOUR }] }),
    rates(h100),
  );
  expect(cost.lost_training).toMatchObject([{ gpus: 2, gpu_hours: 2, cost: { low: 6, high: 6 }, refs: ['span:1/2'] }]);
});

describe('one request, on average', () => {
  const own = [gpu('a', H100, 'service:llama'), gpu('b', H100, 'service:llama')];
  const shared = gpu('c', H100, 'job:train', 'service:llama');
  const ranged = rates('{gpu: H100, per_gpu_hour: [3.6, 7.2], as_of: 2026-01-02, source: contract}');

  test('is the time of the GPUs of that moment, divided by its throughput', () => {
    const { per_request } = incidentCost(
      costInput({ requests: { normal: servedAt(4, own), worst: servedAt(0.5, own.slice(0, 1)) } }),
      ranged,
    );
    // 2 GPUs for 0.25 s at 0.001 to 0.002 USD a second; 1 GPU for 2 s.
    expect(per_request.normal).toMatchObject({ gpus: 2, gpu_seconds: { low: 0.5, high: 0.5 }, gap: null });
    expect(per_request.normal.cost?.low).toBeCloseTo(0.0005, 12);
    expect(per_request.normal.cost?.high).toBeCloseTo(0.001, 12);
    expect(per_request.worst).toMatchObject({ gpus: 1, throughput_rps: 0.5, gpu_seconds: { low: 2, high: 2 } });
    expect(per_request.worst.cost?.high).toBeCloseTo(0.004, 12);
    expect(per_request.worst.refs).toEqual(['measurement:llama', 'entity:gpu:a']);
  });

  test('of shared GPUs is between none and all of their time; where all are shared there is no least', () => {
    const partly = requestCost('llama', servedAt(1, [...own, shared]), ranged);
    expect(partly).toMatchObject({ gpus: 2, shared_gpus: 1, gpu_seconds: { low: 2, high: 3 }, gap: null });
    expect(partly.cost?.low).toBeCloseTo(0.002, 12);
    expect(partly.cost?.high).toBeCloseTo(0.006, 12);
    const wholly = requestCost('llama', servedAt(1, [shared]), ranged);
    expect(wholly).toMatchObject({ gpu_seconds: { low: null, high: 1 }, cost: { low: null } });
    expect(wholly.cost?.high).toBeCloseTo(0.002, 12);
  });

  test('a list price leaves no least', () => {
    const list = rates('{gpu: H100, per_gpu_hour: 3.6, bound: upper, as_of: 2026-01-02, source: price list}');
    expect(requestCost('llama', servedAt(2, own), list)).toMatchObject({
      gpu_seconds: { low: 1, high: 1 },
      cost: { low: null },
    });
  });

  test.each([
    ['no_gpus', servedAt(4, []), ranged],
    ['no_throughput', servedAt(null, own), ranged],
    ['no_requests', servedAt(0, own), ranged],
    ['no_rates', servedAt(4, own), null],
    ['no_rate_of_gpu', servedAt(4, [...own, gpu('d', null, 'service:llama')]), ranged],
  ] as const)('is unknown with its reason: %s', (gap, at, prices) => {
    const cost = requestCost('llama', at, prices);
    expect(cost).toMatchObject({ cost: null, gap });
    expect(cost.gpu_seconds === null).toBe(!gap.startsWith('no_rate'));
  });
});

describe('one trace', () => {
  const traced = (more: Partial<TracedService>): TracedService => ({
    service: 'llama',
    gpus: [gpu('a', H100, 'service:llama'), gpu('b', H100, 'service:llama')],
    requests: 1,
    duration_s: 2,
    part_s: 0.5,
    tokens: { input: 400, output: 100 },
    refs: ['span:1/2'],
    ...more,
  });
  const perSecond = rates('{gpu: H100, per_gpu_hour: 3.6, as_of: 2026-01-02, source: contract}');

  test('is its part of the time of the GPUs, and of each thousand tokens', () => {
    const cost = traceCost([traced({})], perSecond);
    expect(cost).toMatchObject({ gpu_seconds: { low: 1, high: 1 }, gap: null });
    expect(cost.cost?.high).toBeCloseTo(0.001, 12);
    expect(cost.services[0]).toMatchObject({
      in_flight: 4,
      gpus: 2,
      refs: ['span:1/2', 'entity:gpu:a', 'entity:gpu:b'],
    });
    expect(cost.services[0]?.per_1k_tokens?.high).toBeCloseTo(0.002, 12);
  });

  test('services without GPUs are listed without cost; a GPU without a price makes the whole unknown', () => {
    const gateway = traced({ service: 'gateway', gpus: [], tokens: null });
    const cost = traceCost([gateway, traced({})], perSecond);
    expect(cost.services.map(({ service, gap }) => [service, gap])).toEqual([
      ['llama', null],
      ['gateway', 'no_gpus'],
    ]);
    expect(cost.cost?.low).toBeCloseTo(0.001, 12);
    expect(traceCost([gateway], perSecond)).toMatchObject({ gpu_seconds: null, cost: null, gap: 'no_gpus' });
    const unpriced = traced({ service: 'embed', gpus: [gpu('e', null, 'service:embed')] });
    expect(traceCost([traced({}), unpriced], perSecond)).toMatchObject({
      gpu_seconds: { low: 1.5, high: 1.5 },
      cost: null,
      gap: 'no_rate_of_gpu',
    });
  });

  test.each([
    ['not recorded', null],
    ['they were none', { input: 0, output: null }],
  ])('tokens have no price where %s', (_, tokens) => {
    expect(traceCost([traced({ tokens })], perSecond).services[0]?.per_1k_tokens).toBeNull();
  });
});

test('a low bound is never above its high one', () => {
  const price = fc.double({ min: 0, max: 100, noNaN: true });
  fc.assert(
    fc.property(price, price, fc.bigInt(0n, 20n * HOUR), fc.bigInt(0n, 20n * HOUR), (a, b, earlier, length) => {
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      const own = rates(`{gpu: H100, per_gpu_hour: [${low}, ${high}], source: s}`);
      const onset_ns = 100n * HOUR;
      const input = costInput({ onset_ns, onset_earliest_ns: onset_ns - earlier, end_ns: onset_ns + length });
      const { total } = incidentCost(input, own);
      expect(total?.low ?? 0).toBeLessThanOrEqual(total?.high ?? -1);
    }),
  );
});

test('the example of the documentation can be used as it is, and everything in it is an upper bound with a source', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/rates.example.yaml'), 'utf8');
  const example = parseRates(text);
  for (const model of ['NVIDIA H100 80GB HBM3', 'NVIDIA A100-SXM4-40GB', 'NVIDIA A100-SXM4-80GB']) {
    expect(example.of(model)).toMatchObject({ low: null, as_of: expect.stringMatching(/^\d{4}-/) });
    expect(example.of(model)?.source).not.toBe('');
  }
  expect(example.of('Tesla K80')).toBeNull();
});

test.each([
  [
    'version: 1\ncurrency: USD\nrates:\n  - {gpu: H100, per_gpu_hour: -1, source: s}\n',
    /line 4, rates\.0\.per_gpu_hour/,
  ],
  ['version: 1\ncurrency: dollars\nrates: []\n', /line 2, currency: three capital letters/],
  ['version: 1\ncurrency: USD\nrates:\n  - {gpu: H100, per_gpu_hour: 1}\n', /line 4, rates\.0\.source/],
])('a file of rates that is not valid reports the place', (text, message) => {
  let csv = '';
  try {
    parseRates(text);
  } catch (error) {
    csv = error instanceof ProblemError ? `${error.problem.code} ${error.problem.message}` : String(error);
  }
  expect(csv).toMatch(/^rates\.invalid/);
  expect(csv).toMatch(message);
});
