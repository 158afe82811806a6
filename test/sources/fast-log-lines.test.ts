import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonLine } from '../../bench/application-logs.ts';
import { applicationLog } from '../../src/main/sources/application-log/index.ts';
import { readLog } from '../../src/main/sources/application-log/read-log.ts';
import type { Source } from '../../src/model/storage/source.ts';
import { type Reading, readSource, reasonsOf } from '../support/read-source.ts';
import { sharedDataIfPresent } from '../support/shared-data.ts';

const general: Source = { ...applicationLog, read: (input) => readLog(input, applicationLog.id, false) };
/** Links are written once per batch, and batches may end at another line. */
const comparable = ({ rows: { edge, ...rows }, entities, remarks }: Reading) => ({
  rows,
  edges: new Set(edge.map((row) => Object.values(row).join('\n'))),
  entities,
  remarks: new Set(remarks),
});

async function expectSame(content: Uint8Array | string, piece = 65_536): Promise<Reading> {
  const fast = await readSource(applicationLog, content, { piece });
  expect(comparable(fast)).toEqual(comparable(await readSource(general, content, { piece })));
  return fast;
}

const folders = ['../../fixtures/application-log', '../../fixtures/log-csv'].map((path) =>
  join(import.meta.dirname, path),
);
const shared = sharedDataIfPresent('defects/logs');
const files = [...folders, ...(shared === null ? [] : [shared])].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => !name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

/** Makes any file one of JSON lines, for the fast reader. */
const asJsonLines = (bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from('{"time":"2026-05-01T14:04:18Z","level":"info","msg":"first"}\n'), bytes]);

test.each(files)('%s gives the same rows by the fast reader', async (file) => {
  const bytes = readFileSync(file);
  await expectSame(bytes);
  for (const piece of [65_536, 97]) await expectSame(asJsonLines(bytes), piece);
});

test('lines of five libraries give the same rows, over several batches', async () => {
  const lines = Array.from({ length: 25_000 }, (_, i) => jsonLine(i)).join('\n');
  const { rows } = await expectSame(lines);
  expect(rows.log).toHaveLength(25_000);
  await expectSame(lines.slice(0, 60_000), 101);
});

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const times = fc.oneof(
  fc.constantFrom(
    '2026-05-01T14:04:18Z',
    '2026-05-01T14:04:18.5+02:00',
    '2026-05-01T14:04:18.123456789-0330',
    '2026-05-01 14:04:18,123',
    '2026-05-01T14:04:18 UTC',
    '2026-02-30T14:04:18Z',
    '2026-02-30 14:04:18',
    '2026-05-01T25:04:18Z',
    '2026-05-01T14:04:60Z',
    '2026-05-01T14:04:18.1234567891Z',
    '1969-12-31T23:00:00Z',
    '0001-01-01T00:00:00Z',
    '1777644259',
    '',
  ),
  fc.constantFrom(
    1777644259,
    1777644259.25,
    1777644259.2534521,
    1777644261000,
    1777644261000.5,
    1777644261000123,
    9223372036,
    9223372036854,
    99999999999,
  ),
  fc.constantFrom(0, -1777644259, 1.7776442592e9, null, true),
);
const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    'GPU has fallen off the bus',
    '[rank3] lost a peer',
    'Frank [Rank 12] thinks',
    `see TRACE_id=${TRACE} span_id=${SPAN}`,
    `traceparent 00-${TRACE}-${SPAN}-01`,
    'a "quoted" path\\with\n\ttabs\u0001',
    '\ud800 alone',
    'Zürich, 東京',
    'step 12/500 loss=2.5 lr=3e-4 step_time=0.8s',
    '[rank4] iteration 7: loss nan, 3 samples',
    'Training completed after this step',
    'a step ahead',
    '',
  ),
);
const values = fc.oneof(
  texts,
  fc.integer(),
  fc.double(),
  fc.constantFrom(0, -0, 1e-7, 0.000001, 1e21, 0.1, 1.5, 123456789012345680),
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue({ maxDepth: 2 }),
);
const keys = fc.constantFrom(
  ...['logger', 'name', 'service', 'service.name', 'app', 'hostname', 'host', 'pod', 'rank', 'RANK', 'request_id'],
  ...['request.id', 'trace_id', 'traceId', 'span_id', 'traceparent', 'trace_flags', 'exception', 'stack', 'error'],
  ...['err', 'event', 'v', 'pid', 'levelno', 'severity_number', 'short_message', 'observed_timestamp', 'log'],
  ...['trace', 'kubernetes', 'resource', 'a', 'b.c', 'training.step', '7', '__proto__', 'ключ', 'a"b'],
);
const known: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  trace_id: fc.constantFrom(TRACE, TRACE.toUpperCase(), '0', '', 'abc', `projects/p/traces/${TRACE}`, 7),
  traceId: fc.constantFrom(TRACE, '0', null),
  span_id: fc.constantFrom(SPAN, '0', '', 5),
  traceparent: fc.constantFrom(`00-${TRACE}-${SPAN}-01`, 'no', ''),
  trace_flags: fc.constantFrom('01', '1', 1, 'zz'),
  rank: fc.constantFrom(3, '4', '007', -1, 'main', null, 1.5),
  RANK: fc.constantFrom('5', 6, ''),
  levelno: fc.constantFrom(10, 20, 50, '30', 'x'),
  severity_number: fc.constantFrom(9, 17, 99, '13', null),
};
const members = fc.array(
  keys.chain((key) => fc.tuple(fc.constant(key), Object.hasOwn(known, key) ? fc.oneof(known[key]!, values) : values)),
  { maxLength: 6 },
);
const levels = fc.constantFrom('info', 'WARN', 'Error', 30, '40', 3, 'what', '', null, 6.5);
const member = ([key, value]: readonly [string, unknown], space: string): string =>
  `${JSON.stringify(key)}:${space}${JSON.stringify(value)}`;
const objects = fc
  .tuple(times, levels, texts, members, fc.constantFrom('', ' '), fc.boolean())
  .map(([time, level, text, others, space, isLast]) => {
    const own: [string, unknown][] = [
      ['time', time],
      ['level', level],
      ['msg', text],
    ];
    const all = isLast ? [...others, ...own] : [...own, ...others];
    return `{${all.map((one) => member(one, space)).join(`,${space}`)}}`;
  });
const broken = fc
  .tuple(objects, fc.nat(), fc.constantFrom('', '"', '\\', '}', '0', '\t', 'é'))
  .map(([line, at, put]) => {
    const cut = at % line.length;
    return line.slice(0, cut) + put + line.slice(cut + 1);
  });
const lines = fc.oneof(
  { arbitrary: objects, weight: 6 },
  { arbitrary: broken, weight: 2 },
  fc.constantFrom(
    '',
    '  at a stack frame',
    'ValueError: no',
    'plain text',
    'INFO:app:text',
    '2026-05-01 14:04:18 INFO a text line',
    '{"log":"docker line\\n","stream":"stderr","time":"2026-05-01T14:04:18Z"}',
    '{"log":"cut ","stream":"","time":"2026-05-01T14:04:18Z"}',
    '{"time":"2026-05-01T14:04:18Z","log":"Caused by: x\\n","stream":""}',
  ),
);

test('random lines give the same rows', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(lines, { minLength: 1, maxLength: 12 }),
      fc.constantFrom('\n', '\r\n'),
      fc.constantFrom(65_536, 37),
      async (some, end, piece) => {
        await expectSame(asJsonLines(Buffer.from(some.join(end))), piece);
      },
    ),
    { numRuns: 700 },
  );
});

test('bytes that are no UTF-8, and lines cut anywhere, give the same rows', async () => {
  const bytes = Buffer.from(Array.from({ length: 40 }, (_, i) => jsonLine(i)).join('\n'));
  for (let at = 70; at < bytes.length; at += 61) {
    const copy = Buffer.from(bytes);
    copy[at] = 0xe4;
    await expectSame(asJsonLines(copy));
    await expectSame(asJsonLines(bytes.subarray(0, at)));
  }
});

test('members with ever new names are read, and kept in bounds', async () => {
  const line = (i: number) => `{"time":"2026-05-01T14:04:18Z","level":"info","msg":"m","key-${i}":{"k${i}":${i}}}`;
  const { rows } = await expectSame(Array.from({ length: 6000 }, (_, i) => line(i)).join('\n'));
  expect(rows.log).toHaveLength(6000);
});

test('a stack trace behind a JSON line belongs to it, also over the end of a chunk', async () => {
  const line = '{"time":"2026-05-01T14:04:18Z","level":"error","msg":"boom"}';
  for (const piece of [1, 30, line.length + 1, 65_536]) {
    const { rows } = await expectSame(`${line}\n${line}\nTraceback\n  frame\n${line}\n`, piece);
    expect(rows.log.map(({ body }) => body)).toEqual(['boom', 'boom\nTraceback\n  frame', 'boom']);
  }
});

test('the fast reader takes the lines it is for', async () => {
  const reading = await readSource(
    applicationLog,
    '{"time":"2026-05-01T14:04:18Z","msg":"a"}\n{"time":"x","msg":"a"}\n',
  );
  expect(reasonsOf(reading)).toEqual(['a JSON record without a time']);
});
