import { expect, test } from 'vitest';
import { PollSchedule } from '../../src/main/capture/poll-schedule.ts';

test('what each poll begins late does not add up', () => {
  let clock = 1000;
  const schedule = new PollSchedule(() => clock);
  const begun: number[] = [];
  for (let poll = 0; poll < 1000; poll++) {
    begun.push(clock);
    clock += 3;
    clock = schedule.next(10) + (poll % 2);
  }
  expect(begun.slice(0, 4)).toEqual([1000, 1010, 1021, 1030]);
  expect(begun.at(-1)).toBe(1000 + 999 * 10);
});

test('a poll longer than its pause is followed at once, and nothing is made up for', () => {
  let clock = 0;
  const beat = new PollSchedule(() => clock);
  clock = 35;
  expect(beat.next(10)).toBe(35);
  clock = 36;
  expect(beat.next(10)).toBe(45);
  // The machine slept, or its clock was set forward.
  clock = 100_000;
  expect(beat.next(10)).toBe(100_000);
  expect(beat.next(20)).toBe(100_020);
  // Asked late, and in vain: the rest is a whole one.
  clock = 100_023;
  beat.from(clock);
  expect(beat.next(40)).toBe(100_063);
});

test('a rest ends when the signal aborts', async () => {
  const stop = new AbortController();
  const resting = new PollSchedule().rest(1e9, stop.signal);
  stop.abort();
  await resting;
});
