import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { powertrace } from '../../src/main/sources/powertrace/index.ts';
import { topologyCsv } from '../../src/main/sources/topology-csv/index.ts';
import { ProblemError } from '../../src/model/problem.ts';
import type { RowBatch } from '../../src/model/rows/rows.ts';
import { FileHead, type Source } from '../../src/model/storage/source.ts';
import { readSource } from '../support/read-source.ts';
import { at, event, service, topology } from '../support/scenario.ts';
import { sharedData } from '../support/shared-data.ts';
import { inputOf } from '../support/source-input.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

async function read(source: Source, bytes: Uint8Array, piece = bytes.length || 1, name = 'x'): Promise<RowBatch[]> {
  const batches: RowBatch[] = [];
  for await (const batch of source.read(inputOf(bytes, { name, piece }))) batches.push(batch);
  return batches;
}

const rejects = (batches: readonly RowBatch[]): string[] =>
  batches.flatMap(({ tables: { reject } }) => {
    if (!reject) return [];
    const { bytes, offsets } = reject.columns.reason;
    return Array.from({ length: reject.count }, (_, i) =>
      new TextDecoder().decode(bytes.subarray(offsets[i], offsets[i + 1])),
    );
  });

const spans = [{ trace_id: 'a', span_id: 'b', service_name: 's', operation: 'o', start_time: at(1), duration_ms: 5 }];
const documents: readonly (readonly [Source, string])[] = [
  [
    powertrace,
    JSON.stringify({
      events: [event('é1', 1, 'ups', 'ups_transfer', 'USV-Süd')],
      service_metrics: service('inference', { to: 100 }),
      spans,
      ...topology,
    }),
  ],
  [
    topologyCsv,
    'from_kind,from_id,edge,to_kind,to_id,valid_from,valid_to\npdu,"PDU, ""B""",feeds,server,sürver,,\nserver,s,contains,gpu,g,2026-01-01T00:00:00Z,\n',
  ],
];

test.each(documents)('%# gives the same rows however its bytes are cut', async (source, text) => {
  const whole = await read(source, encode(text));
  expect(source.detect(new FileHead(encode(text)))).toBe(true);
  for (const piece of [1, 3, 7, 64]) expect(await read(source, encode(text), piece)).toEqual(whole);
});

test.each(documents)('%# truncated at any byte is rows, rejects or one expected failure', async (source, text) => {
  const bytes = encode(text);
  for (let end = 0; end < bytes.length; end += Math.max(1, Math.floor(bytes.length / 300))) {
    await read(source, bytes.slice(0, end)).catch((error: unknown) => {
      if (!(error instanceof ProblemError)) throw error;
    });
  }
});

test('hostile PowerTrace records are rejects, and their neighbours are kept', async () => {
  const good = event('good', 1, 'ups', 'ups_transfer', 'UPS-1');
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const hostile = `{"events": [${JSON.stringify(good)}, {"id":"deep","timestamp":"${at(1)}","source":"ups","type":"t","severity":"low","device_id":"u","metadata":{"x":${deep}}}, ${deep}],
    "spans": [{"trace_id":"a","span_id":"b","service_name":"s","start_time":"${at(1)}","duration_ms":1e300}, {"trace_id":"a","span_id":"b","service_name":"s","start_time":"9999-01-01T00:00:00Z","duration_ms":1}]}`;
  const batches = await read(powertrace, encode(hostile));
  expect(batches.reduce((sum, { tables }) => sum + (tables.event?.count ?? 0), 0)).toBe(1);
  expect(batches.some(({ tables }) => tables.span)).toBe(false);
  const reasons = rejects(batches);
  expect(reasons).toHaveLength(4);
  expect(reasons[0]).toContain('nested too deeply');
  expect(reasons[2]).toContain('duration_ms');
});

test('the chain of a report is imported as events, its verdict is not', async () => {
  const file = sharedData('powertrace/sample_report.json');
  const reading = await readSource(powertrace, readFileSync(file));
  expect(reading.rows.event.map(({ original_id, type, entity }) => `${original_id} ${type} ${entity}`)).toEqual([
    'evt_001 voltage_sag pdu:PDU-B-rack-14',
    'evt_002 psu_failover server:server-rack-14-node-3',
    'evt_003 cpu_power_cap server:server-rack-14-node-3',
    'evt_004 thermal_throttle gpu:GPU-0',
    'evt_005 power_cap_applied gpu:GPU-0',
  ]);
  expect(reading.rows.point).toEqual([]);
});
