import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TaskQueue } from '../../src/base/task-queue.ts';

const { signal } = new AbortController();

test('one at a time, in the order in which they came, also after one that failed', async () => {
  const queue = new TaskQueue();
  const log: string[] = [];
  const work = (name: string) => async () => {
    log.push(`${name} begins`);
    await setTimeout(1);
    log.push(`${name} ends`);
    if (name === 'b') throw new Error('b failed');
    return name;
  };
  const all = ['a', 'b', 'c'].map((name) => queue.take(work(name), signal));
  expect(await Promise.allSettled(all)).toMatchObject([
    { value: 'a' },
    { reason: new Error('b failed') },
    { value: 'c' },
  ]);
  expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

test('a task cancelled while waiting is rejected at once; the next still waits for the first', async () => {
  const turns = new TaskQueue();
  const first = Promise.withResolvers<void>();
  const log: string[] = [];
  const one = turns.take(async () => {
    await first.promise;
    log.push('first');
  }, signal);
  const cancel = new AbortController();
  const cancelled = turns.take(async () => log.push('cancelled'), cancel.signal);
  const last = turns.take(async () => log.push('last'), signal);
  cancel.abort(new Error('cancelled'));
  await expect(cancelled).rejects.toThrow('cancelled');
  await expect(turns.take(async () => log.push('never'), cancel.signal)).rejects.toThrow('cancelled');
  expect(log).toEqual([]);
  first.resolve();
  await Promise.all([one, last]);
  expect(log).toEqual(['first', 'last']);
});
