import { expect, test } from 'vitest';
import type { Differences } from '../../src/model/contract/index.ts';
import { thinBaseline } from '../../src/renderer/draw/format-difference.ts';

const second = 1_000_000_000n;
const recorded = { startNs: 1000n * second, endNs: 2000n * second };
const spans = (region: number, baseline: number): Differences['compared'][number] => ({
  population: 'spans',
  ...{ region, baseline, region_share: 1, baseline_share: 1, tested: 12 },
});
const between = (from: bigint, until: bigint) => ({ start_ns: from * second, end_ns: until * second });

test('a baseline that holds enough needs no word', () => {
  expect(thinBaseline({ baseline: between(1000n, 1600n), compared: [spans(500, 4000)] }, recorded)).toBeNull();
  // More times than one, and nothing in the region to be held against anything.
  expect(thinBaseline({ baseline: null, compared: [spans(0, 3)] }, recorded)).toBeNull();
});

test('a baseline of which most was not recorded, or that holds next to nothing, is said to be thin', () => {
  const before = thinBaseline({ baseline: between(410n, 1010n), compared: [spans(3000, 40)] }, recorded);
  expect(before).toBe(
    'The baseline is thin: of its 10 m only 10 s were recorded; it holds 40 spans. What is not told may differ all the same.',
  );
  expect(thinBaseline({ baseline: between(100n, 700n), compared: [] }, recorded)).toMatch(
    /nothing was recorded in its 10 m/,
  );
});
