import { expect, test } from 'vitest';
import { readLogIndex } from '../../src/core/analysis/logs/log-index.ts';
import { type LogWindow, templateFigures } from '../../src/core/analysis/logs/template-figures.ts';
import { createReader } from '../../src/core/store/facts/reader.ts';
import { memoryCore } from '../support/core.ts';
import { addRecording, every, numbersFrom, type Recording, recordedCase, START_NS } from '../support/software-case.ts';

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

test('hours between two recordings are no baseline: what was as frequent in the first one does not surge', async () => {
  const session = await recordedCase((recording) => {
    for (const second of every(3, 0, 300)) recording.log(second, 'api', `request ${second} done`);
  });
  await addRecording(session, 'later', (recording) => {
    for (const second of every(3, 21_000, 21_300)) recording.log(second, 'api', `request ${second} done`);
  });
  const index = await readLogIndex(createReader(session));
  const requests = { from_s: 21_000, to_s: 21_300, since_s: 21_100, resources: null, buckets: 9 };
  const { before_s, templates } = templateFigures(index, requests);
  expect(before_s).toBeCloseTo(297 + 100);
  expect(templates).toMatchObject([{ novelty: 'usual' }]);
  expect(templates[0]?.times_more).toBeCloseTo(1, 0);
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

/** Two services on two hosts; every tenth line of one failed, with a zone and an id of its own. */
async function facetCase() {
  const core = await memoryCore();
  const ns = (second: number): string => String(START_NS + BigInt(Math.round(second * 1e9)));
  const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
  const line = (second: number, service: string) => ({
    timeUnixNano: ns(second),
    severityNumber: second % 10 === 0 && service === 'api' ? 17 : 9,
    body: { stringValue: `${service} at ${second}` },
    attributes: [text('zone', second % 2 === 0 ? 'a/b' : 'c'), text('request.id', `${service}-${second}`)],
  });
  const of = (service: string, host: string) => ({
    resource: { attributes: [text('service.name', service), text('host.name', host)] },
    scopeLogs: [{ logRecords: every(1, 0, 100).map((second) => line(second, service)) }],
  });
  await core.importJson({ resourceLogs: [of('api', 'node-1'), of('model', 'node-2')] });
  return { core, time: { start_ns: START_NS, end_ns: START_NS + 100_000_000_000n } };
}

test('facets count every field, and a condition of one leads to the records that it counted', async () => {
  const { core, time } = await facetCase();
  const { facets, levels, lines, share } = await core.api['logs.facets']({ ...time, buckets: 10 });
  expect([lines, share]).toEqual([200, 1]);
  const known = facets.map(({ field, values }) => [field, values.map(({ value, lines: own }) => [value, own])]);
  expect(known).toEqual([
    [
      'level',
      [
        ['error', 10],
        ['info', 190],
      ],
    ],
    [
      'from',
      [
        ['service:api', 100],
        ['service:model', 100],
      ],
    ],
    [
      'resource host.name',
      [
        ['node-1', 100],
        ['node-2', 100],
      ],
    ],
    // An id of every line is no facet.
    [
      'attribute zone',
      [
        ['a/b', 100],
        ['c', 100],
      ],
    ],
  ]);
  expect(levels.map(({ level, counts }) => [level, counts.reduce((a, b) => a + b)])).toEqual([
    ['error', 10],
    ['info', 190],
  ]);
  for (const { field, values } of facets)
    for (const { value, lines: own } of values) {
      const where = [{ field, value }];
      expect((await core.api['logs.records']({ ...time, where })).records).toHaveLength(own);
      expect((await core.api['logs.facets']({ ...time, where })).lines).toBe(own);
    }
  const both = [
    { field: 'level', value: 'error' },
    { field: 'attribute zone', value: 'c' },
  ];
  expect((await core.api['logs.records']({ ...time, where: both })).records).toEqual([]);
  expect((await core.api['logs.facets']({ ...time, text: 'AT 99' })).lines).toBe(2);
  const many = Array.from({ length: 4 }, (_, at) => ({ field: `attribute ${at}`, value: '' }));
  await expect(core.api['logs.records']({ ...time, where: many })).rejects.toThrow('at most 3 attributes');
});

test('the lines around a line are those of its own sender, in order of time', async () => {
  const { core, time } = await facetCase();
  const [line] = (await core.api['logs.records']({ ...time, text: 'api at 50' })).records;
  const bodies = async (before: number, after: number) =>
    (await core.api['logs.around']({ ref: line!.ref, before, after })).records.map(({ body }) => body);
  expect(await bodies(2, 1)).toEqual(['api at 48', 'api at 49', 'api at 50', 'api at 51']);
  expect(await bodies(0, 0)).toEqual(['api at 50']);
  expect(await bodies(500, 500)).toHaveLength(100);
  expect((await core.api['logs.around']({ ref: 'log:9/99' })).records).toEqual([]);
});
