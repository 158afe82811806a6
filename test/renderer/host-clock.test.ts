import { expect, test } from 'vitest';
import { heardHostClock, hostNow } from '../../src/renderer/state/host-clock.ts';

const S = 1_000_000_000n;
const here = () => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e3)) * 1000n;
/** In seconds, with room for a busy machine. */
const ahead = () => Math.round(Number(hostNow() - here()) / 1e9) + 0;

test('a window that looks on from a machine with another clock goes by the one that rows bear', () => {
  const hear = (seconds: bigint) => {
    heardHostClock(here() + seconds * S);
    return ahead();
  };
  expect(ahead()).toBe(0);
  // What the way here took is no difference of clocks, and one word that came late is none.
  expect(hear(-1n)).toBe(0);
  expect(hear(-30n)).toBe(0);
  // A clock that is behind says so again and again.
  for (let times = 0; times < 5; times++) hear(-300n);
  expect(ahead()).toBe(-300);
  expect(hear(-301n)).toBe(-300);
  // This machine slept, or the other was set.
  expect(hear(3600n)).toBe(3600);
});
