import { expect, test } from 'vitest';
import { heardHostClock, hostNow } from '../../src/renderer/state/host-clock.ts';

const S = 1_000_000_000n;
const here = () => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e3)) * 1000n;
/** In seconds, with room for a busy machine. */
const ahead = () => Math.round(Number(hostNow() - here()) / 1e9) + 0;

test('a window that looks on from a machine with another clock goes by the one that rows bear', () => {
  expect(ahead()).toBe(0);
  // What the way here took is no difference of clocks.
  heardHostClock(here() - S);
  expect(ahead()).toBe(0);
  heardHostClock(here() - 300n * S);
  expect(ahead()).toBe(-300);
  heardHostClock(here() - 301n * S);
  expect(ahead()).toBe(-300);
  // This machine slept, or the other was set.
  heardHostClock(here() + 3600n * S);
  expect(ahead()).toBe(3600);
});
