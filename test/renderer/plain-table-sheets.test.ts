import { expect, test } from 'vitest';
import type { Lane } from '../../src/model/contract/index.ts';
import { figuresSheet } from '../../src/renderer/draw/tables/figures-sheet.ts';
import { recentSheet } from '../../src/renderer/draw/tables/recent-sheet.ts';
import { sheetCsv } from '../../src/renderer/draw/tables/sheet.ts';

const lane = (id: string, metric: string, unit: string): Lane => ({
  id,
  kind: metric === '' ? 'events' : 'metric',
  layer: 'power',
  entity_kind: 'pdu',
  entity_id: id,
  within: [],
  sources: [1],
  metric,
  unit,
  count: 3,
  worst_severity: null,
  involved: null,
});

test('statistics of lanes are unrounded numbers with their unit; missing values are empty', () => {
  const figures = { lane: 'A', count: 3, per_second: 0.1, min: 207.25, mean: 220.123456, p95: 230.1, max: 231 };
  const sheet = figuresSheet([lane('A', 'hw.voltage', 'V'), lane('=B', '', '')], new Map([['A', figures]]));
  expect(sheetCsv(sheet)).toBe(
    'lane,kind,what,unit,count,a second,min,mean,p95,max\r\n' +
      'A,pdu,voltage,V,3,0.1,207.25,220.123456,230.1,231\r\n' +
      `'=B,pdu,events,"",,,,,,\r\n`,
  );
});

test('recent cases with all that is known of each', () => {
  const summary = {
    first_ns: 1_767_225_600_000_000_001n,
    last_ns: null,
    layers_present: ['power', 'gpu'],
    layers_missing: [],
    rejects: 2,
    source_count: 4,
    sources: [],
    incident_count: 1,
    verdicts: [{ service: 'llama', type: 'voltage_sag', subject: 'PDU-B', probability: 0.93, tied: 0 }],
  };
  const opened_at_ns = 1_767_225_600_000_000_000n;
  const bundle = false;
  const sheet = recentSheet([
    { id: '1', name: 'night', opened_at_ns, bundle, summary },
    { id: '2', name: 'other', opened_at_ns, bundle: true, summary: null },
  ]);
  const [, night, other] = sheetCsv(sheet).split('\r\n');
  expect(night).toBe(
    'night,2026-01-01T00:00:00.000000000Z,false,2026-01-01T00:00:00.000000001Z,,1,llama,voltage_sag,PDU-B,0.93,"power, gpu","",4,2',
  );
  expect(other).toBe('other,2026-01-01T00:00:00.000000000Z,true,,,,,,,,,,,');
});
