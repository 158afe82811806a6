import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryCore, type TestCore, temporaryFolder } from '../support/core.ts';

const T0_NS = 1_777_644_000_000_000_000n;
const atSecond = (seconds: number): bigint => T0_NS + BigInt(Math.round(seconds * 1000)) * 1_000_000n;
const DAY_S = 86_400;

/** Of a request: when it begins, and how long it was queued, prefilled and decoded, in seconds. */
type Request = readonly [at: number, queue: number, prefill: number, decode: number];

const idOf = (at: number): string =>
  Math.round(at * 10 + 1_000_000_000)
    .toString(16)
    .padStart(32, '0');
const number = (key: string, doubleValue: number) => ({ key, value: { doubleValue } });

/** As spans of each stage, with token spans within the decoding. */
function spansOf([at, queue, prefill, decode]: Request): object[] {
  const traceId = idOf(at);
  const root = traceId.slice(16);
  const span = (nth: number, name: string, from: number, length: number, parent = root) => ({
    ...{ traceId, spanId: `${nth}${root.slice(1)}`, parentSpanId: parent, name, kind: 1 },
    ...{ startTimeUnixNano: String(atSecond(from)), endTimeUnixNano: String(atSecond(from + length)) },
  });
  const decoding = at + queue + prefill;
  return [
    { ...span(0, 'generate', at, queue + prefill + decode, ''), spanId: root, kind: 2 },
    span(1, 'queue', at, queue),
    span(2, 'llm.prefill', at + queue, prefill),
    span(3, 'decode', decoding, decode),
    span(4, 'decode.token', decoding, decode / 2, `3${root.slice(1)}`),
  ];
}

/** As one span with attributes, as vLLM writes it. */
const statedSpan = ([at, queue, prefill, decode]: Request): object[] => [
  {
    ...{ traceId: idOf(at), spanId: idOf(at).slice(16), name: 'llm_request', kind: 2 },
    startTimeUnixNano: String(atSecond(at)),
    endTimeUnixNano: String(atSecond(at + queue + prefill + decode)),
    attributes: [
      number('gen_ai.latency.time_in_queue', queue),
      number('gen_ai.latency.time_in_model_prefill', prefill),
      number('gen_ai.latency.time_in_model_decode', decode),
    ],
  },
];

async function caseOf(requests: readonly Request[], write: (request: Request) => object[]): Promise<TestCore> {
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'llama' } }] };
  const spans = requests.flatMap(write);
  const file = join(await temporaryFolder(), 'spans.json');
  await writeFile(file, JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }));
  const core = await memoryCore();
  await core.import([file]);
  return core;
}

const ask = ({ api }: TestCore, [at, queue, prefill, decode]: Request) =>
  api['trace.stages']({
    trace_id: idOf(at),
    start_ns: atSecond(at),
    end_ns: atSecond(at + queue + prefill + decode),
  });

const usual = (from: number, count: number, decode = 1): Request[] =>
  Array.from({ length: count }, (_, i) => [from + 10 * i, 0.1, 0.2, decode]);

for (const [how, write] of [
  ['spans', spansOf],
  ['attributes', statedSpan],
] as const)
  test(`stages of a slow request against the same service before, by ${how}`, async () => {
    const slow: Request = [700, 3, 0.2, 1];
    const core = await caseOf([...usual(0, 60), slow], write);
    const { stages, baseline } = await ask(core, slow);
    expect(stages.map(({ stage }) => stage)).toEqual(['queue', 'prefill', 'decode']);
    expect(stages.map(({ seconds }) => Number(seconds?.toFixed(6)))).toEqual([3, 0.2, 1]);
    expect(stages.map(({ before }) => Number(before?.seconds.toFixed(6)))).toEqual([0.1, 0.2, 1]);
    expect(stages[0]).toMatchObject({ service: 'llama', before: { requests: 60 } });
    expect(baseline).toMatchObject({ kind: 'before', days: 0, from_ns: atSecond(0) });
  });

/** One call of a model that answers in pieces, within a span of its client. @param inner of the call itself; `outer` of its client */
const callOf =
  (inner: (first: number) => object, outer: (first: number) => object = () => ({})) =>
  ([at, queue, prefill, decode]: Request): object[] => {
    const traceId = idOf(at);
    const times = {
      startTimeUnixNano: String(atSecond(at)),
      endTimeUnixNano: String(atSecond(at + queue + prefill + decode)),
    };
    const first = queue + prefill;
    return [
      { traceId, spanId: traceId.slice(16), name: 'chain', kind: 1, ...times, ...outer(first) },
      {
        traceId,
        spanId: `1${traceId.slice(17)}`,
        parentSpanId: traceId.slice(16),
        name: 'chat',
        kind: 1,
        ...times,
        ...inner(first),
      },
    ];
  };
const eventsAt = (request: Request, name: string, seconds: readonly number[]) => ({
  attributes: [{ key: 'llm.model_name', value: { stringValue: 'm' } }],
  events: seconds.map((second) => ({ timeUnixNano: String(atSecond(request[0] + second)), name })),
});
const sinceFirst = (first: number) => ({ attributes: [number('ai.response.msToFirstChunk', first * 1000)] });

test.each<readonly [string, (request: Request) => object[]]>([
  ['OpenInference', (one) => callOf((first) => eventsAt(one, 'First Token Stream Event', [first]))(one)],
  ['OpenLLMetry', (one) => callOf((first) => eventsAt(one, 'llm.content.completion.chunk', [first, first + 0.5]))(one)],
  ['the AI SDK, in a call and its client', callOf(sinceFirst, sinceFirst)],
])('all until the first token is a stage where nothing states its parts: %s', async (_, write) => {
  const slow: Request = [700, 3, 0.2, 1];
  const core = await caseOf([...usual(0, 60), slow], write);
  const { stages } = await ask(core, slow);
  const round = (value: number | null | undefined): number => Number(value?.toFixed(6));
  expect(stages.map(({ stage, seconds, before }) => [stage, round(seconds), round(before?.seconds)])).toEqual([
    ['first_token', 3.2, 0.3],
  ]);
});

test('where queue and prefill are stated, the first token is no stage', async () => {
  const slow: Request = [700, 3, 0.2, 1];
  const core = await caseOf([...usual(0, 60), slow], (request) =>
    statedSpan(request).map((span) => {
      const { attributes } = span as { attributes: object[] };
      const first = number('gen_ai.latency.time_to_first_token', request[1] + request[2]);
      return { ...span, attributes: [...attributes, first] };
    }),
  );
  expect((await ask(core, slow)).stages.map(({ stage }) => stage)).toEqual(['queue', 'prefill', 'decode']);
});

test('the first token in spans hides no stages that metrics of the server state', async () => {
  const slow: Request = [700, 3, 0.2, 1];
  const core = await caseOf([...usual(0, 60), slow], callOf(sinceFirst));
  const lines = Array.from({ length: 61 }, (_, i) =>
    ['queue', 'prefill', 'decode'].flatMap((stage) => {
      const name = `vllm:request_${stage}_time_seconds`;
      const time_ms = Number(atSecond(i * 15) / 1_000_000n);
      return [
        `${name}_bucket{job="llama",le="+Inf"} ${15 * i} ${time_ms}`,
        `${name}_sum{job="llama"} ${3 * i} ${time_ms}`,
        `${name}_count{job="llama"} ${15 * i} ${time_ms}`,
      ];
    }),
  ).flat();
  const file = join(await temporaryFolder(), 'llama.prom');
  await writeFile(file, `${lines.toSorted((a, b) => (a.split('{')[0]! < b.split('{')[0]! ? -1 : 1)).join('\n')}\n`);
  await core.import([file]);
  const shown = (stages: Awaited<ReturnType<typeof ask>>['stages']) =>
    stages.map(({ source, stage }) => `${source} ${stage}`);
  const expected = ['metrics queue', 'metrics prefill', 'metrics decode'];
  expect(shown((await ask(core, slow)).stages)).toEqual(expected);
  const window = { from_ns: atSecond(600), to_ns: atSecond(900) };
  expect(shown((await core.api['stages.list'](window)).stages)).toEqual(expected);
});

test('days of recording: the same hour of the days before, not the hour before', async () => {
  const evening: Request = [3 * DAY_S + 1800, 0.1, 0.2, 4];
  // At this hour of each day answers are long; in the hour before they are short.
  const days = [0, 1, 2].flatMap((day) => usual(day * DAY_S + 1800, 30, 4));
  const core = await caseOf([...usual(-600, 1), ...days, ...usual(3 * DAY_S, 60, 1), evening], spansOf);
  const { stages, baseline } = await ask(core, evening);
  expect(baseline).toMatchObject({ kind: 'hour', days: 3 });
  expect(stages.find(({ stage }) => stage === 'decode')?.before).toMatchObject({ seconds: 4, requests: 90 });
});

test('too few requests before are no baseline; other services have no stages', async () => {
  const slow: Request = [100, 3, 0.2, 1];
  const core = await caseOf([...usual(0, 5), slow], spansOf);
  expect(await ask(core, slow)).toMatchObject({ baseline: null, stages: [{ before: null }, {}, {}] });
  const web = await caseOf([slow], ([at]) => [
    {
      ...{ traceId: idOf(at), spanId: idOf(at).slice(16), name: 'GET /queued-orders', kind: 2 },
      ...{ startTimeUnixNano: String(atSecond(at)), endTimeUnixNano: String(atSecond(at + 1)) },
    },
  ]);
  expect((await ask(web, slow)).stages).toEqual([]);
});
