import { expect, test } from 'vitest';
import { type JsonRecord, jsonRecords } from '../../src/main/sources/bytes/json-records.ts';
import { readLines } from '../../src/main/sources/bytes/lines.ts';
import { parseLocalTime, parseRfc1123, secondsToNanos, wallClockToNanos } from '../../src/model/local-time.ts';
import { parseJsonPrefix } from '../../src/model/rows/json-prefix.ts';
import { formatUtc } from '../../src/model/time.ts';
import { chunksOf } from '../support/source-input.ts';

const records = async (text: string, lists: string[] = [], piece = text.length, exact = false): Promise<JsonRecord[]> =>
  listOf(jsonRecords(chunksOf(Buffer.from(text), Math.max(piece, 1)), lists, { exact }));
const listOf = async <T>(all: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = [];
  for await (const one of all) list.push(one);
  return list;
};
const brief = (all: readonly JsonRecord[]) =>
  all.map((record) =>
    record.reason === undefined ? [record.path, record.value] : [record.path, `! ${record.reason}`],
  );

const nested = `{"a": 1, "data": {"kind": "m\\"]}", "result": [{"x": [1, 2]}, "s", 3 , null, {}]}, "late": {"b": [true]}}`;

test('lists inside an object come element by element, other members by their key, however the bytes are cut', async () => {
  const whole = brief(await records(nested, ['data.result']));
  expect(whole).toEqual([
    ['a', 1],
    ['data.kind', 'm"]}'],
    ['data.result', { x: [1, 2] }],
    ['data.result', 's'],
    ['data.result', 3],
    ['data.result', null],
    ['data.result', {}],
    ['late', { b: [true] }],
  ]);
  for (const piece of [1, 2, 3, 7, 50]) expect(brief(await records(nested, ['data.result'], piece))).toEqual(whole);
});

test('lists, lines, and documents one after another', async () => {
  expect(brief(await records('[{"a":1},{"a":2}]'))).toEqual([
    ['', { a: 1 }],
    ['', { a: 2 }],
  ]);
  expect(brief(await records('{"a":1}\n{"a":2}\r\n\n{"a":\n3}'))).toEqual([
    ['', { a: 1 }],
    ['', { a: 2 }],
    ['', { a: 3 }],
  ]);
  expect(brief(await records('\uFEFF{"items":[1,2]}{"items":[3]}', ['items']))).toEqual([
    ['items', 1],
    ['items', 2],
    ['items', 3],
  ]);
  expect(brief(await records('12'))).toEqual([['', 12]]);
});

test('a line that is no JSON is skipped to its end, though that comes in a later piece', async () => {
  const text = '<html> {"not": "a record"} </html>\n{"a":1}\n';
  for (const piece of [1, 5, 20, text.length])
    expect(brief(await records(text, [], piece))).toEqual([
      ['', '! not JSON'],
      ['', { a: 1 }],
    ]);
});

test('a truncated file keeps its complete records and reports the rest', async () => {
  expect(brief(await records('{"items":[{"a":1},{"a":'))).toHaveLength(1);
  expect(brief(await records('{"items":[{"a":1},{"a":', ['items']))).toEqual([
    ['items', { a: 1 }],
    ['items', '! the file ends inside this record'],
  ]);
  expect(brief(await records('[{"a":1},'))).toEqual([
    ['', { a: 1 }],
    ['', '! the file ends before its last bracket'],
  ]);
  for (let end = 0; end < nested.length; end++) await records(nested.slice(0, end), ['data.result'], 3);
});

test('one malformed record is one reject', async () => {
  expect(brief(await records('[{"a":1},{"a":x},{"a":3}]'))).toEqual([
    ['', { a: 1 }],
    ['', '! malformed JSON'],
    ['', { a: 3 }],
  ]);
  expect(brief(await records('{"a":1}\n# comment\n{"a":2}'))).toEqual([
    ['', { a: 1 }],
    ['', '! not JSON'],
    ['', { a: 2 }],
  ]);
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  expect(brief(await records(`[${deep},1]`)).at(-1)).toEqual(['', 1]);
});

test('nanoseconds written as numbers keep their digits when asked to', async () => {
  const text = '[{"t":1722471234123456789,"s":"1722471234123456789","x":1.5}]';
  expect(brief(await records(text, [], 5, true))).toEqual([
    ['', { t: 1722471234123456789n, s: '1722471234123456789', x: 1.5 }],
  ]);
});

test('lines of any length in pieces of any size', async () => {
  const text = '\uFEFFone\r\ntwö\n\nlast';
  for (const piece of [1, 2, 5, 100]) {
    const lines = await listOf(readLines(chunksOf(Buffer.from(text), piece)));
    expect(lines.map((line) => line.text)).toEqual(['one', 'twö', '', 'last']);
    expect(lines[3]?.at).toBe(Buffer.byteLength(text) - 4);
  }
});

test('a head cut anywhere still shows its keys', () => {
  const text = '{"version": "1", "list": [{"device_id": "a", "n": -1.5e3}, {"b": tr';
  expect(parseJsonPrefix(text)).toEqual({ version: '1', list: [{ device_id: 'a', n: -1500 }, { b: undefined }] });
  expect(parseJsonPrefix('plain text')).toBeUndefined();
  for (let end = 0; end < text.length; end++) parseJsonPrefix(text.slice(0, end));
  parseJsonPrefix('['.repeat(100_000));
});

test('wall clocks, zones and the old ways to write a time', () => {
  expect(formatUtc(parseLocalTime('2026/07/03 22:10:46.109', '+02:00'))).toBe('2026-07-03T20:10:46.109Z');
  expect(formatUtc(parseLocalTime('2026-01-03 22:10', 'America/Los_Angeles'))).toBe('2026-01-04T06:10:00.000Z');
  expect(formatUtc(parseLocalTime('2026-07-03T22:10', 'America/Los_Angeles'))).toBe('2026-07-04T05:10:00.000Z');
  expect(formatUtc(parseRfc1123('Sat, 05 Jun 2016 15:10:09 GMT'))).toBe('2016-06-05T15:10:09.000Z');
  expect(formatUtc(parseRfc1123('21 Jan 2019 09:00:43 GMT'))).toBe('2019-01-21T09:00:43.000Z');
  expect(secondsToNanos('1722471234.123456789')).toBe(1722471234123456789n);
  expect(secondsToNanos(-1.5)).toBe(-1_500_000_000n);
  expect(() => wallClockToNanos({ year: 2026, month: 2, day: 30 }, 'UTC')).toThrow();
});

test('a record or a line that comes in many pieces takes time in proportion to its length', async () => {
  const piece = new Uint8Array(4096).fill(0x61);
  async function* pieces(before: string, after: string) {
    yield Buffer.from(before);
    for (let i = 0; i < 8192; i++) yield piece;
    yield Buffer.from(after);
  }
  const records = [];
  for await (const record of jsonRecords(pieces('[{"a":"', '"},{"b":1}]'))) records.push(record);
  expect(records.map((record) => 'value' in record && Object.keys(record.value as object))).toEqual([['a'], ['b']]);
  const lines = [];
  for await (const { text, at } of readLines(pieces('x\ny', '\nz'))) lines.push([text.length, at]);
  expect(lines[0]).toEqual([1, 0]);
  expect(lines.at(-1)?.[0]).toBe(1);
  // Joined anew for each piece this is 130 GB to copy.
});

test('a key without an end is a reject, and not all of the file in memory', async () => {
  async function* endless() {
    yield Buffer.from('{"');
    for (let i = 0; i < 64; i++) yield new Uint8Array(65_536).fill(0x61);
  }
  const reasons = [];
  for await (const { reason } of jsonRecords(endless(), ['a'])) reasons.push(reason);
  expect(reasons[0]).toBe('a key is longer than 1 MiB');
});

test('a long list of words that are no JSON is reported fast, each as a reject', async () => {
  const all = await records(`[${'a,'.repeat(200_000)}1]`);
  expect(all).toHaveLength(200_001);
  expect(all.filter(({ reason }) => reason !== undefined)).toHaveLength(200_000);
});
