import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { influxLine } from '../../src/main/sources/influx-line/index.ts';
import { readInfluxHead, readInfluxLine } from '../../src/main/sources/influx-line/line.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { memoryCore, type TestCore, temporaryFolder } from '../support/core.ts';

const fixture = (name: string) => join(import.meta.dirname, '../../fixtures/influx-line', name);
async function imported(path: string): Promise<TestCore> {
  const core = await memoryCore();
  await core.import([path]);
  return core;
}
async function importedText(text: string, name = 'export.lp'): Promise<TestCore> {
  const path = join(await temporaryFolder(), name);
  await writeFile(path, text);
  return imported(path);
}
const rowsOf = async (core: TestCore, sql: string) => (await core.api['query.sql']({ sql })).rows;

test('what Telegraf measures of hardware has the common names, units and entities', async () => {
  const core = await imported(fixture('telegraf-inputs.lp'));
  const sql = `select entity_kind || ':' || entity as entity, metric, unit, value from metrics
    where metric like 'hw.%' order by all`;
  const gpu = 'gpu:GPU-823bc202-6279-6f2c-d729-868a30f14d96';
  const rows = await rowsOf(core, sql);
  for (const row of [
    [gpu, 'hw.gpu.memory.limit', 'By', 8112 * 1_048_576],
    [gpu, 'hw.gpu.utilization', '%', 100],
    [gpu, 'hw.temperature', 'Cel', 53],
    ['gpu:0x2150e7d042a1124', 'hw.gpu.clock.sm', 'MHz', 852],
    ['gpu:0x2150e7d042a1124', 'hw.power', 'W', 7],
    ['server:10.20.2.203', 'hw.power', 'W', 110],
    ['server:10.20.2.203', 'hw.fan.speed_ratio', '%', 43.12],
    ['server:web483', 'hw.temperature', 'Cel', 41],
    ['server:web483', 'hw.fan.speed', 'rpm', 2100],
    ['server:web483', 'hw.power.capacity', 'W', 800],
    ['server:web483', 'hw.voltage', 'V', 12],
    ['server:telegraf-inputs', 'hw.temperature', 'Cel', 29],
  ])
    expect(rows).toContainEqual(row);
  const links = "select from_id, to_id from topology where edge = 'contains' and from_id = '8218cf' order by all";
  expect(await rowsOf(core, links)).toEqual([
    ['8218cf', 'GPU-823bc202-6279-6f2c-d729-868a30f14d96'],
    ['8218cf', 'GPU-f9ba66fc-a7f5-94c5-da19-019ef2f9c665'],
  ]);
});

test('metrics of Prometheus get their names, histograms and summaries back', async () => {
  const core = await imported(fixture('written.lp'));
  expect(await rowsOf(core, 'select metric, kind, total_count from histograms order by all')).toEqual([
    ['http_request_duration_seconds', 'histogram', 4],
    ['rpc_duration_seconds', 'summary', 100],
  ]);
  expect(await rowsOf(core, 'select metric, entity, value from metrics order by all')).toEqual([
    ['cpu_usage_idle', 'gpu-01', 3.5],
    ['cpu_usage_user', 'gpu-01', 90],
    ['disk io_full', 'gpu-01', 0],
    ['disk io_read', 'gpu-01', 1],
  ]);
});

test('a line with a message is a log record and states its event', async () => {
  const core = await imported(fixture('written.lp'));
  expect(await rowsOf(core, 'select type, device_id from events')).toContainEqual([
    'xid_error',
    'gpu-01/pci-0000:3b:00',
  ]);
  const { reasons } = await core.api['rejects.list']({});
  expect(reasons).toMatchObject([{ reason: 'a field that is no number, text or boolean' }]);
});

test.each([
  ['1777644600', 's'],
  ['1777644600000', 'ms'],
  ['1777644600000000', 'us'],
  ['1777644600000000000', 'ns'],
])('%s is a time in %s', async (time) => {
  const core = await importedText(`load,host=a value=1 ${time}\n`);
  expect(await rowsOf(core, 'select metric, time_ns::varchar, entity from metrics')).toEqual([
    ['load', '1777644600000000000', 'a'],
  ]);
});

test.each(['m,t=1 f="a b,c=d" 5', 'm,t=1 f=1i,g=t', 'a\\ b,c\\,d=e\\=f g\\ h=-1.5e3 -1'])('reads %s', (line) => {
  const read = readInfluxLine(line);
  expect(read).toMatchObject({ head: expect.any(String) });
  if (typeof read !== 'string') expect(readInfluxHead(read.head)).toBeDefined();
});

test.each(['m', 'm f', 'm f=', 'm f="a', 'm f=1 x', ' f=1', 'm f=1,', 'm f="a"b'])('refuses %s', (line) => {
  expect(readInfluxLine(line)).toBeTypeOf('string');
});

test('words of key=value are no samples', () => {
  const lines = 'INFO count=1\nINFO count=2\n';
  expect(influxLine.detect(new FileHead(Buffer.from(lines)))).toBe(false);
});

test('tags without end are refused, and the rest is read', async () => {
  const tags = `t=${'x'.repeat(20_000)}`;
  const core = await importedText(
    `load,host=a value=1 1777644600000000000\nload,${tags} value=1 1777644600000000000\n`,
  );
  expect(await rowsOf(core, 'select count(*)::integer from metrics')).toEqual([[1]]);
  const { reasons } = await core.api['rejects.list']({});
  expect(reasons).toMatchObject([{ reason: 'a tag without a name or a value, or tags of more than 16 KiB' }]);
});
