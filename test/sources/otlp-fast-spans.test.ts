import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { generateSpans } from '../../bench/otlp-spans.ts';
import { mutated, mutations, vocabularyOf } from '../../fuzz/mutations.ts';
import { compile, compiledFile } from '../../scripts/compile-assembly.ts';
import { FastSpans } from '../../src/main/sources/otlp/fast-spans.ts';
import { otlpJson } from '../../src/main/sources/otlp-json/index.ts';
import { otlpProtobuf } from '../../src/main/sources/otlp-protobuf/index.ts';
import type { Source } from '../../src/model/storage/source.ts';
import { fixturesOf } from '../support/fixtures.ts';
import { type Field, message } from '../support/otlp-wire.ts';
import { addBatch, emptyReading, readSource } from '../support/read-source.ts';
import { inputOf } from '../support/source-input.ts';

/**
 * Spans that are read by WebAssembly (`assembly/`) and the same spans read by the decoders beside it, which are the reference:
 * whatever the input, every row, reject and name is the same.
 */

const seed = Number(process.env.FUZZ_SEED ?? 1);
afterEach(() => void vi.restoreAllMocks());

const byReference = async (source: Source, bytes: Uint8Array, piece = 9000) => {
  const spy = vi.spyOn(FastSpans.prototype, 'read').mockImplementation((_, position) => position);
  try {
    return await readSource(source, bytes, { piece });
  } finally {
    spy.mockRestore();
  }
};

async function expectSame(source: Source, bytes: Uint8Array, piece = 9000): Promise<void> {
  expect(await readSource(source, bytes, { piece })).toEqual(await byReference(source, bytes, piece));
}

/** How many spans of these bytes need the reference. */
async function leftOver(source: Source, bytes: Uint8Array): Promise<number> {
  const spy = vi.spyOn(FastSpans.prototype, 'read');
  await readSource(source, bytes);
  return spy.mock.results.filter(({ value }, i) => value === spy.mock.calls[i]?.[1]).length;
}

/** Files of a format and these, changed in ways that break them. */
async function expectSameOfHostile(source: Source, others: readonly Uint8Array[]): Promise<void> {
  const fixtures = fixturesOf(source).flatMap(([, tree]) => Object.values(tree));
  const files = [...fixtures, ...others].filter(({ length }) => length < 100_000);
  const inputs = fc.record({
    file: fc.constantFrom(...files),
    changes: mutations(vocabularyOf(files)),
    piece: fc.integer({ min: 1, max: 9000 }),
  });
  await fc.assert(
    fc.asyncProperty(inputs, async ({ file, changes, piece }) => {
      const bytes = mutated(file, changes);
      const expected = await byReference(source, bytes, piece).catch((error: unknown) => error);
      expect(await readSource(source, bytes, { piece }).catch((error: unknown) => error)).toEqual(expected);
    }),
    { seed, numRuns: Number(process.env.FUZZ_RUNS ?? 400) },
  );
}

test('the stored module is what its source compiles to', async () => {
  expect(readFileSync(compiledFile, 'utf8')).toBe(await compile());
});

class Refused extends Error {}
const refusing = {
  CompileError: Refused,
  Module: class {
    constructor() {
      throw new Refused('no SIMD here');
    }
  },
};

test.each([
  ['lacking', undefined],
  ['refused', refusing],
])('where WebAssembly is %s, the reference reads everything', async (_, webAssembly) => {
  const { json } = generateSpans(50);
  vi.stubGlobal('WebAssembly', webAssembly);
  vi.resetModules();
  const alone = await import('../../src/main/sources/otlp-json/index.ts');
  const reading = await readSource(alone.otlpJson, json);
  vi.unstubAllGlobals();
  expect(reading).toEqual(await readSource(otlpJson, json));
});

const jsonOf = (spans: readonly string[], scope = '{"name":"s"}'): Uint8Array =>
  Buffer.from(
    `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"a"}}]},"scopeSpans":[{"scope":${scope},"spans":[${spans.join()}]}]}]}\n`,
  );
const ids = '"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","startTimeUnixNano":"17"';
const spanOf = (fields: string): string => `{${ids},${fields}}`;
const attributeOf = (value: string): string => spanOf(`"attributes":[{"key":"k","value":${value}}]`);

describe('JSON', () => {
  test('usual spans need no other decoder', async () => {
    const { json } = generateSpans(1500);
    expect(await leftOver(otlpJson, json)).toBe(0);
    await expectSame(otlpJson, json, 70_001);
  });

  test.each([
    ['white space', attributeOf('{"stringValue":"a"}').replaceAll(/[{}[\],:]/g, ' \n$&\t\r')],
    ['the escapes that JSON is written with', attributeOf('{"stringValue":"\\"\\\\\\n\\t\\r\\b\\f"}')],
    ['letters of every length', attributeOf('{"stringValue":"aé€😀, and much more text than sixteen bytes: 日本語"}')],
    ['numbers', attributeOf('{"intValue":"-123456789012345678"}')],
    ['numbers without quotes', attributeOf('{"intValue":0}')],
    ['doubles', attributeOf('{"doubleValue":0.1234567890123456789}')],
    ['doubles with exponents', attributeOf('{"doubleValue":-12.50E+3}')],
    [
      'booleans',
      spanOf('"attributes":[{"key":"a","value":{"boolValue":true}},{"key":"","value":{"boolValue":false}}]'),
    ],
    ['a status', spanOf('"status":{"message":"é went wrong","code":2},"flags":257,"kind":3')],
    [
      'nothing',
      spanOf('"status":{},"events":[],"links":[],"attributes":[],"traceState":"","parentSpanId":"","name":""'),
    ],
    [
      'events',
      spanOf(
        '"attributes":[{"key":"a","value":{"intValue":1}}],"events":[{"timeUnixNano":"18","name":"é","attributes":[{"key":"b","value":{"stringValue":"c\\n"}}]},{"name":"e"}],"name":"n"',
      ),
    ],
    ['counts', spanOf('"droppedAttributesCount":1,"droppedEventsCount":2,"droppedLinksCount":"3"')],
    ['a span without an end', spanOf('"name":"é\\u0007"'.replace('\\u0007', ''))],
  ])('%s need no other decoder', async (_, span) => {
    const bytes = jsonOf([span, span]);
    expect(await leftOver(otlpJson, bytes)).toBe(0);
    await expectSame(otlpJson, bytes);
  });

  test.each([
    attributeOf('{"stringValue":"\\u0041\\/"}'),
    attributeOf('{"stringValue":"\\x"}'),
    attributeOf('{"stringValue":"a'),
    attributeOf('{"stringValue":"a\u0001"}'),
    attributeOf('{"intValue":"-0"}'),
    attributeOf('{"intValue":"007"}'),
    attributeOf('{"intValue":"12345678901234567890"}'),
    attributeOf('{"intValue":12.0}'),
    attributeOf('{"doubleValue":"NaN"}'),
    attributeOf('{"doubleValue":1.2.3}'),
    attributeOf('{"doubleValue":1e999}'),
    attributeOf('{"doubleValue":-0}'),
    attributeOf('{"boolValue":"true"}'),
    attributeOf('{}'),
    attributeOf('{"stringValue":"a","intValue":1}'),
    attributeOf('{"arrayValue":{"values":[{"stringValue":"a"}]}}'),
    spanOf('"name":"a\\n"'),
    spanOf('"name":1'),
    spanOf('"kind":"SPAN_KIND_SERVER"'),
    spanOf('"kind":17'),
    spanOf('"kind":2.0'),
    spanOf('"status":{"code":3}'),
    spanOf('"traceState":" "'),
    spanOf('"traceState":"a=b"'),
    spanOf('"traceId":"00000000000000000000000000000000"'),
    spanOf('"spanId":"7hhhhhhhhhhhhhhh"'),
    spanOf('"startTimeUnixNano":"9999999999999999999"'),
    spanOf('"startTimeUnixNano":"18446744073709551616"'),
    spanOf('"attributes":[{"key":"a","value":{"intValue":1}}],"attributes":[{"key":"b","value":{"intValue":1}}]'),
    spanOf('"events":[{"name":"e","timeUnixNano":"18"},{"name":"f","droppedAttributesCount":1}]'),
    spanOf(
      '"events":[{"name":"e","attributes":[{"key":"a","value":{"intValue":1}}]}],"traceId":"00000000000000000000000000000000"',
    ),
    spanOf('"events":[{}]'),
    spanOf('"events":[7]'),
    spanOf('"links":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174"}]'),
    spanOf('"droppedAttributesCount":4294967295,"droppedEventsCount":4294967295'),
    spanOf('"flags":4294967296'),
    spanOf('"unknown":{"name":"x"}'),
    spanOf('"parentSpanId":null'),
    '{"spanId":"eee19b7ec3c1b174"}',
    'null',
    '7',
  ])('what is unusual is read by the reference: %s', async (span) => {
    const commonSpan = spanOf('"name":"n"');
    await expectSame(otlpJson, Buffer.concat([jsonOf([commonSpan, span, commonSpan]), jsonOf([commonSpan])]));
  });

  test('bytes that are no UTF-8, in every place of a block', async () => {
    for (let at = 0; at < 40; at++) {
      const text = Buffer.from(jsonOf([attributeOf(`{"stringValue":"${'x'.repeat(40)}"}`)]));
      text.set([0xc3, 0x28], text.indexOf('xxx') + at);
      await expectSame(otlpJson, text);
    }
  });

  test('the scope has attributes for every span', async () => {
    const scope = '{"name":"s","attributes":[{"key":"a","value":{"stringValue":"b"}}]}';
    const bytes = jsonOf([spanOf('"name":"n"'), attributeOf('{"intValue":1}')], scope);
    expect(await leftOver(otlpJson, bytes)).toBe(0);
    await expectSame(otlpJson, bytes);
  });

  test('spans of all sizes, some larger than what is read at once', async () => {
    const spans = [1, 1000, 100_000, 200_000, 270_000, 2, 600_000, 3].map((size) =>
      attributeOf(`{"stringValue":"${'y'.repeat(size)}"}`),
    );
    await expectSame(otlpJson, jsonOf(spans));
  });

  test('more events than are read at once', async () => {
    const events = (count: number) => `"events":[${Array.from({ length: count }, () => '{"name":"e"}').join()}]`;
    await expectSame(otlpJson, jsonOf([1000, 2000, 2000, 3, 5000, 1].map((count) => spanOf(events(count)))));
  });

  test('hostile input', () =>
    expectSameOfHostile(otlpJson, [
      jsonOf([spanOf('"events":[{"timeUnixNano":"18","name":"e","attributes":[{"key":"b","value":{"intValue":1}}]}]')]),
      generateSpans(20).json,
      generateSpans(40, 0, 3).json,
      jsonOf([spanOf('"status":{"message":"m","code":2},"kind":3'), attributeOf('{"doubleValue":1.5}')]),
      jsonOf([attributeOf('{"boolValue":true}'), attributeOf('{"stringValue":"a\\nb é"}')]),
    ]));
});

/** A span with an id and a time, and what else is given (OTLP trace.proto). */
const wireSpan = (...fields: readonly Field[]): Uint8Array =>
  message([
    [1, Buffer.alloc(16, 0x5b)],
    [2, Buffer.alloc(8, 0xee)],
    [7, 1_700_000_000_000_000_001n, 'fixed64'],
    ...fields,
  ]);
/** One with an attribute whose `AnyValue` is given. */
const wireAttribute = (...value: readonly Field[]): Uint8Array =>
  wireSpan([
    9,
    [
      [1, 'k"\n'],
      [2, message(value)],
    ],
  ]);
const pair = (key: string, value: Field): Field[] => [
  [1, key],
  [2, [value]],
];
const wireRequest = (spans: readonly Uint8Array[]): Uint8Array =>
  message([
    [
      1,
      [
        [1, [[1, pair('service.name', [1, 'a'])]]],
        [2, [[1, [[1, 'bench']]], ...spans.map((span): Field => [2, span])]],
      ],
    ],
  ]);
const cut = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, -1);

describe('protobuf', () => {
  test('usual spans need no other decoder', async () => {
    const { protobuf } = generateSpans(1500);
    expect(await leftOver(otlpProtobuf, protobuf)).toBe(0);
    await expectSame(otlpProtobuf, protobuf, 70_001);
  });

  test.each<[string, Uint8Array]>([
    ['text', wireAttribute([1, 'aé€😀 and much more text than sixteen bytes: 日本語'])],
    ['text to be escaped', wireAttribute([1, '"\\\n\t\r\b\f"'])],
    ['long text', wireAttribute([1, '"'.repeat(1000)])],
    ['nothing', wireAttribute()],
    ['integers', wireAttribute([3, 128])],
    ['negative integers', wireAttribute([3, -(2n ** 63n)])],
    ['truth', wireAttribute([2, 1])],
    ['falsehood', wireAttribute([2, 0])],
    ['doubles', wireAttribute([4, 1.2345678901234567, 'double'])],
    ['doubles that JSON lacks', wireAttribute([4, Number.NEGATIVE_INFINITY, 'double'])],
    [
      'a status',
      wireSpan([
        15,
        [
          [2, 'é "went"\n wrong'],
          [3, 2],
        ],
      ]),
    ],
    ['flags', wireSpan([16, 257, 'fixed32'])],
    [
      'events',
      wireSpan(
        [9, pair('a', [3, 1])],
        [
          11,
          [
            [1, 18n, 'fixed64'],
            [2, 'é'],
            [3, pair('b', [1, 'c'])],
          ],
        ],
        [11, ''],
        [9, pair('d', [3, 2])],
      ),
    ],
    ['counts', wireSpan([10, 1], [12, 2], [14, 300])],
    ['empty ids and texts', wireSpan([4, ''], [3, ''], [5, ''], [15, ''])],
  ])('%s need no other decoder', async (_, span) => {
    const bytes = wireRequest([span, span]);
    expect(await leftOver(otlpProtobuf, bytes)).toBe(0);
    await expectSame(otlpProtobuf, bytes);
  });

  test.each<[string, Uint8Array]>([
    ['control characters', wireAttribute([1, 'a\u0001'])],
    ['no UTF-8', wireAttribute([1, Buffer.from([0x61, 0xc3])])],
    ['UTF-8 that is cut', wireAttribute([1, cut(Buffer.from(`${'a'.repeat(30)}€`))])],
    ['a list', wireAttribute([5, [[1, [[1, 'a']]]]])],
    ['a value of two', wireAttribute([1, 'a'], [3, 1])],
    [
      'a value of an endless number',
      wireSpan([
        9,
        [
          [1, 'k'],
          [2, Buffer.from([0x18, ...Buffer.alloc(11, 0xff)])],
        ],
      ]),
    ],
    [
      'a text longer than its value',
      wireSpan([
        9,
        [
          [1, 'k'],
          [2, Buffer.from([0x0a, 9, 0x61])],
        ],
      ]),
    ],
    ['a short id', wireSpan([4, 'abc'])],
    ['a kind yet unknown', wireSpan([6, 9])],
    ['a trace state', wireSpan([3, 'a=b'])],
    ['an event that lost attributes', wireSpan([11, [[4, 1]]])],
    ['an event of a span that is none', message([[11, [[2, 'e']]]])],
    ['an event that is cut', wireSpan([11, Buffer.from([0x09, 1, 2])])],
    ['a link', wireSpan([13, [[1, Buffer.alloc(16, 1)]]])],
    ['a field yet unknown', wireSpan([403, 'x'])],
    ['no id', message([[7, 17n, 'fixed64']])],
    ['a time out of range', wireSpan([8, 2n ** 63n, 'fixed64'])],
    ['two names', wireSpan([5, 'a'], [5, 'b'])],
    ['a break', Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f])],
    ['a large one', wireAttribute([1, 'y'.repeat(300_000)])],
  ])('what is unusual is read by the reference: %s', async (_, span) => {
    const usual = wireSpan([5, 'n']);
    await expectSame(otlpProtobuf, wireRequest([usual, span, usual]));
  });

  test('hostile input', () =>
    expectSameOfHostile(otlpProtobuf, [
      generateSpans(20).protobuf,
      generateSpans(40, 0, 3).protobuf,
      wireRequest([wireAttribute([1, 'a"b']), wireAttribute([3, 128]), wireSpan([11, [[2, 'e']]])]),
    ]));
});

/** Within a file it is a character like any other. */
const MARK = '\uFEFF';

test.each<[string, Source, Uint8Array]>([
  [
    'JSON',
    otlpJson,
    jsonOf(
      [
        spanOf(
          `"name":"${MARK}n","attributes":[{"key":"${MARK}k","value":{"stringValue":"${MARK}v"}}],"events":[{"timeUnixNano":"18","name":"${MARK}e"}],"status":{"message":"${MARK}m"}`,
        ),
      ],
      `{"name":"${MARK}s"}`,
    ),
  ],
  [
    'protobuf',
    otlpProtobuf,
    message([
      [
        1,
        [
          [1, [[1, pair('service.name', [1, 'a'])]]],
          [
            2,
            [
              [1, [[1, `${MARK}s`]]],
              [
                2,
                wireSpan(
                  [5, `${MARK}n`],
                  [9, pair(`${MARK}k`, [1, `${MARK}v`])],
                  [
                    11,
                    [
                      [1, 18n, 'fixed64'],
                      [2, `${MARK}e`],
                    ],
                  ],
                  [15, [[2, `${MARK}m`]]],
                ),
              ],
            ],
          ],
        ],
      ],
    ]),
  ],
])('a byte order mark at the beginning of a text stays there, by both ways of reading %s', async (_, source, bytes) => {
  expect(await leftOver(source, bytes)).toBe(0);
  for (const { rows } of [await readSource(source, bytes), await byReference(source, bytes)]) {
    const attributes = `{"${MARK}k":"${MARK}v"}`;
    expect(rows.span).toMatchObject([{ name: `${MARK}n`, scope: `${MARK}s`, status_message: `${MARK}m`, attributes }]);
    expect(rows.span_event).toMatchObject([{ name: `${MARK}e` }]);
  }
});

describe('rows wait for those of the scopes that follow', () => {
  const { json, protobuf } = generateSpans(5000, 0, 3);
  const linked = spanOf('"links":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174"}]');

  test.each([
    [otlpJson, json],
    [otlpProtobuf, protobuf],
  ])('small scopes', async (source, bytes) => {
    expect(await leftOver(source, bytes)).toBe(0);
    await expectSame(source, bytes, 70_001);
  });

  test('spans for others come in the order of the file', async () => {
    const lines = Array.from({ length: 300 }, (_, i) =>
      Buffer.from(jsonOf([spanOf(`"name":"n${i}"`), ...(i % 7 === 0 ? [linked] : [])], `{"name":"s${i % 5}"}`)),
    );
    await expectSame(otlpJson, Buffer.concat(lines));
  });

  test.each([
    ['messages', spanOf(`"status":{"message":"${'m'.repeat(30_000)}","code":2}`)],
    ['texts', attributeOf(`{"stringValue":"${'t'.repeat(90_000)}"}`)],
    ['events', spanOf(`"events":[${Array.from({ length: 700 }, () => '{"name":"e"}').join()}]`)],
  ])('more %s than there is room for', async (_, span) => {
    const bytes = Buffer.concat(Array.from({ length: 40 }, () => jsonOf([span])));
    expect(await leftOver(otlpJson, bytes)).toBe(0);
    await expectSame(otlpJson, bytes);
  });

  test('two files read by turns in one thread', async () => {
    const files = [
      [otlpJson, json],
      [otlpProtobuf, protobuf],
    ] as const;
    const runs = files.map(([source, bytes]) => ({
      batches: source.read(inputOf(bytes, { piece: 9000 }))[Symbol.asyncIterator](),
      reading: emptyReading(),
      ended: false,
    }));
    while (runs.some(({ ended }) => !ended))
      await Promise.all(
        runs.map(async (run) => {
          const next = await run.batches.next();
          if (next.done) run.ended = true;
          else addBatch(run.reading, next.value);
        }),
      );
    for (const [i, [source, bytes]] of files.entries())
      expect(runs[i]?.reading.rows.span).toEqual((await byReference(source, bytes)).rows.span);
  });
});
