import { expect, test } from 'vitest';
import type { ServingFigures } from '../../src/core/analysis/serving/condition.ts';
import { estimatesOf } from '../../src/core/analysis/serving/estimate.ts';

test.each<readonly [ServingFigures, string, number]>([
  [
    { rule: 'batch-underfilled', batch: 8, limit: 32, fill: 25, fill_before: null, isSeen: false, waiting: 30 },
    'times',
    4,
  ],
  // Five requests that wait do not fill it.
  [
    { rule: 'batch-underfilled', batch: 5, limit: 32, fill: 16, fill_before: null, isSeen: false, waiting: 5 },
    'times',
    2,
  ],
  [{ rule: 'gpu-idle-while-queued', busy: 25, busy_before: 80, waiting: 9 }, 'times', 3.2],
  [{ rule: 'cache-misses', hits: 40, hits_before: 80 }, 'times', 3],
  [{ rule: 'kv-cache-full', usage: 98, usage_before: 49, preemptions: 3, waiting: null }, 'share', 0.5],
  [{ rule: 'replica-unlike-peers', replica: 'r3', own: 0.9, usual: 0.3, peers: 2 }, 'times', 1.5],
  [{ rule: 'token-shift', of: 'input', tokens: 1500, tokens_before: 500 }, 'share', 1 / 3],
  [{ rule: 'autoscaler-lag', wanted: 6, wanted_before: 2, ready: 2, seconds: 120, waiting: 20 }, 'times', 3],
])('%j', (figures, name, value) => {
  const [estimate] = estimatesOf(figures);
  expect(estimate?.figures[name]).toBeCloseTo(value);
  expect(estimate?.text).toContain(' / ');
  expect(estimate?.assumes).not.toEqual([]);
  expect(estimate?.disproved_by).not.toBe('');
});

test.each<ServingFigures>([
  { rule: 'batch-underfilled', batch: null, limit: null, fill: 25, fill_before: 80, isSeen: false, waiting: 30 },
  { rule: 'gpu-idle-while-queued', busy: 25, busy_before: null, waiting: 9 },
  { rule: 'gpu-idle-while-queued', busy: 0, busy_before: 80, waiting: 9 },
  { rule: 'cache-misses', hits: 40, hits_before: 100 },
  { rule: 'kv-cache-full', usage: 98, usage_before: null, preemptions: 3, waiting: null },
  { rule: 'autoscaler-lag', wanted: 6, wanted_before: 2, ready: 0, seconds: 120, waiting: 20 },
])('%j implies nothing', (figures) => {
  expect(estimatesOf(figures)).toEqual([]);
});
