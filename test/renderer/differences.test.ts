import { expect, test } from 'vitest';
import type { Difference, Differences } from '../../src/model/contract/index.ts';
import {
  differencesMarkdown,
  formatDifferenceValue,
  formatSupport,
  thinBaseline,
} from '../../src/renderer/draw/text/format-difference.ts';

const second = 1_000_000_000n;
const recorded = { startNs: 1000n * second, endNs: 2000n * second };
const spans = (region: number, baseline: number): Differences['compared'][number] => ({
  population: 'spans',
  ...{ region, baseline, region_share: 1, baseline_share: 1, tested: 12 },
});
const between = (from: bigint, until: bigint) => ({ start_ns: from * second, end_ns: until * second });

test('no warning for a baseline with enough data', () => {
  expect(thinBaseline({ baseline: between(1000n, 1600n), compared: [spans(500, 4000)] }, recorded)).toBeNull();
  // Several baseline windows, and a region without rows.
  expect(thinBaseline({ baseline: null, compared: [spans(0, 3)] }, recorded)).toBeNull();
});

test('warns about a baseline that is mostly not recorded or has too few rows', () => {
  const before = thinBaseline({ baseline: between(410n, 1010n), compared: [spans(3000, 40)] }, recorded);
  expect(before).toBe(
    'The baseline is thin: only 10 s of its 10 m were recorded; it has only 40 spans. Other differences may exist but could not be tested.',
  );
  expect(thinBaseline({ baseline: between(100n, 700n), compared: [] }, recorded)).toMatch(
    /nothing was recorded in its 10 m/,
  );
});

test('a comparison of entities shows both medians and the number of machines', () => {
  const side = (rows: number, groups: number, value: number) => ({ rows, of: rows, groups, value });
  const hot: Difference = {
    ...{ id: 'metrics temperature gpu', population: 'metrics', attribute: 'temperature', value: 'gpu', across: 'gpu' },
    ...{ measure: 'number', unit: 'Cel', region: side(30, 4, 71), baseline: side(120, 15, 58) },
    ...{
      effect: 1,
      ratio: null,
      deviations: null,
      p: 1e-4,
      q: 1e-3,
      is_thin: true,
      entity: null,
      also: [],
      spread: null,
      values: [],
      like: null,
    },
  };
  const words = 'gpu: 30 at 71 °C (median), 120 others at 58 °C';
  expect(formatDifferenceValue(hot)).toBe(words);
  expect(differencesMarkdown([hot], 'The incident')).toContain(words);
  expect(formatSupport(hot)).toBe('30 on 4 machines, few');
  expect(formatSupport({ ...hot, region: side(30, 30, 71), is_thin: false })).toBe('30');
  expect(formatDifferenceValue({ ...hot, across: null, value: 'gpu-7' })).toBe('gpu-7');
});
