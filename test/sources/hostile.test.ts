import { isUtf8 } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { checkInCase } from '../../fuzz/case.ts';
import { openBytes } from '../../src/main/sources/bytes/decompress.ts';
import { sources } from '../../src/main/sources/index.ts';
import { otlpProtobuf } from '../../src/main/sources/otlp-protobuf/index.ts';
import { secondsToNanos } from '../../src/model/local-time.ts';
import { ProblemError } from '../../src/model/problem.ts';
import { ALWAYS_FROM, ALWAYS_TO, type RowBatch, type TableName } from '../../src/model/rows/rows.ts';
import type { Source } from '../../src/model/storage/source.ts';
import { fixturesOf } from '../support/fixtures.ts';
import { type Field, request } from '../support/otlp-wire.ts';
import { addBatch, countsOf, emptyReading, type GrowingReading } from '../support/read-source.ts';
import { CAPTURED_NS, chunksOf, inputOf } from '../support/source-input.ts';

/**
 * Inputs that are known to break decoders, tried on every format they can be written in. What must hold of all: what
 * is not read is reported, as a reject or as the one problem of the file.
 */
interface Outcome {
  readonly reading: GrowingReading;
  readonly batches: readonly RowBatch[];
  /** Rejects, and the problem that ended the reading. */
  readonly messages: readonly string[];
  readonly rows: number;
}

async function outcomeOf(source: Source, content: Parameters<typeof inputOf>[0]): Promise<Outcome> {
  const reading = emptyReading();
  const batches: RowBatch[] = [];
  let problem: string[] = [];
  try {
    for await (const batch of source.read(inputOf(content))) {
      batches.push(batch);
      addBatch(reading, batch);
    }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    problem = [error.problem.message];
  }
  const { reject = 0, ...rows } = countsOf({ ...reading, remarks: [] });
  const messages = [...reading.rows.reject.map(({ reason }) => String(reason)), ...problem];
  expect(messages.length).toBeGreaterThanOrEqual(reject);
  return { reading, batches, messages, rows: Object.values(rows).reduce((sum, count) => sum + count, 0) };
}

interface Recording {
  readonly name: string;
  readonly source: Source;
  readonly text: Buffer;
  /** The recording with this file in place of its own. */
  readonly with: (bytes: Uint8Array) => Parameters<typeof inputOf>[0];
}

/** The longest text file of every recording of every format. */
async function textRecordings(): Promise<Recording[]> {
  const found: Recording[] = [];
  for (const source of sources)
    for (const [name, tree] of fixturesOf(source)) {
      const [path, bytes] = Object.entries(tree).sort(([, a], [, b]) => b.length - a.length)[0]!;
      const parts: Uint8Array[] = [];
      for await (const chunk of openBytes(chunksOf(bytes))) parts.push(chunk);
      const text = Buffer.concat(parts);
      if (isUtf8(text) && !text.includes(0))
        found.push({ name, source, text, with: (changed) => (source.gather ? { ...tree, [path]: changed } : changed) });
    }
  return found;
}

const recordings = await textRecordings();

let last: { readonly of: Recording; readonly outcome: Promise<Outcome> } | undefined;
/** Of a recording as it is: read once for all tests of it, which follow each other. */
function untouched(recording: Recording): Promise<Outcome> {
  const { source, text, with: content } = recording;
  if (last?.of !== recording) last = { of: recording, outcome: outcomeOf(source, content(text)) };
  return last.outcome;
}

const jsonRecordings = recordings.filter(({ text }) => /^\s*[[{]/.test(text.toString()));
const DEPTH = 10_000;
const deepValues = {
  lists: '['.repeat(DEPTH) + ']'.repeat(DEPTH),
  objects: `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`,
  'lists without an end': '['.repeat(DEPTH),
};

describe.each(jsonRecordings)('$name, ten thousand deep', (recording) => {
  const { source, text, with: content } = recording;
  test.each(Object.entries(deepValues))('%s in place of the file', async (_, deep) => {
    const { rows, messages } = await outcomeOf(source, content(Buffer.from(deep)));
    if (source.gather) return;
    expect(rows).toBe(0);
    expect(messages.length).toBeGreaterThan(0);
  });

  test.each(Object.entries(deepValues))('%s inside its first object', async (_, deep) => {
    const before = await untouched(recording);
    const after = await outcomeOf(source, content(Buffer.from(text.toString().replace('{', `{"deep":${deep},`))));
    if (after.rows < before.rows) expect(after.messages.length + after.reading.remarks.size).toBeGreaterThan(0);
  });
});

const damaged: Readonly<Record<string, readonly number[]>> = {
  NUL: [0],
  'a byte of no UTF-8': [0xff],
  'an overlong NUL': [0xc0, 0x80],
  'half a surrogate pair': [0xed, 0xa0, 0x80],
  'a character that is cut': [0xe2, 0x82],
};

/** One of each format: every input is put into a case of its own. */
const oneEach = sources.flatMap(({ id }) => recordings.filter(({ source }) => source.id === id).slice(0, 1));

/** Valid JSON of nothing but depth, read by every importer. */
const nested = (open: string, close: string, inner: string, depth: number) =>
  `${open.repeat(depth)}${inner}${close.repeat(depth)}`;
const deep: readonly (readonly [string, (depth: number) => string])[] = [
  ['lists', (depth) => nested('[', ']', '', depth)],
  ['objects', (depth) => nested('{"a":', '}', '1', depth)],
  [
    'a resource',
    (depth) =>
      `{"@odata.id":"/redfish/v1","@odata.type":"#ServiceRoot.v1_0_0.ServiceRoot","Oem":${nested('{"a":', '}', '1', depth)}}`,
  ],
];

test.each(sources.flatMap((source) => deep.map(([what, text]) => ({ name: `${what} as ${source.id}`, source, text }))))(
  '$name: depth is reported',
  async ({ source, text }) => {
    for (const depth of [70, 3000]) {
      const { rows, messages } = await outcomeOf(source, Buffer.from(text(depth)));
      expect(rows + messages.length).toBeGreaterThan(0);
    }
  },
);

describe.each(oneEach)('$name with', ({ source, text, with: content }) => {
  test.each(Object.entries(damaged))(
    '%s in a tenth of its words: rows or rejects, and sound text',
    async (_, bytes) => {
      let word = 0;
      const put = Buffer.from(bytes).toString('latin1');
      const changed = text
        .toString('latin1')
        .replace(/[a-z]{3,}/g, (it) => (word++ % 10 === 3 ? it[0] + put + it.slice(1) : it));
      const { batches, messages, rows } = await outcomeOf(source, content(Buffer.from(changed, 'latin1')));
      expect(messages.length + rows).toBeGreaterThan(0);
      await checkInCase(batches, source.id);
    },
  );
});

/** The last nanosecond that 64 bits can name lies in 2262, at 23:47:16.854775807 on 11 April. */
const instants = [
  { iso: '1970-01-01T00:00:00', seconds: '0000000000' },
  { iso: '1970-01-01T00:00:01', seconds: '0000000001' },
  { iso: '1969-12-31T23:59:58', seconds: '-000000002' },
  { iso: '2261-12-31T23:59:59', seconds: '9214646399' },
  { iso: '2262-04-11T23:47:16', seconds: '9223372036' },
  { iso: '2262-04-11T23:47:17', seconds: '9223372037' },
  { iso: '2262-12-31T23:59:59', seconds: '9246182399' },
  { iso: '9999-12-31T23:59:59', seconds: '253402300799' },
];
const ISO = /\b20[12]\d-\d\d-\d\d([T ])\d\d:\d\d:\d\d/g;
const EPOCH = /(?<![\d.-])1[3-7]\d{8}(?=\d{9}\b|\d{6}\b|\d{3}\b|\b)/g;
/** Some formats count from a time that is stated elsewhere. */
const NEAR = 30n * 86_400_000_000_000n;

const timesIn = ({ rows }: GrowingReading): bigint[] =>
  (Object.keys(rows) as TableName[])
    .filter((table) => table !== 'reject')
    .flatMap((table) => rows[table].flatMap((row) => Object.entries(row)))
    .filter(([column]) => /_ns$/.test(column))
    .map(([, time]) => time as bigint);

describe.each(recordings.filter(({ text }) => text.toString().search(ISO) >= 0 || text.toString().search(EPOCH) >= 0))(
  '$name at',
  (recording) => {
    const { source, text, with: content } = recording;
    test.each(instants)('$iso: stored, or reported; never another time', async ({ iso, seconds }) => {
      const before = await untouched(recording);
      const known = new Set([...timesIn(before.reading), 0n, ALWAYS_FROM, ALWAYS_TO]);
      const json = /^\s*[[{]/.test(text.toString());
      const stamp = json ? String(Number(seconds)) : seconds;
      // By their size alone, seconds of the year 9999 look like milliseconds of 1978.
      const moved = text
        .toString()
        .replace(ISO, (_, gap: string) => iso.replace('T', gap))
        .replace(EPOCH, (it) => (stamp.length > 10 ? it : stamp));
      const { reading, messages, rows } = await outcomeOf(source, content(Buffer.from(moved)));
      const target = BigInt(Date.parse(`${iso}Z`)) * 1_000_000n;
      const near = (time: bigint, other: bigint) => time - other < NEAR && other - time < NEAR;
      const strange = timesIn(reading).filter(
        (time) => !known.has(time) && !near(time, target) && !near(time, CAPTURED_NS),
      );
      expect(strange.slice(0, 3)).toEqual([]);
      if (rows < before.rows) expect(messages.length + reading.remarks.size).toBeGreaterThan(0);
    });
  },
);

const nothing = (reason: string) => ({ times: [], messages: [reason] });
const powerTraceSpan = {
  trace_id: 'a',
  span_id: 'b',
  service_name: 's',
  start_time: '2261-12-31T00:00:00Z',
  duration_ms: 1e12,
};

test.each<[string, string, { times: bigint[]; messages: string[] }]>([
  [
    'kernel-log',
    '{"__REALTIME_TIMESTAMP":"9223372036854775","MESSAGE":"m"}\n',
    { times: [9_223_372_036_854_775_000n], messages: [] },
  ],
  ['kernel-log', '{"__REALTIME_TIMESTAMP":"9223372036854776","MESSAGE":"m"}\n', nothing('the time is out of range')],
  [
    'kernel-log',
    `{"__REALTIME_TIMESTAMP":"1","MESSAGE":"m","X":${deepValues.objects}}\n`,
    nothing('nested too deeply'),
  ],
  [
    'kernel-log',
    '[    1.0] setting system clock to 2262 (9223372036)\n[999999999.0] usb 1-1: x\n',
    { times: [9_223_372_036_000_000_000n], messages: ['the time is out of range'] },
  ],
  [
    'powertrace',
    JSON.stringify({ spans: [powerTraceSpan] }),
    nothing('span 1: the span ends beyond the year 2262 [time.out_of_rang'),
  ],
  [
    'otlp-json',
    '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"gauge":{"dataPoints":[{"timeUnixNano":"1","asInt":"1"}]}}]}]}]}',
    nothing('metric without a name'),
  ],
])('%s: %s', async (id, text, expected) => {
  const { reading, messages } = await outcomeOf(sources.find((source) => source.id === id)!, text);
  const times = reading.rows.log.map(({ time_ns }) => time_ns);
  expect({ times, messages: messages.map((reason) => reason.slice(0, 60)) }).toEqual(expected);
  expect(reading.rows.point).toEqual([]);
});

test('a wire metric without a name is reported, and its neighbours stay', async () => {
  const point: Field = [
    1,
    [
      [3, 1n, 'fixed64'],
      [4, 1, 'double'],
    ],
  ];
  const { reading, messages } = await outcomeOf(
    otlpProtobuf,
    request([
      [[5, [point]]],
      [
        [1, 'm'],
        [5, [point]],
      ],
    ]),
  );
  expect([reading.rows.point.length, messages]).toEqual([1, ['metric without a name']]);
});

test('seconds of 2262 end where 64 bits do', () => {
  expect(secondsToNanos('9223372036.854775807')).toBe(2n ** 63n - 1n);
  expect(() => secondsToNanos('9223372036.854775808')).toThrow('beyond');
  expect(secondsToNanos('-0.5')).toBe(-500_000_000n);
});
