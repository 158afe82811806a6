import { expect, test } from 'vitest';
import { hostNow, updateHostClock } from '../../src/renderer/state/host-clock.ts';

const S = 1_000_000_000n;
const here = () => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e3)) * 1000n;
/** In seconds, with room for a busy machine. */
const ahead = () => Math.round(Number(hostNow() - here()) / 1e9) + 0;

test('a window that looks on from a machine with another clock goes by the one that rows bear', () => {
  const receive = (seconds: bigint) => {
    updateHostClock(here() + seconds * S);
    return ahead();
  };
  expect(ahead()).toBe(0);
  // What the way here took is no difference of clocks, and one word that came late is none.
  expect(receive(-1n)).toBe(0);
  expect(receive(-30n)).toBe(0);
  // A clock that is behind says so again and again.
  for (let times = 0; times < 5; times++) receive(-300n);
  expect(ahead()).toBe(-300);
  expect(receive(-301n)).toBe(-300);
  // This machine slept, or the other was set.
  expect(receive(3600n)).toBe(3600);
});
