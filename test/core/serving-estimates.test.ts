import { expect, test } from 'vitest';
import type { ServingFigures } from '../../src/core/analysis/serving/condition.ts';
import { estimatesOf, partTime, retriedLoad } from '../../src/core/analysis/serving/estimate.ts';

const ofAll = { origin: null, mean: 1000, mean_before: 600 } as const;
const fromAgent = { caller: 'agent', tenant: null, model: null };

test.each<readonly [ServingFigures, string, number]>([
  [
    {
      rule: 'batch-underfilled',
      batch: 8,
      limit: 32,
      fill: 25,
      fill_before: null,
      isSeen: false,
      replicas: 0,
      waiting: 30,
      queues: 1,
    },
    'times',
    4,
  ],
  // Five requests that wait do not fill it.
  [
    {
      rule: 'batch-underfilled',
      batch: 5,
      limit: 32,
      fill: 16,
      fill_before: null,
      isSeen: false,
      replicas: 0,
      waiting: 5,
      queues: 1,
    },
    'times',
    2,
  ],
  [{ rule: 'gpu-idle-while-queued', busy: 25, busy_before: 80, waiting: 9, queues: 1 }, 'times', 3.2],
  [{ rule: 'cache-misses', hits: 40, hits_before: 80 }, 'times', 3],
  [{ rule: 'kv-cache-full', usage: 98, usage_before: 49, preemptions: 3, waiting: null }, 'share', 0.5],
  [{ rule: 'replica-unlike-peers', replica: 'r3', own: 0.9, usual: 0.3, peers: 2, isServed: false }, 'times', 1.5],
  [{ rule: 'token-shift', of: 'input', tokens: 1500, tokens_before: 500, ...ofAll }, 'share', 1 / 3],
  [
    { rule: 'token-shift', of: 'input', tokens: 9000, tokens_before: 500, ...ofAll, origin: fromAgent },
    'share',
    600 / 1000,
  ],
  [
    {
      rule: 'autoscaler-lag',
      wanted: 6,
      wanted_before: 2,
      ready: 2,
      isCurrent: false,
      isAtLimit: false,
      seconds: 120,
      waiting: 20,
    },
    'times',
    3,
  ],
  [{ rule: 'long-prompts-block', longest: 32000, usual: 500, waiting: 9 }, 'times', 64],
  [{ rule: 'client-cancellations', cancelled: 20, requests: 80, share: 25, share_before: 1 }, 'share', 0.25],
])('%j', (figures, name, value) => {
  const [estimate] = estimatesOf(figures);
  expect(estimate?.figures[name]).toBeCloseTo(value);
  expect(estimate?.text).toContain(' / ');
  expect(estimate?.assumes).not.toEqual([]);
  expect(estimate?.disproved_by).not.toBe('');
});

test('what slow tools and cold starts cost is a difference', () => {
  const tool = estimatesOf({ rule: 'slow-tool', tool: null, took: 3, took_before: 0.5, calls: 10 })[0];
  expect(tool?.text).toBe('10 calls x (3 s - 0.5 s) = 25 s more that requests waited for tools');
  const start = estimatesOf({ rule: 'cold-start', starts: 1, took: 9, took_before: 1 })[0];
  expect(start?.figures['saved_s']).toBe(8);
  for (const estimate of [tool, start]) expect(estimate?.assumes.length).toBeGreaterThan(1);
});

test('full batches need fewer replicas for what came before the queue', () => {
  const figures = {
    rule: 'batch-underfilled',
    batch: 8,
    limit: 32,
    fill: 25,
    isSeen: false,
    waiting: 30,
    queues: 1,
  } as const;
  expect(estimatesOf({ ...figures, fill_before: 50, replicas: 7 })[0]?.text).toContain(
    'needs 7 x 50 % = 3.5 with full batches, rounded up 4, which saves the price of 3',
  );
  for (const more of [
    { fill_before: 90, replicas: 4 },
    { fill_before: 50, replicas: 1 },
    { fill_before: null, replicas: 8 },
  ])
    expect(estimatesOf({ ...figures, ...more })[0]?.text).not.toContain('replicas');
});

test.each<ServingFigures>([
  {
    rule: 'batch-underfilled',
    batch: null,
    limit: null,
    fill: 25,
    fill_before: 80,
    isSeen: false,
    replicas: 0,
    waiting: 30,
    queues: 1,
  },
  { rule: 'gpu-idle-while-queued', busy: 25, busy_before: null, waiting: 9, queues: 1 },
  { rule: 'gpu-idle-while-queued', busy: 0, busy_before: 80, waiting: 9, queues: 1 },
  { rule: 'cache-misses', hits: 40, hits_before: 100 },
  { rule: 'kv-cache-full', usage: 98, usage_before: null, preemptions: 3, waiting: null },
  {
    rule: 'autoscaler-lag',
    wanted: 6,
    wanted_before: 2,
    ready: 0,
    isCurrent: false,
    isAtLimit: false,
    seconds: 120,
    waiting: 20,
  },
])('%j implies nothing', (figures) => {
  expect(estimatesOf(figures)).toEqual([]);
});

test('a retry storm multiplies the calls, and a slow part takes a sum of time', () => {
  expect(retriedLoad(300, 200)[0]).toMatchObject({
    kind: 'retried_load',
    figures: { times: 3 },
    text: '300 calls of which 200 repeat another one are 300 / 100 = 3 times the calls that callers needed; without retries the callee has the other 33 %',
  });
  expect(retriedLoad(5, 5)).toEqual([]);
  expect(partTime(40, 3, 0.5)[0]).toMatchObject({
    figures: { more_s: 100 },
    text: '40 requests x (3 s - 0.5 s) = 100 s more that these requests took in all',
  });
});
