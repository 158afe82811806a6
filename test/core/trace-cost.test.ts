import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRates } from '../../src/core/analysis/costs/rates.ts';
import { readTraceCost } from '../../src/core/api/traces/trace-cost.ts';
import type { TraceCost } from '../../src/model/incident/cost.ts';
import { ALWAYS_FROM, ALWAYS_TO } from '../../src/model/rows/rows.ts';
import type { Session } from '../../src/model/storage/engine.ts';
import { atSecond, type Recording, recordedCase } from '../support/software-case.ts';

/** 0.001 USD a second. */
const rates = parseRates(
  'version: 1\ncurrency: USD\nrates:\n  - {gpu: "*", per_gpu_hour: 3.6, as_of: 2026-01-02, source: contract}\n',
);
const SERVER = 2;
const INTERNAL = 1;
const CLIENT = 3;

interface Drawn {
  readonly trace: number;
  readonly id: number;
  readonly service: string;
  readonly from: number;
  readonly until: number;
  readonly kind?: number;
  readonly parent?: number;
  readonly tokens?: Readonly<Record<string, unknown>>;
}

const traceId = (trace: number): string => trace.toString(16).padStart(32, '0');

function span({ builder }: Recording, drawn: Drawn): void {
  builder.table('span').push({
    trace_hi: 0n,
    trace_lo: BigInt(drawn.trace),
    span_id: BigInt(drawn.id),
    parent_id: BigInt(drawn.parent ?? 0),
    start_ns: atSecond(drawn.from),
    end_ns: atSecond(drawn.until),
    name: builder.name('generate'),
    service: builder.entity('service', drawn.service),
    resource: -1,
    scope: -1,
    kind: drawn.kind ?? SERVER,
    status: 0,
    flags: 0,
    trace_state: '',
    status_message: '',
    attributes: drawn.tokens ? JSON.stringify(drawn.tokens) : '',
    dropped: 0,
  });
}

function runsOn({ builder }: Recording, service: string, gpu: string, [from, until] = [ALWAYS_FROM, ALWAYS_TO]): void {
  builder.table('edge').push({
    from_entity: builder.entity('service', service),
    kind: builder.name('runs_on'),
    to_entity: builder.entity('gpu', gpu),
    valid_from_ns: from,
    valid_to_ns: until,
    provenance: builder.name('test'),
  });
}

const costOf = (session: Session, trace: number, of = rates): Promise<TraceCost> =>
  readTraceCost(session, traceId(trace), { rates: of });

test('a request has its part of each instant that others share with it', async () => {
  const session = await recordedCase((recording) => {
    for (const gpu of ['a', 'b']) runsOn(recording, 'llama', gpu);
    // Alone for 2 s, with one other for 2 s, with two for 1 s, with one for 1 s: 2 + 1 + 1/3 + 1/2.
    span(recording, { trace: 1, id: 1, service: 'llama', from: 10, until: 16 });
    span(recording, { trace: 2, id: 2, service: 'llama', from: 12, until: 30 });
    span(recording, { trace: 3, id: 3, service: 'llama', from: 14, until: 15 });
    // What happens within a request is no other one.
    span(recording, { trace: 1, id: 4, service: 'llama', from: 11, until: 13, kind: INTERNAL, parent: 1 });
    span(recording, { trace: 9, id: 5, service: 'other', from: 10, until: 16 });
  });
  const cost = await costOf(session, 1);
  const part = 2 + 1 + 1 / 3 + 1 / 2;
  expect(cost.services).toHaveLength(1);
  expect(cost.services[0]).toMatchObject({
    service: 'llama',
    requests: 1,
    duration_s: 6,
    gpus: 2,
    tokens: null,
    gap: null,
  });
  expect(cost.services[0]?.in_flight).toBeCloseTo(6 / part, 9);
  expect(cost.gpu_seconds?.high).toBeCloseTo(2 * part, 9);
  expect(cost.cost?.low).toBeCloseTo(2 * part * 0.001, 12);
  expect(cost.services[0]?.refs).toEqual([
    `span:${traceId(1)}/${'1'.padStart(16, '0')}`,
    'entity:gpu:a',
    'entity:gpu:b',
  ]);
  expect((await costOf(session, 9)).gap).toBe('no_gpus');
  expect(await costOf(session, 77)).toMatchObject({ services: [], cost: null, gap: 'no_gpus' });
});

test('the GPUs are those of the time of the trace', async () => {
  const session = await recordedCase((recording) => {
    runsOn(recording, 'llama', 'old', [ALWAYS_FROM, atSecond(100)]);
    runsOn(recording, 'llama', 'new', [atSecond(100), ALWAYS_TO]);
    runsOn(recording, 'llama', 'more', [atSecond(100), ALWAYS_TO]);
    span(recording, { trace: 1, id: 1, service: 'llama', from: 10, until: 11 });
    span(recording, { trace: 2, id: 2, service: 'llama', from: 200, until: 201 });
  });
  expect((await costOf(session, 1)).gpu_seconds).toEqual({ low: 1, high: 1 });
  expect((await costOf(session, 2)).gpu_seconds).toEqual({ low: 2, high: 2 });
});

test('tokens are counted once, wherever they are reported', async () => {
  const usage = (input: number, output: number) => ({
    'gen_ai.usage.input_tokens': input,
    'gen_ai.usage.output_tokens': output,
  });
  const session = await recordedCase((recording) => {
    runsOn(recording, 'llama', 'a');
    // The caller, the request and a span within it report the same.
    span(recording, { trace: 1, id: 1, service: 'app', from: 10, until: 14 });
    span(recording, {
      trace: 1,
      id: 2,
      service: 'app',
      from: 10,
      until: 14,
      kind: CLIENT,
      parent: 1,
      tokens: usage(30, 10),
    });
    span(recording, { trace: 1, id: 3, service: 'llama', from: 11, until: 13, parent: 2, tokens: usage(30, 10) });
    span(recording, {
      trace: 1,
      id: 4,
      service: 'llama',
      from: 11,
      until: 12,
      kind: INTERNAL,
      parent: 3,
      tokens: usage(30, 10),
    });
    // Only inner spans report tokens, repeated below; with older names, and of one kind.
    span(recording, { trace: 2, id: 11, service: 'llama', from: 50, until: 52 });
    const older = { 'gen_ai.usage.completion_tokens': '7' };
    span(recording, {
      trace: 2,
      id: 12,
      service: 'llama',
      from: 50,
      until: 51,
      kind: INTERNAL,
      parent: 11,
      tokens: older,
    });
    span(recording, {
      trace: 2,
      id: 13,
      service: 'llama',
      from: 50,
      until: 51,
      kind: INTERNAL,
      parent: 12,
      tokens: older,
    });
    span(recording, {
      trace: 3,
      id: 21,
      service: 'llama',
      from: 80,
      until: 82,
      tokens: { 'gen_ai.usage.input_tokens': 'many' },
    });
    // Only the outermost caller reports tokens; spans that it reaches by way of another service is not its own.
    span(recording, { trace: 4, id: 31, service: 'app', from: 90, until: 95 });
    span(recording, {
      trace: 4,
      id: 32,
      service: 'app',
      from: 90,
      until: 95,
      kind: CLIENT,
      parent: 31,
      tokens: usage(5, 6),
    });
    span(recording, { trace: 4, id: 33, service: 'app', from: 90, until: 95, kind: CLIENT, parent: 32 });
    span(recording, { trace: 4, id: 34, service: 'llama', from: 91, until: 94, parent: 33 });
    span(recording, { trace: 4, id: 35, service: 'cache', from: 92, until: 93, parent: 34 });
  });
  const reported = async (trace: number) =>
    (await costOf(session, trace)).services.map(({ service, tokens }) => [service, tokens]);
  expect(await reported(1)).toEqual([
    ['llama', { input: 30, output: 10 }],
    ['app', null],
  ]);
  expect(await reported(2)).toEqual([['llama', { input: null, output: 7 }]]);
  expect(await reported(3)).toEqual([['llama', null]]);
  expect(await reported(4)).toEqual([
    ['llama', { input: 5, output: 6 }],
    ['app', null],
    ['cache', null],
  ]);
  // 2 s of one GPU for 40 tokens.
  expect((await costOf(session, 1)).services[0]?.per_1k_tokens?.high).toBeCloseTo(0.05, 12);
});

test('all requests together take no more than the GPUs did, and all of it while anybody is served', async () => {
  const request = fc.record({ from: fc.integer({ min: 0, max: 60 }), lasts: fc.integer({ min: 0, max: 30 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 3 }),
      async (drawn, gpus) => {
        const session = await recordedCase((recording) => {
          for (let gpu = 0; gpu < gpus; gpu++) runsOn(recording, 'llama', `g${gpu}`);
          for (const [nth, { from, lasts }] of drawn.entries())
            span(recording, { trace: nth + 1, id: nth + 1, service: 'llama', from, until: from + lasts });
        });
        let sum = 0;
        for (const nth of drawn.keys()) sum += (await costOf(session, nth + 1)).cost?.high ?? Number.NaN;
        const busy = Array.from({ length: 90 }, (_, s) =>
          drawn.some(({ from, lasts }) => from <= s && s < from + lasts),
        );
        const seconds = busy.filter(Boolean).length;
        expect(sum).toBeCloseTo(gpus * seconds * 0.001, 9);
        const first = Math.min(...drawn.map(({ from }) => from));
        const last = Math.max(...drawn.map(({ from, lasts }) => from + lasts));
        expect(sum).toBeLessThanOrEqual(gpus * (last - first) * 0.001 + 1e-9);
      },
    ),
    { numRuns: 12 },
  );
});
