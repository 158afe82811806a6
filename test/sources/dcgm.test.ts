import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { dcgm } from '../../src/main/sources/dcgm/index.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { type Reading, readSource, reasonsOf, samplesOf } from '../support/read-source.ts';
import { CAPTURED_NS, type InputOptions } from '../support/source-input.ts';

const read = (text: string, options: InputOptions = {}) =>
  readSource(dcgm, text, { assume: { device: 'node-7' }, ...options });
const fixture = (name: string) => read(readFileSync(`fixtures/dcgm/${name}`, 'utf8'));
const detects = (text: string) => dcgm.detect(new FileHead(Buffer.from(text)));
const valuesOf = (reading: Reading, metric: string, entity: string) =>
  samplesOf(reading)
    .filter((s) => s.metric === metric && s.entity === entity)
    .map((s) => s.value);
const eventsOf = (reading: Reading) =>
  reading.rows.event.map(({ entity, type, severity, message }) => [entity, type, severity, message]);
const table = (rows: string, titles = 'GPUTL   POWER   ') => `#Entity   ${titles}\nID                W\n${rows}`;

describe('detection', () => {
  test.each([
    [table('')],
    ['2026-07-03 22:10:46 #Entity   GPUTL\n'],
    ['{"DCGM Diagnostic":{"test_categories":[]}}'],
    ['{\n\t"DCGM GPU Diagnostic" :\n\t{'.replace('\n\t{', ' {')],
    ['Successfully ran diagnostic for group.\n{\n  "DCGM Diagnostic" : {\n'],
    ['{"body":{"Overall Health":{"value":"Healthy"}},"header":["Health Monitor Report"]}'],
  ])('claims %j', (text) => expect(detects(text)).toBe(true));
  test.each([
    ['# Entity of the day\nvalue 1\n'],
    ['# HELP up x\nup 1\n'],
    ['{"body":{"Overall Health":"ok"}}'],
    ['{"DCGM Diagnostic":"passed"}'],
    ['{"resourceMetrics":[]}'],
    [''],
  ])('leaves %j', (text) => expect(detects(text)).toBe(false));
});

describe('dcgmi dmon', () => {
  test('only the last rows can have been printed at the time of the file', async () => {
    const reading = await fixture('dmon.txt');
    expect(valuesOf(reading, 'hw.power', 'gpu:node-7/gpu0')).toEqual([613.455]);
    expect(valuesOf(reading, 'hw.energy', 'gpu:node-7/gpu0')).toEqual([207_000_612]);
    expect(valuesOf(reading, 'hw.gpu.utilization', 'gpu:node-7/gpu0')).toEqual([97]);
    expect(valuesOf(reading, 'hw.gpu.clocks_event_reasons', 'gpu:node-7/gpu0')).toEqual([4]);
    expect(valuesOf(reading, 'hw.gpu.xid', 'gpu:node-7/gpu1')).toEqual([79]);
    expect(samplesOf(reading).every(({ time_ns }) => time_ns === CAPTURED_NS)).toBe(true);
    expect(reasonsOf(reading)).toEqual(
      Array.from({ length: 3 }, () => 'without a time, and not the last of its kind in the file'),
    );
    expect(reading.remarks.join()).toContain('no times in the file');
  });

  test('a column that no table knows keeps its title and unit; N/A is no sample', async () => {
    const reading = await fixture('dmon.txt');
    const unknown = samplesOf(reading).filter((s) => s.metric === 'dcgm.nvspt');
    expect(unknown).toMatchObject([{ entity: 'gpu:node-7/gpu0', value: 41, unit: 'Cel' }]);
    expect(samplesOf(reading).filter((s) => s.entity.includes('instance'))).toEqual([]);
  });

  test('times that a logger put before each line', async () => {
    const reading = await read(
      [
        '2026-07-03 22:10:46.5 #Entity   GPUTL   POWER',
        '2026-07-03 22:10:46.5 ID                W',
        '2026-07-03 22:10:46.5 GPU 0     50      300.000',
        '2026-07-03 22:10:47.5 GPU 0     51      301.000',
      ].join('\n'),
      { assume: { device: 'node-7', zone: '+02:00' } },
    );
    const samples = samplesOf(reading).filter((s) => s.metric === 'hw.power');
    expect(samples.map(({ time_ns, value }) => [time_ns, value])).toEqual([
      [1_783_109_446_500_000_000n, 300],
      [1_783_109_447_500_000_000n, 301],
    ]);
    expect(reading.remarks).toEqual([]);
  });

  test('a time on a separate line is valid for the rows below; without a zone there is a remark', async () => {
    const reading = await read(
      `2026-07-03T20:10:46Z\n${table('GPU 0     5       9.000')}\n2026-07-03T20:10:47\n${table('GPU 0     6       8.000')}\n`,
    );
    expect(samplesOf(reading).map(({ time_ns }) => time_ns)).toEqual([
      1_783_109_446_000_000_000n,
      1_783_109_446_000_000_000n,
      1_783_109_447_000_000_000n,
      1_783_109_447_000_000_000n,
    ]);
    expect(reading.remarks).toEqual(['times have no zone: read as UTC']);
  });

  test('cells with spaces and empty cells go by the place of their title', async () => {
    const reading = await read(
      '#Entity   DVNAM               GPUTL   POWER\nGPU 0     NVIDIA H100 80GB    7       70.000\nGPU 1                         8       80.000\n',
    );
    expect(valuesOf(reading, 'hw.power', 'gpu:node-7/gpu0')).toEqual([70]);
    expect(valuesOf(reading, 'hw.power', 'gpu:node-7/gpu1')).toEqual([80]);
  });

  test('slices, switches and processors are separate entities', async () => {
    const reading = await read(
      table('GPU-I 3   1       2.000\nSwitch 0  1       2.000\nCPU 1     1       2.000\nvGPU 9    1   2.0\n'),
    );
    const names = [...new Set(samplesOf(reading).map((s) => s.entity))];
    expect(names).toEqual([
      'gpu:node-7/gpu-instance3',
      'switch:node-7/nvswitch0',
      'cpu:node-7/cpu1',
      'gpu:node-7/vgpu9',
    ]);
    expect(reading.rows.edge.every((row) => row['from_entity'] === 'server:node-7')).toBe(true);
  });

  test('without a given device the file names the machine', async () => {
    const reading = await readSource(dcgm, table('GPU 0     5       9.000\n'), { name: 'logs/gpu-3.txt' });
    expect(valuesOf(reading, 'hw.power', 'gpu:gpu-3/gpu0')).toEqual([9]);
    expect(reading.remarks).toContain(`nothing in it names the machine: taken as "gpu-3" (the file's name)`);
  });

  test('a broken row is rejected, the other rows are read', async () => {
    const reading = await read(table('GPU 0     1e999   9.000\nsomething else\nGPU 1\nGPU 2     5       inf\n'));
    expect(samplesOf(reading).map(({ entity, metric }) => [entity, metric])).toEqual([
      ['gpu:node-7/gpu0', 'hw.power'],
      ['gpu:node-7/gpu2', 'hw.gpu.utilization'],
    ]);
    expect(reasonsOf(reading)).toHaveLength(2);
  });
});

describe('dcgmi diag -j', () => {
  test('DCGM 4: one result for each entity; how grave a failure is comes from its error', async () => {
    const reading = await fixture('diag-v4.json');
    expect(eventsOf(reading)).toEqual([
      ['gpu:node-7/gpu0', 'health_check_passed', 3, 'software: Pass'],
      [
        'gpu:node-7/gpu1',
        'health_check_failed',
        2,
        'software: Fail; Persistence Mode: Persistence mode for GPU 1 is disabled.',
      ],
      [
        'gpu:node-7/gpu0',
        'health_check_failed',
        0,
        'memory: Fail; GPU 0 had uncorrectable memory errors and row remapping failed.',
      ],
      ['gpu:node-7/gpu1', 'health_check_passed', 3, 'memory: Pass'],
      ['server:node-7', 'health_check_failed', 1, 'cpu_eud: Fail; Expected core count is 144.'],
    ]);
    expect(JSON.parse(String(reading.rows.event[2]?.['attributes']))).toEqual({
      category: 'Hardware',
      test: 'memory',
      dcgm_version: '4.2.3',
      driver_version: '570.86.15',
      status: 'Fail',
      error_id: 15,
      error_category: 10,
      error_severity: 2,
      info: 'Allocated 83392200904 bytes (98.0%)',
    });
    expect(reading.entities.get('gpu:node-7/gpu0')?.attributes).toContain('1650000000001');
    expect(reading.remarks).toContain('tests that were skipped or not run are no evidence of health');
    expect(reasonsOf(reading)).toEqual([]);
  });

  test('DCGM 3: lists of GPUs as text or number, tests left out as null, warnings as texts', async () => {
    const reading = await fixture('diag-v3.json');
    expect(eventsOf(reading).map(([entity, type, severity]) => [entity, type, severity])).toEqual([
      ...[0, 1, 2, 3].map((gpu) => [`gpu:node-7/gpu${gpu}`, 'health_check_passed', 3]),
      ...[0, 1, 2, 3].map((gpu) => [`gpu:node-7/gpu${gpu}`, 'health_check_failed', 1]),
      ['gpu:node-7/gpu0', 'health_check_passed', 3],
      ['gpu:node-7/gpu2', 'health_check_failed', 2],
    ]);
    expect(eventsOf(reading).at(-1)?.[3]).toBe('PCIe: WARN; PCIe link width is 8');
  });

  test('a diagnostic that did not run is no failure of a GPU', async () => {
    const reading = await read('{"DCGM Diagnostic":{"runtime_error":"Detected unsupported Cuda version: 10.0"}}');
    expect(eventsOf(reading)).toEqual([
      [
        'server:node-7',
        'health_check_failed',
        2,
        'the diagnostic did not run: Detected unsupported Cuda version: 10.0',
      ],
    ]);
  });

  test('several documents with their times', async () => {
    const document = (status: string) =>
      `{"DCGM Diagnostic":{"test_categories":[{"tests":[{"name":"pcie","results":[{"entity_group":"GPU","entity_id":0,"status":"${status}"}]}]}]}}`;
    const timed = await read(`2026-07-03T20:10:46Z\n${document('Pass')}\n2026-07-03T21:10:46Z ${document('Fail')}\n`);
    expect(timed.rows.event.map(({ time_ns, type }) => [time_ns, type])).toEqual([
      [1_783_109_446_000_000_000n, 'health_check_passed'],
      [1_783_113_046_000_000_000n, 'health_check_failed'],
    ]);
    const timeless = await read(`${document('Pass')}\n${document('Fail')}\n`);
    expect(timeless.rows.event.map(({ time_ns, type }) => [time_ns, type])).toEqual([
      [CAPTURED_NS, 'health_check_failed'],
    ]);
    expect(reasonsOf(timeless)).toHaveLength(1);
  });

  test.each([
    ['{"DCGM Diagnostic":{"test_categories":"none"}}', 0],
    ['{"DCGM Diagnostic":{"test_categories":[{"tests":[{"results":[{"status":5,"entity_id":"x"}]}]}]}}', 0],
    ['{"DCGM Diagnostic":{"test_categories":[{"tests":[{"results":[{"status":"Fail","gpu_ids":{}}]}]}]}}', 0],
    ['{\n"DCGM Diagnostic":{"test_cat\n}\n', 1],
    ['{\n"DCGM Diagnostic":{', 1],
    ['{"other":1}', 1],
  ])('hostile or cut: %j', async (text, rejects) => {
    const reading = await read(text);
    expect(reasonsOf(reading)).toHaveLength(rejects);
  });
});

describe('dcgmi health -j', () => {
  test('each failing subsystem of each part, with its cut text put together', async () => {
    const reading = await fixture('health.json');
    expect(eventsOf(reading)).toEqual([
      [
        'gpu:node-7/gpu0',
        'health_check_failed',
        0,
        'Memory system: A DBE has been detected on GPU 0, the GPU must be reset.',
      ],
      ['gpu:node-7/gpu0', 'health_check_failed', 2, 'Thermal system: Thermal violations totaling 3.2 seconds.'],
    ]);
  });

  test('all well', async () => {
    const reading = await read('{"body":{"Overall Health":{"value":"Healthy"}},"header":["Health Monitor Report"]}');
    expect(eventsOf(reading)).toEqual([['server:node-7', 'health_check_passed', 3, 'Overall Health: Healthy']]);
  });
});
