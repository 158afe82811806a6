import { expect, test } from 'vitest';
import { hostNow, updateHostClock } from '../../src/renderer/state/host-clock.ts';

const S = 1_000_000_000n;
const here = () => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e3)) * 1000n;
/** In seconds, with a margin for a busy machine. */
const ahead = () => Math.round(Number(hostNow() - here()) / 1e9) + 0;

test('a window on a machine with another clock uses the clock of the rows', () => {
  const receive = (seconds: bigint) => {
    updateHostClock(here() + seconds * S);
    return ahead();
  };
  expect(ahead()).toBe(0);
  // Network delay is no clock difference, and one late message changes nothing.
  expect(receive(-1n)).toBe(0);
  expect(receive(-30n)).toBe(0);
  // A clock that is behind reports that repeatedly.
  for (let times = 0; times < 5; times++) receive(-300n);
  expect(ahead()).toBe(-300);
  expect(receive(-301n)).toBe(-300);
  // This machine slept, or the other clock was set.
  expect(receive(3600n)).toBe(3600);
});
