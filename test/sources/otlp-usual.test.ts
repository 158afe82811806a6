import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { generateSpans } from '../../bench/otlp-spans.ts';
import { mutated, mutations, vocabularyOf } from '../../fuzz/mutations.ts';
import { compile, compiledFile } from '../../scripts/compile-assembly.ts';
import { UsualSpans } from '../../src/main/sources/otlp/usual-spans.ts';
import { otlpJson } from '../../src/main/sources/otlp-json/index.ts';
import type { Source } from '../../src/model/source.ts';
import { fixturesOf } from '../support/fixtures.ts';
import { readSource } from '../support/read-source.ts';

/**
 * Spans that are read by WebAssembly (`assembly/`) and the same spans read by the decoders beside it, which are the reference:
 * whatever the input, every row, reject and name is the same.
 */

const seed = Number(process.env.FUZZ_SEED ?? 1);
afterEach(() => void vi.restoreAllMocks());

const byReference = async (source: Source, bytes: Uint8Array, piece = 9000) => {
  const spy = vi.spyOn(UsualSpans.prototype, 'read').mockImplementation((_, position) => position);
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
  const spy = vi.spyOn(UsualSpans.prototype, 'read');
  await readSource(source, bytes);
  return spy.mock.results.filter(({ value }, i) => value === spy.mock.calls[i]?.[1]).length;
}

test('what is kept is what its source compiles to', async () => {
  expect(readFileSync(compiledFile, 'utf8')).toBe(await compile());
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
    spanOf('"events":[{"name":"e","timeUnixNano":"18"}]'),
    spanOf('"droppedAttributesCount":4294967295,"droppedEventsCount":4294967295'),
    spanOf('"flags":4294967296'),
    spanOf('"unknown":{"name":"x"}'),
    spanOf('"parentSpanId":null'),
    '{"spanId":"eee19b7ec3c1b174"}',
    'null',
    '7',
  ])('what is unusual is read by the reference: %s', async (span) => {
    const usual = spanOf('"name":"n"');
    await expectSame(otlpJson, Buffer.concat([jsonOf([usual, span, usual]), jsonOf([usual])]));
  });

  test('bytes that are no UTF-8, in every place of a block', async () => {
    for (let at = 0; at < 40; at++) {
      const text = Buffer.from(jsonOf([attributeOf(`{"stringValue":"${'x'.repeat(40)}"}`)]));
      text.set([0xc3, 0x28], text.indexOf('xxx') + at);
      await expectSame(otlpJson, text);
    }
  });

  test('the scope says something about every span', async () => {
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

  test('hostile input', async () => {
    const files = [
      ...fixturesOf(otlpJson).flatMap(([, tree]) => Object.values(tree)),
      generateSpans(20).json,
      jsonOf([spanOf('"status":{"message":"m","code":2},"kind":3'), attributeOf('{"doubleValue":1.5}')]),
      jsonOf([attributeOf('{"boolValue":true}'), attributeOf('{"stringValue":"a\\nb é"}')]),
    ].filter(({ length }) => length < 100_000);
    const inputs = fc.record({
      file: fc.constantFrom(...files),
      changes: mutations(vocabularyOf(files)),
      piece: fc.integer({ min: 1, max: 9000 }),
    });
    await fc.assert(
      fc.asyncProperty(inputs, ({ file, changes, piece }) => expectSame(otlpJson, mutated(file, changes), piece)),
      { seed, numRuns: Number(process.env.FUZZ_RUNS ?? 400) },
    );
  });
});
