import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sampleCsv } from '../../src/main/sources/sample-csv/index.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { memoryCore, type TestCore } from '../support/core.ts';
import { readSource } from '../support/read-source.ts';
import { sharedData } from '../support/shared-data.ts';

const fixture = (name: string) => join(import.meta.dirname, '../../fixtures/sample-csv', name);
async function imported(path: string): Promise<TestCore> {
  const core = await memoryCore();
  await core.import([path]);
  return core;
}
const rowsOf = async (core: TestCore, sql: string) => (await core.api['query.sql']({ sql })).rows;
const METRICS = `select entity_kind || ':' || entity as entity, metric, unit, strftime(time_utc, '%H:%M:%S') as time, value from metrics order by all`;
const gpu = 'gpu:GPU-11111111-2222-3333-4444-555555555555';

test('a column for each series, as Grafana downloads them', async () => {
  expect(await rowsOf(await imported(fixture('grafana-wide.csv')), METRICS)).toEqual([
    [gpu, 'hw.temperature', 'Cel', '14:10:00', 64],
    [gpu, 'hw.temperature', 'Cel', '14:10:15', 65],
    [gpu, 'hw.temperature', 'Cel', '14:10:30', 84],
    ['server:gpu-01', 'hw.power', 'W', '14:10:00', 812.5],
    ['server:gpu-01', 'hw.power', 'W', '14:10:30', 640],
  ]);
});

test('a metric in each row: histograms are assembled, what is no number is refused', async () => {
  const core = await imported(fixture('long.csv'));
  expect(await rowsOf(core, METRICS)).toEqual([[gpu, 'hw.power', 'W', '14:10:00', 300]]);
  expect(await rowsOf(core, 'select entity, metric, total_count from histograms')).toEqual([
    ['checkout', 'http_request_duration_seconds', 4],
  ]);
  const { reasons } = await core.api['rejects.list']({});
  expect(reasons).toMatchObject([{ reason: 'a cell that is no number in a column of numbers' }]);
});

test('tables of InfluxDB, each under its own header', async () => {
  const core = await imported(fixture('influx-annotated.csv'));
  expect(await rowsOf(core, METRICS)).toEqual([
    [gpu, 'hw.temperature', 'Cel', '14:10:00', 65],
    [gpu, 'hw.temperature', 'Cel', '14:10:10', 84],
    ['server:gpu-01', 'cpu_usage_idle', null, '14:10:00', 3.5],
  ]);
});

test('a column for each quantity: units of the header, numbers that name a GPU, empty cells', async () => {
  const core = await imported(fixture('wide.csv'));
  expect(await rowsOf(core, METRICS)).toEqual([
    ['gpu:gpu-01/gpu0', 'power', 'W', '14:10:00', 300],
    ['gpu:gpu-01/gpu0', 'power', 'W', '14:10:10', 400],
    ['gpu:gpu-01/gpu0', 'sm_clock', 'MHz', '14:10:00', 1980],
    ['gpu:gpu-01/gpu0', 'sm_clock', 'MHz', '14:10:10', 1410],
    ['gpu:gpu-01/gpu1', 'power', 'W', '14:10:00', 301],
    ['gpu:gpu-01/gpu1', 'sm_clock', 'MHz', '14:10:00', 1980],
    ['gpu:gpu-01/gpu1', 'sm_clock', 'MHz', '14:10:10', 1980],
  ]);
});

const nezha = 'rca/nezha/rca_data/2023-01-29/metric/ts-train-service-86f5f97bc9-dkqmf_metric.csv.gz';
test.skipIf(!existsSync(sharedData(nezha)))('metrics of pods that others recorded', async () => {
  const core = await imported(sharedData(nezha));
  const sql = `select entity_kind, count(distinct metric), min(time_utc)::varchar, any_value(unit) filter (metric = 'MemoryUsage')
    from metrics group by all`;
  expect(await rowsOf(core, sql)).toEqual([['pod', 19, '2023-01-29 08:41:10.587547173', 'MiB']]);
});

test.each([
  ['a log', 'time,level,msg,count\n2026-05-01T14:10:00Z,INFO,started,1\n'],
  ['spans', 'trace_id,span_id,timestamp,duration\na,b,2026-05-01T14:10:00Z,1\n'],
  ['events', 'time,host,event\n2026-05-01T14:10:00Z,gpu-01,reboot\n'],
  ['a list without times', 'name,value\na,1\n'],
  ['prose', 'time, value and other words\nnone of them\n'],
])('%s is no table of samples', (_, text) => {
  expect(sampleCsv.detect(new FileHead(Buffer.from(text)))).toBe(false);
});

test('columns that no one calls so are mapped', async () => {
  const file = 'When;What;Reading;Box\n1777644600000,board power,300,gpu-01\n'.replaceAll(';', ',');
  const columns = {
    time: { column: 'When', unit: 'ms' },
    metric: { column: 'What' },
    value: { column: 'Reading' },
    host: { column: 'Box' },
  } as const;
  const assume = { mapping: { table: 'metric', columns } } as const;
  const { rows, entities } = await readSource(sampleCsv, file, { assume });
  expect(rows.point).toMatchObject([{ time_ns: 1_777_644_600_000_000_000n, value: 300 }]);
  expect(JSON.stringify(rows.point[0]?.series)).toContain('board power');
  expect([...entities.keys()]).toContain('server:gpu-01');
  const wrong = { mapping: { table: 'metric', columns: { time: { column: 'Now' } } } } as const;
  await expect(readSource(sampleCsv, file, { assume: wrong })).rejects.toMatchObject({
    problem: { code: 'csv.mapping', message: 'hidden has no column "Now"' },
  });
});
