import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tokenEvents, tokenSpans } from '../../src/model/telemetry/token-marks.ts';
import { memoryCore, type TestCore, temporaryFolder } from '../support/core.ts';

const T0_NS = 1_777_644_000_000_000_000n;
const nanos = (seconds: number): string => String(T0_NS + BigInt(Math.round(seconds * 1e6)) * 1000n);
const texts = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
const number = (key: string, doubleValue: number) => ({ key, value: { doubleValue } });

const TRACE = '1'.padStart(32, '0');
const idOf = (nth: number): string => nth.toString(16).padStart(16, '0');

interface Span {
  readonly nth: number;
  readonly name: string;
  readonly from: number;
  readonly until: number;
  readonly parent?: number;
  readonly attributes?: readonly object[];
  readonly events?: readonly { readonly name: string; readonly at: number }[];
}

const spanOf = ({ nth, name, from, until, parent, attributes = [], events = [] }: Span): object => ({
  ...{ traceId: TRACE, spanId: idOf(nth), name, kind: parent === undefined ? 2 : 1, attributes },
  ...(parent === undefined ? {} : { parentSpanId: idOf(parent) }),
  ...{ startTimeUnixNano: nanos(from), endTimeUnixNano: nanos(until) },
  events: events.map((event) => ({ name: event.name, timeUnixNano: nanos(event.at) })),
});

async function caseOf(spans: readonly Span[], metrics: readonly object[] = [], others: Record<string, string> = {}) {
  const folder = await temporaryFolder();
  const resource = { attributes: texts({ 'service.name': 'llama', 'host.name': 'node-0' }) };
  const files: Record<string, string> = {
    ...others,
    'spans.json': JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: spans.map(spanOf) }] }] }),
    ...(metrics.length > 0 && { 'metrics.json': JSON.stringify({ resourceMetrics: metrics }) }),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const core = await memoryCore();
  await core.import(Object.keys(files).map((name) => join(folder, name)));
  return core;
}

const ask = async ({ api }: TestCore) => (await api['trace.tokens']({ trace_id: TRACE })).requests;
const at = (seconds: number): bigint => BigInt(nanos(seconds));

/** A request whose 200 tokens are spans of 20 ms below its decoding; the 150th takes 2 s. */
const answer = (name = 'decode.token', under = 'decode'): Span[] => {
  const ends = Array.from({ length: 200 }, (_, i) => 1 + 0.02 * (i + 1) + (i >= 149 ? 1.98 : 0));
  return [
    { nth: 1, name: 'generate', from: 0, until: 7, attributes: [number('gen_ai.usage.output_tokens', 200)] },
    { nth: 2, name: under, from: 1, until: 7, parent: 1 },
    ...ends.map((end, i) => ({ nth: 10 + i, name, from: ends[i - 1] ?? 1, until: end, parent: 2 })),
  ];
};

test('token spans below the decoding are tokens of the request', async () => {
  const [request, ...others] = await ask(await caseOf(answer()));
  expect(others).toEqual([]);
  expect(request).toMatchObject({
    span_id: idOf(1),
    service: 'llama',
    pieces: 'token',
    count: 200,
    output_tokens: 200,
  });
  expect(request?.first_s).toBeCloseTo(1.02, 6);
  expect(request?.median_gap_s).toBeCloseTo(0.02, 6);
  // One of 199 gaps is long: the 99th percentile is not.
  expect(request?.p99_gap_s).toBeCloseTo(0.02, 6);
  expect(request?.longest).toMatchObject({ from_ns: at(3.98), until_ns: at(5.98), after: 149 });
  expect(Math.max(...(request?.gaps_s ?? []))).toBeCloseTo(2, 6);
});

const fanFailure = (device_id: string, seconds: number) => ({
  ...{ id: `${device_id} ${seconds}`, timestamp: new Date(Number(at(seconds) / 1_000_000n)).toISOString() },
  ...{ source: 'redfish', type: 'fan_failure', severity: 'critical', device_id, raw_message: 'Fan 3 at 0 RPM' },
  metadata: {},
});

test('a gap shows what was measured in it, next to it, and of the rest of the request', async () => {
  const gauge = (name: string, unit: string, values: readonly (readonly [number, number])[]) => ({
    ...{ name, unit },
    gauge: { dataPoints: values.map(([time, asDouble]) => ({ timeUnixNano: nanos(time), asDouble })) },
  });
  const clock = [0, 1, 2, 3, 4.5, 5.5, 6.5].map((time) => [time, time > 4 && time < 6 ? 345 : 1980] as const);
  const resource = { attributes: texts({ 'host.name': 'node-0', 'hw.type': 'gpu', 'hw.id': 'GPU-0', gpu: '0' }) };
  const core = await caseOf(
    answer(),
    [
      {
        resource,
        scopeMetrics: [{ metrics: [gauge('hw.gpu.clock.sm', 'MHz', clock), gauge('hw.power', 'W', [[3, 600]])] }],
      },
    ],
    {
      'physical-events.json': JSON.stringify({
        events: [fanFailure('node-0', 3.5), fanFailure('node-0', -120), fanFailure('node-1', 3.5)],
      }),
      'topology.csv': [
        'from_kind,from_id,edge,to_kind,to_id',
        'server,node-0,contains,gpu,node-0/GPU-0',
        'service,llama,runs_on,gpu,node-0/GPU-0',
      ].join('\n'),
    },
  );
  const [request] = await ask(core);
  const lanes = request?.hardware?.lanes ?? [];
  expect(lanes).toMatchObject([
    // No sample was taken in the gap: the two around it are all that is known.
    { metric: 'hw.power', within: null, before: { value: 600, time_ns: at(3) }, after: null, usual: 600 },
    { metric: 'hw.gpu.clock.sm', within: { low: 345, high: 345, samples: 2 }, before: { value: 1980, time_ns: at(3) } },
  ]);
  expect(lanes[1]).toMatchObject({ entity: 'gpu:node-0/GPU-0', usual: 1980, after: { value: 1980, time_ns: at(6.5) } });
  const events = request?.hardware?.events.map(({ entity, type, time_ns }) => [entity, type, time_ns]);
  // The one of two minutes before and that of the other machine are not listed.
  expect(events).toEqual([['server:node-0', 'fan_failure', at(3.5)]]);
});

/** A streamed call as a client records it. */
const streamed = (events: readonly string[], more: Partial<Span> = {}): Span[] => [
  {
    nth: 1,
    name: 'chat llama',
    from: 0,
    until: 4,
    ...more,
    events: events.map((name, i) => ({ name, at: 0.5 + 0.1 * i })),
  },
];

test.each([
  ['First Token Stream Event', 'first', 1],
  ['ai.stream.firstChunk', 'first', 1],
  ['llm.content.completion.chunk', 'chunk', 5],
  ['gen_ai.content.completion.chunk', 'chunk', 5],
  ['new_token', 'token', 5],
])('events %s are a %s', async (name, pieces, count) => {
  const [request] = await ask(await caseOf(streamed(Array.from({ length: count }, () => name))));
  expect(request).toMatchObject({ pieces, count });
  expect(request?.first_s).toBeCloseTo(0.5, 6);
  if (count === 1) expect(request).toMatchObject({ median_gap_s: null, longest: null });
  else expect(request?.median_gap_s).toBeCloseTo(0.1, 6);
  // Five pieces show no 99th percentile.
  expect(request?.p99_gap_s).toBeNull();
});

test('what marks the first only is not mixed with chunks, and no chunk is a token', async () => {
  const names = ['First Token Stream Event', ...Array.from({ length: 4 }, () => 'llm.content.completion.chunk')];
  const [request] = await ask(await caseOf(streamed(names)));
  expect(request).toMatchObject({ pieces: 'chunk', count: 4, output_tokens: null });
  expect(request?.first_s).toBeCloseTo(0.5, 6);
});

test('the first token is counted once, with a mark of its own or with two', async () => {
  const rest = Array.from({ length: 4 }, () => 'new_token');
  const [apart] = await ask(await caseOf(streamed(['First Token Stream Event', ...rest])));
  expect(apart).toMatchObject({ pieces: 'token', count: 5 });
  const both = streamed(['First Token Stream Event', ...rest]).map((span) => ({
    ...span,
    events: span.events?.map((event, i) => (i === 0 ? { ...event, at: 0.599 } : event)) ?? [],
  }));
  expect((await ask(await caseOf(both)))[0]).toMatchObject({ pieces: 'token', count: 4 });
});

test('a stated time to the first token stands beside the recorded one', async () => {
  const attributes = [number('gen_ai.latency.time_to_first_token', 0.3)];
  const [alone] = await ask(await caseOf(streamed([], { attributes })));
  expect(alone).toMatchObject({ pieces: null, count: 0, first_s: null, stated_first_s: 0.3, longest: null });
  const milliseconds = [number('ai.response.msToFirstChunk', 480)];
  const [both] = await ask(await caseOf(streamed(['ai.stream.firstChunk'], { attributes: milliseconds })));
  expect(both?.stated_first_s).toBeCloseTo(0.48, 9);
  expect(both?.first_s).toBeCloseTo(0.5, 6);
});

test('tokens of sessions and whole answers are no pieces of an answer', async () => {
  const session: Span[] = [
    { nth: 1, name: 'POST /login', from: 0, until: 1, events: [{ name: 'token', at: 0.5 }] },
    ...[0, 1, 2].map((i) => ({ nth: 2 + i, name: 'token', from: 0.1 * i, until: 0.1 * i + 0.05, parent: 1 })),
    { nth: 9, name: 'refresh token', from: 0.5, until: 0.6, parent: 1 },
  ];
  expect(await ask(await caseOf(session))).toEqual([]);
  expect(await ask(await caseOf(streamed(['gen_ai.choice', 'gen_ai.user.message'])))).toEqual([]);
  const spans = tokenSpans.map(({ words }) => new RegExp(words));
  for (const name of ['tokenize', 'validate token', 'GET /oauth/token', 'decode', 'next step', 'jwt.decode'])
    expect([name, ...spans.filter((one) => one.test(name))]).toEqual([name]);
  const events = tokenEvents.map(({ words }) => new RegExp(words));
  for (const name of ['gen_ai.choice', 'upload chunk', 'access_token', 'token expired', 'first byte'])
    expect([name, ...events.filter((one) => one.test(name))]).toEqual([name]);
});

test('the same spans under another name of their parent count where it is a request for a model', async () => {
  const spans = answer('token 7', 'call').map((span) =>
    span.nth === 2 ? { ...span, attributes: texts({ 'gen_ai.request.model': 'llama' }) } : span,
  );
  const [request] = await ask(await caseOf(spans));
  expect(request).toMatchObject({ span_id: idOf(2), pieces: 'token', count: 200 });
});

test('of thousands of answers in one trace those with the longest gaps are listed, and the others are counted', async () => {
  const answers = Array.from({ length: 2_500 }, (_, nth): Span => {
    const from = nth;
    const late = nth === 2_400 ? 0.9 : 0.1;
    const events = [0.05, 0.05 + late].map((after) => ({ name: 'new_token', at: from + after }));
    return { nth: 10 + nth, name: 'chat', from, until: from + 1, parent: 1, events };
  });
  const core = await caseOf([{ nth: 1, name: 'run', from: 0, until: 2_600 }, ...answers]);
  const { requests, left_out, truncated } = await core.api['trace.tokens']({ trace_id: TRACE });
  expect(requests[0]).toMatchObject({ span_id: idOf(10 + 2_400), count: 2 });
  expect(requests.length + left_out).toBe(2_500);
  expect(truncated).toBe(false);
});
