import { expect, test } from 'vitest';
import { chromeTrace } from '../../src/main/sources/chrome-trace/index.ts';
import { dcgm } from '../../src/main/sources/dcgm/index.ts';
import { otlpJson } from '../../src/main/sources/otlp-json/index.ts';
import { regionSchema } from '../../src/model/contract/differences.ts';
import { attributesText } from '../../src/model/rows/records.ts';
import { readSource } from '../support/read-source.ts';

const reasons = (rows: readonly Readonly<Record<string, unknown>>[]) => rows.map(({ reason }) => reason);

test('a key of OTLP/JSON with an impossible escape is a reject', async () => {
  const { rows } = await readSource(otlpJson, Buffer.from('{"\\x"\n'));
  expect(reasons(rows.reject).join()).toContain('impossible escape in a key');
});

test('a counter without a name is a reject', async () => {
  const events = [{ name: '', ph: 'C', ts: 0, pid: 1, args: { value: 7 } }];
  const { rows } = await readSource(chromeTrace, Buffer.from(JSON.stringify({ traceEvents: events })));
  expect([rows.point.length, reasons(rows.reject)]).toEqual([0, ['the counter has no name']]);
});

const DEEP = 20_000;
const nest = `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`;

test('values that nest too deeply to be written again are left out, and their neighbours stay', async () => {
  const deep: unknown = JSON.parse(nest);
  expect(attributesText({ a: 1, deep })).toBe('{"a":1,"deep":"nests too deeply to be kept"}');
  const event = `{"name":"n","ph":"i","s":"g","ts":1,"pid":1,"args":{"deep":${nest},"a":1}}`;
  const { rows } = await readSource(chromeTrace, Buffer.from(`{"traceEvents":[${event}]}`));
  expect(rows.event.map(({ message, raw }) => [message, raw])).toEqual([['n', '']]);
  const health = `{"body":{"Overall Health":{"value":"Failure"},"GPU 0":{"children":{"x":${nest}}}},"header":["Health Monitor Report"]}`;
  await expect(readSource(dcgm, Buffer.from(health))).resolves.toBeDefined();
});

test('a duration beyond 64 bits of nanoseconds is no question', () => {
  const took = (below: number) => ({ start_ns: 0n, end_ns: 7n, duration_ms: { from: null, below } });
  expect([1000, 1e308].map((below) => regionSchema.safeParse(took(below)).success)).toEqual([true, false]);
});
