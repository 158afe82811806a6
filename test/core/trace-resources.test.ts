import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryCore, type TestCore, temporaryFolder } from '../support/core.ts';

const T0 = 1_777_644_000n;
const nanos = (seconds: number): string =>
  String(T0 * 1_000_000_000n + BigInt(Math.round(seconds * 1000)) * 1_000_000n);
const attributes = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
const placeOf = (replica: number) => ({
  'service.name': 'llama',
  'k8s.pod.name': `llama-${replica}`,
  'host.name': `node-${replica}`,
});

interface Span {
  readonly trace: number;
  readonly at: number;
  readonly resource: Readonly<Record<string, string>>;
  readonly stated?: readonly object[];
}

const spanOf = ({ trace, at, resource, stated = [] }: Span) => ({
  resource: { attributes: attributes(resource) },
  scopeSpans: [
    {
      spans: [
        {
          ...{
            traceId: String(trace).padStart(32, '0'),
            spanId: String(trace).padStart(16, '0'),
            name: 'generate',
            kind: 2,
          },
          ...{ startTimeUnixNano: nanos(at), endTimeUnixNano: nanos(at + 4), attributes: stated },
        },
      ],
    },
  ],
});

const gauge = (name: string, unit: string, values: readonly (readonly [at: number, value: number])[]) => ({
  ...{ name, unit },
  gauge: { dataPoints: values.map(([at, asDouble]) => ({ timeUnixNano: nanos(at), asDouble })) },
});
const metricsOf = (resource: Readonly<Record<string, string>>, metrics: readonly object[]) => ({
  resource: { attributes: attributes(resource) },
  scopeMetrics: [{ metrics }],
});

async function imported(files: Readonly<Record<string, string>>): Promise<TestCore> {
  const folder = await temporaryFolder();
  const paths = Object.keys(files).map((name) => join(folder, name));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const core = await memoryCore();
  await core.import(paths);
  return core;
}

const ask = ({ api }: TestCore, trace: number, at: number) =>
  api['trace.resources']({
    trace_id: String(trace).padStart(32, '0'),
    start_ns: BigInt(nanos(at)),
    end_ns: BigInt(nanos(at + 4)),
  });

const topology = [
  'from_kind,from_id,edge,to_kind,to_id',
  ...[0, 1].flatMap((node) => [
    `server,node-${node},contains,gpu,node-${node}/GPU-0`,
    `service,llama,runs_on,gpu,node-${node}/GPU-0`,
  ]),
].join('\n');

const every15 = [0, 15, 30, 45, 60];
const scraped = (base: number) => every15.map((at) => [at, base + at] as const);

async function twoReplicas(): Promise<TestCore> {
  const resourceSpans = [0, 1].map((replica) => spanOf({ trace: replica + 1, at: 20, resource: placeOf(replica) }));
  const resourceMetrics = [0, 1].flatMap((replica) => [
    metricsOf(placeOf(replica), [gauge('vllm:num_requests_waiting', '1', scraped(100 * replica))]),
    metricsOf({ 'host.name': `node-${replica}`, 'gpu.id': `node-${replica}/GPU-0` }, [
      gauge('hw.power', 'W', scraped(100 * replica)),
    ]),
  ]);
  return imported({
    'topology.csv': `${topology}\n`,
    'spans.json': JSON.stringify({ resourceSpans }),
    'metrics.json': JSON.stringify({ resourceMetrics }),
  });
}

test('below a trace lies what was measured of the replica that it names, with a sample to each side', async () => {
  const core = await twoReplicas();
  const { lanes, named, total } = await ask(core, 2, 20);
  expect(named).toBe(true);
  expect(total).toBe(lanes.length);
  const waiting = lanes.filter(({ metric }) => metric === 'gen_ai.server.request.waiting');
  expect(waiting).toMatchObject([{ entity: 'service:llama', replica: 'llama-1', from: 'metric' }]);
  expect([...waiting[0]!.times_ns]).toEqual([-5e9, 10e9]);
  expect([...waiting[0]!.values]).toEqual([115, 130]);
  const powers = lanes.filter(({ metric }) => metric === 'hw.power').map(({ entity }) => entity);
  expect(powers.every((entity) => entity.includes('node-1'))).toBe(true);
});

test('a trace that names no replica lists those of its services, and states that', async () => {
  const nowhere = { 'service.name': 'llama' };
  const resourceSpans = [spanOf({ trace: 9, at: 20, resource: nowhere })];
  const resourceMetrics = [0, 1].map((replica) =>
    metricsOf(placeOf(replica), [gauge('vllm:num_requests_waiting', '1', scraped(100 * replica))]),
  );
  const core = await imported({
    'spans.json': JSON.stringify({ resourceSpans }),
    'metrics.json': JSON.stringify({ resourceMetrics }),
  });
  const { lanes, named } = await ask(core, 9, 20);
  expect(named).toBe(false);
  expect(lanes.map(({ replica }) => replica).sort()).toEqual(['llama-0', 'llama-1']);
});

test('what spans alone state of queue and GPU is drawn, too', async () => {
  const stated = (depth: number, busy: number) => [
    { key: 'queue.depth', value: { intValue: String(depth) } },
    { key: 'gpu.utilization', value: { doubleValue: busy } },
  ];
  const spans = [0, 10, 20, 30].map((at, i) =>
    spanOf({ trace: i + 1, at, resource: { 'service.name': 'llama' }, stated: stated(i, 0.25 * i) }),
  );
  const core = await imported({ 'spans.json': JSON.stringify({ resourceSpans: spans }) });
  const { lanes } = await ask(core, 3, 20);
  const valuesOf = (metric: string) => [...(lanes.find((lane) => lane.metric === metric)?.values ?? [])];
  expect(lanes.every(({ from }) => from === 'spans')).toBe(true);
  expect(valuesOf('gen_ai.server.request.waiting')).toEqual([2, 3]);
  expect(valuesOf('hw.gpu.utilization')).toEqual([50, 75]);
});

test('nothing measured is no lane, and an unknown trace is none', async () => {
  const core = await imported({
    'spans.json': JSON.stringify({ resourceSpans: [spanOf({ trace: 1, at: 0, resource: placeOf(0) })] }),
  });
  expect(await ask(core, 1, 0)).toMatchObject({ lanes: [], total: 0 });
  expect(await ask(core, 77, 0)).toMatchObject({ lanes: [], total: 0, named: false });
});
