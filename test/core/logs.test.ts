import { expect, test } from 'vitest';
import { readLogIndex } from '../../src/core/analysis/logs/log-index.ts';
import { type LogWindow, templateFigures } from '../../src/core/analysis/logs/template-figures.ts';
import { createReader } from '../../src/core/store/facts/reader.ts';
import { memoryCore } from '../support/core.ts';
import { every, numbersFrom, type Recording, recordedCase, START_NS } from '../support/software-case.ts';

async function figuresOf(fill: (recording: Recording) => void, window: Partial<LogWindow> = {}) {
  const index = await readLogIndex(createReader(await recordedCase(fill)));
  // The index counts from the first record.
  const origin_s = Number(index.origin_ns - START_NS) / 1e9;
  const requests = { from_s: 0, to_s: 900, since_s: 600, resources: null, buckets: 9, ...window };
  const moved = {
    from_s: requests.from_s - origin_s,
    to_s: requests.to_s - origin_s,
    since_s: requests.since_s - origin_s,
  };
  const found = templateFigures(index, { ...requests, ...moved });
  return {
    index,
    found,
    of: (text: string) => found.templates.find(({ template }) => index.texts[template] === text),
  };
}

/** An hour's quarter of a service: routine all along, some lines since second 600. */
function fill(recording: Recording): void {
  const random = numbersFrom(3);
  for (const second of every(3, 0, 900)) recording.log(second, 'api', `request ${Math.floor(random() * 1e6)} done`);
  for (const second of every(60, 10, 600)) recording.log(second, 'api', `retry ${second} of shard ${second}`, 13);
  for (const second of every(5, 600, 900)) recording.log(second, 'api', `retry ${second} of shard ${second}`, 13);
  recording.log(702, 'model', 'link 4 went down', 17);
  recording.log(705, 'model', 'link 7 went down', 21);
}

test('what is new, what surges, and what is usual', async () => {
  const { of, found } = await figuresOf(fill);
  expect(of('link <*> went down')).toMatchObject({ novelty: 'new', count: 2, severity: 21, times_more: null });
  expect(of('link <*> went down')?.first_s).toBeCloseTo(702);
  expect(of('retry <*> of shard <*>')).toMatchObject({ novelty: 'surging', count: 70 });
  expect(of('retry <*> of shard <*>')?.times_more).toBeCloseTo(12, 0);
  expect(of('request <*> done')).toMatchObject({ novelty: 'usual', count: 300 });
  expect([...(of('link <*> went down')?.counts ?? [])]).toEqual([0, 0, 0, 0, 0, 0, 0, 2, 0]);
  expect(found.lines).toBe(372);
  expect(found.left_out).toBe(0);
  expect(found.before_s).toBeCloseTo(600);
});

test('a burst of one second is no surge, and twice as often by chance is none', async () => {
  const { of } = await figuresOf((recording) => {
    for (const second of every(30, 5, 900)) recording.log(second, 'api', 'heartbeat sent');
    for (const second of [100, 300]) recording.log(second, 'api', 'cache flushed');
    for (let i = 0; i < 3; i++) recording.log(700 + i * 0.1, 'api', 'cache flushed');
  });
  expect(of('heartbeat sent')?.novelty).toBe('usual');
  expect(of('cache flushed')?.novelty).toBe('usual');
});

test('where nothing was recorded before, nothing is called new', async () => {
  const { found, of } = await figuresOf((recording) => {
    for (const second of every(10, 650, 900)) recording.log(second, 'api', 'link 4 went down', 17);
  });
  expect(of('link <*> went down')?.novelty).toBe('unknown');
  expect(found.templates).toHaveLength(1);
});

test('a window before the incident is held against what came before the window', async () => {
  const { found, of } = await figuresOf(fill, { from_s: 300, to_s: 500 });
  expect(found.since_s).toBe(300);
  expect(of('retry <*> of shard <*>')?.novelty).toBe('usual');
  expect(of('link <*> went down')).toBeUndefined();
});

test('templates, their records, a search within them, a severity and a trace, as a window asks for them', async () => {
  const core = await memoryCore();
  const ns = (second: number) => String(1_767_225_600_000_000_000n + BigInt(Math.round(second * 1e9)));
  const record = (second: number, text: string, severityNumber: number, trace?: string) => ({
    timeUnixNano: ns(second),
    severityNumber,
    body: { stringValue: text },
    ...(trace ? { traceId: trace, spanId: '00000000000000aa' } : {}),
  });
  const trace = 'ab'.repeat(16);
  await core.importJson({
    resourceLogs: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'api' } }] },
        scopeLogs: [
          {
            logRecords: [
              ...every(10, 0, 600).map((second) => record(second, `request ${second + 1000} done`, 9)),
              record(450, 'disk sda3 is full', 17, trace),
              record(460, 'disk sdb1 is full', 17),
            ],
          },
        ],
      },
    ],
  });
  const time = { start_ns: BigInt(ns(0)), end_ns: BigInt(ns(700)) };
  const { templates } = await core.api['logs.templates']({ ...time, since_ns: BigInt(ns(400)) });
  expect(templates.map(({ text, novelty, senders }) => [text, novelty, senders])).toEqual([
    ['disk <*> is full', 'new', ['service:api']],
    ['request <*> done', 'usual', ['service:api']],
  ]);
  const records = async (more: object) =>
    (await core.api['logs.records']({ ...time, ...more })).records.map(({ body }) => body);
  expect(await records({ template: 'disk <*> is full' })).toEqual(['disk sda3 is full', 'disk sdb1 is full']);
  expect(await records({ template: 'disk <*> is full', text: 'SDB1' })).toEqual(['disk sdb1 is full']);
  expect(await records({ severity_from: 13 })).toHaveLength(2);
  expect(await records({ start_ns: BigInt(ns(690)), trace_id: trace })).toEqual(['disk sda3 is full']);
  expect(await records({ entities: ['service:other'] })).toEqual([]);
  // A log record leads to its trace and to its service, one outside of any trace to the service alone.
  const full = await core.api['logs.records']({ ...time, template: 'disk <*> is full' });
  const known = await Promise.all(full.records.map(({ ref }) => core.api['evidence.get']({ ref })));
  const about = { kind: 'log', entity: 'service:api', layer: 'service' };
  expect(known).toMatchObject([
    { ...about, trace: { trace_id: trace, span_id: '00000000000000aa' } },
    { ...about, trace: null },
  ]);
  const first = await core.api['logs.records']({ ...time, limit: 5 });
  expect(first.records).toHaveLength(5);
  expect(first.truncated).toBe(true);
});
