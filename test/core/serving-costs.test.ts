import { expect, test } from 'vitest';
import { parseRates } from '../../src/core/analysis/costs/rates.ts';
import { type RequestShare, servingOf, shareCost } from '../../src/core/analysis/costs/serving-cost.ts';
import { rowsOf } from '../../src/core/store/case-file/case-file.ts';
import { queries } from '../../src/core/store/queries/index.ts';
import { rangeText } from '../../src/model/incident/cost.ts';
import { firstNumber, type Session } from '../../src/model/storage/engine.ts';
import { atSecond, type Recording, recordedCase } from '../support/software-case.ts';

/** 0.001 USD a second. */
const rates = parseRates(
  'version: 1\ncurrency: USD\nrates:\n  - {gpu: H100, per_gpu_hour: 3.6, as_of: 2026-01-02, source: contract}\n',
);
const gpu = (index: number, model: string | null = 'NVIDIA H100') => ({
  key: `gpu:${index}`,
  model,
  work: ['service:llama'],
});

interface Drawn {
  readonly trace: number;
  readonly service: string;
  readonly from: number;
  readonly until: number;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

function span({ builder }: Recording, drawn: Drawn, id: number): void {
  builder.table('span').push({
    ...{ trace_hi: 0n, trace_lo: BigInt(drawn.trace), span_id: BigInt(id), parent_id: 0n },
    ...{ start_ns: atSecond(drawn.from), end_ns: atSecond(drawn.until), kind: 2, status: 0, flags: 0, dropped: 0 },
    ...{ name: builder.name('generate'), service: builder.entity('service', drawn.service), resource: -1, scope: -1 },
    ...{ trace_state: '', status_message: '', attributes: JSON.stringify(drawn.attributes ?? {}) },
  });
}

const sharesOf = async (session: Session, from: number, until: number): Promise<readonly RequestShare[]> =>
  rowsOf<RequestShare>(await session.query(queries.requestShares, [atSecond(from), atSecond(until)]));

const drawn: readonly Drawn[] = [
  // The gateway names the tenant for the model server.
  { trace: 1, service: 'gateway', from: 9, until: 21, attributes: { 'tenant.id': 'acme', 'http.route': '/v1/chat' } },
  {
    trace: 1,
    service: 'llama',
    from: 10,
    until: 20,
    attributes: { 'inference.model_name': 'a', 'inference.input_tokens': 500 },
  },
  { trace: 2, service: 'llama', from: 15, until: 20, attributes: { 'gen_ai.request.model': 'b', tenant: 'globex' } },
  // Two tenants in one trace: unknown.
  { trace: 3, service: 'gateway', from: 30, until: 40, attributes: { 'tenant.id': 'acme' } },
  { trace: 3, service: 'gateway', from: 30, until: 40, attributes: { 'tenant.id': 'globex' } },
  { trace: 3, service: 'llama', from: 30, until: 60 },
];

test('requests share each instant, by model, tenant, route and hour; parts and idle time make up the window', async () => {
  const session = await recordedCase((recording) => {
    for (const [i, one] of drawn.entries()) span(recording, one, i + 1);
  });
  const shares = (await sharesOf(session, 0, 50)).filter(({ service }) => service === 'llama');
  const of = (dimension: string) =>
    shares.filter((one) => one.dimension === dimension).map(({ value, requests, part_s }) => [value, requests, part_s]);
  expect(of('service')).toEqual([[null, 3, 30]]);
  expect(of('model')).toEqual([
    [null, 1, 20],
    ['a', 1, 7.5],
    ['b', 1, 2.5],
  ]);
  expect(of('tenant')).toEqual([
    [null, 1, 20],
    ['acme', 1, 7.5],
    ['globex', 1, 2.5],
  ]);
  expect(of('route')).toEqual([
    [null, 2, 22.5],
    ['/v1/chat', 1, 7.5],
  ]);
  expect(of('hour')).toHaveLength(1);
  const [whole] = shares.filter(({ dimension }) => dimension === 'service');
  expect(whole).toMatchObject({ input_tokens: 500, output_tokens: null, counted_s: 7.5 });
  const gpus = [gpu(0), gpu(1)];
  expect(shareCost(whole!, gpus, rates)).toMatchObject({
    gpu_seconds: { low: 60, high: 60 },
    cost: { high: 0.06 },
    // Two thirds of the last request lie within the window.
    per_request: { high: expect.closeTo(0.06 / (2 + 2 / 3), 12) },
    per_1k_tokens: { high: 0.03 },
  });
  const serving = servingOf('llama', { busy_s: whole!.part_s, window_s: 50 }, gpus, rates);
  expect(serving).toMatchObject({ idle_share: 0.4, idle_cost: { high: 0.04 }, gap: null });
  expect(serving.gpu_types).toMatchObject([{ model: 'NVIDIA H100', gpus: 2, rate: { as_of: '2026-01-02' } }]);
});

test('time is idle only where spans were recorded', async () => {
  const session = await recordedCase((recording) => {
    for (const [i, one] of drawn.entries()) span(recording, one, i + 1);
  });
  const recorded = async (from: number, until: number): Promise<number> =>
    firstNumber(await session.query(queries.recordedSeconds, [atSecond(from), atSecond(until)]));
  expect(await recorded(0, 50)).toBe(41);
  expect(await recorded(25, 28)).toBe(3);
  expect(await recorded(0, 100)).toBe(51);
  expect(await recorded(70, 100)).toBe(0);
});

test('without GPUs, rates or tokens the figures are unknown', () => {
  const share: RequestShare = {
    ...{ service: 'llama', dimension: 'service', value: null, requests: 1, within_n: 1, part_s: 2, counted_s: 0 },
    ...{ input_tokens: null, output_tokens: null },
  };
  expect(shareCost(share, [], rates)).toMatchObject({ gpu_seconds: null, cost: null, per_request: null });
  expect(shareCost(share, [gpu(0)], null)).toMatchObject({ gpu_seconds: { high: 2 }, cost: null });
  expect(shareCost(share, [gpu(0)], rates).per_1k_tokens).toBeNull();
  expect(servingOf('llama', { busy_s: 1, window_s: 2 }, [gpu(0, null)], rates)).toMatchObject({
    gap: 'no_rate_of_gpu',
  });
});

test('of a request that crosses the edge of the window its tokens count by its part within', async () => {
  const session = await recordedCase((recording) => {
    const attributes = { 'gen_ai.usage.input_tokens': 100, 'gen_ai.usage.output_tokens': 300 };
    span(recording, { trace: 1, service: 'llama', from: 0, until: 40, attributes }, 1);
    span(recording, { trace: 2, service: 'llama', from: 50, until: 50, attributes }, 2);
  });
  const [first] = await sharesOf(session, 0, 10);
  expect(first).toMatchObject({ requests: 1, within_n: 0.25, part_s: 10, input_tokens: 25, output_tokens: 75 });
  // A request without a length is there whole.
  const [instant] = await sharesOf(session, 45, 60);
  expect(instant).toMatchObject({ requests: 1, within_n: 1, part_s: 0, input_tokens: 100 });
});

test('a window that reaches the last record lasts until its spans ended, within a day', async () => {
  const session = await recordedCase((recording) => {
    for (const [i, one] of drawn.entries()) span(recording, one, i + 1);
    span(recording, { trace: 9, service: 'broken', from: 35, until: 400_000 }, 99);
  });
  await session.execute(`update source set last_ns = ${atSecond(35)}`);
  const endOf = async (until: number): Promise<bigint | undefined> =>
    rowsOf<{ end_ns: bigint }>(await session.query(queries.windowEnd, [atSecond(until)]))[0]?.end_ns;
  expect(await endOf(34)).toBe(atSecond(34));
  expect(await endOf(35)).toBe(atSecond(60));
  expect(await endOf(70)).toBe(atSecond(70));
});

test.each([
  [{ low: null, high: 131.05 }, 'at most 140 USD'],
  [{ low: null, high: 66 }, 'at most 66 USD'],
  [{ low: null, high: 0 }, 'at most 0 USD'],
  [{ low: null, high: 0.1 + 0.2 }, 'at most 0.3 USD'],
  [{ low: null, high: 0.000221 }, 'at most 0.00023 USD'],
  [{ low: 10.9, high: 99.6 }, '10 to 100 USD'],
  [{ low: 131.05, high: 131.05 }, '130 USD'],
] as const)('bounds of %j are not rounded into what they bound', (range, text) => {
  expect(rangeText(range, 'USD')).toBe(text);
});
