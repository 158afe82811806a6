import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Turns } from '../../src/base/turns.ts';

const { signal } = new AbortController();

test('one at a time, in the order in which they came, also after one that failed', async () => {
  const turns = new Turns();
  const told: string[] = [];
  const work = (name: string) => async () => {
    told.push(`${name} begins`);
    await setTimeout(1);
    told.push(`${name} ends`);
    if (name === 'b') throw new Error('b failed');
    return name;
  };
  const all = ['a', 'b', 'c'].map((name) => turns.take(work(name), signal));
  expect(await Promise.allSettled(all)).toMatchObject([
    { value: 'a' },
    { reason: new Error('b failed') },
    { value: 'c' },
  ]);
  expect(told).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

test('whoever is cancelled while waiting is told at once; the next still waits for the first', async () => {
  const turns = new Turns();
  const first = Promise.withResolvers<void>();
  const told: string[] = [];
  const one = turns.take(async () => {
    await first.promise;
    told.push('first');
  }, signal);
  const cancel = new AbortController();
  const cancelled = turns.take(async () => told.push('cancelled'), cancel.signal);
  const last = turns.take(async () => told.push('last'), signal);
  cancel.abort(new Error('cancelled'));
  await expect(cancelled).rejects.toThrow('cancelled');
  await expect(turns.take(async () => told.push('never'), cancel.signal)).rejects.toThrow('cancelled');
  expect(told).toEqual([]);
  first.resolve();
  await Promise.all([one, last]);
  expect(told).toEqual(['first', 'last']);
});
