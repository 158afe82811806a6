import { expect, test } from 'vitest';
import { missingWindows, onGrain, slicesOf } from '../../src/core/api/pulls/missing-windows.ts';

const window = (from: number, until: number) => ({ from_ns: BigInt(from), until_ns: BigInt(until) });

test('what is missing of a window is what none of the others covers, however they overlap', () => {
  expect(missingWindows(window(0, 10), [])).toEqual([window(0, 10)]);
  expect(missingWindows(window(0, 10), [window(7, 12), window(-3, 2), window(3, 5), window(4, 6)])).toEqual([
    window(2, 3),
    window(6, 7),
  ]);
  expect(missingWindows(window(0, 10), [window(2, 4), window(-5, 15)])).toEqual([]);
  expect(missingWindows(window(0, 10), [window(10, 20), window(-5, 0)])).toEqual([window(0, 10)]);
});

test('slices are whole on the grain, and together the window', () => {
  expect(slicesOf(window(0, 10), 4n, 1n)).toEqual([window(0, 3), window(3, 6), window(6, 9), window(9, 10)]);
  expect(slicesOf(window(0, 60), 25n, 15n)).toEqual([window(0, 15), window(15, 30), window(30, 45), window(45, 60)]);
  expect(onGrain(window(-7, 11), 5n, 100n)).toEqual(window(-10, 15));
  expect(onGrain(window(1, 11), 5n, 13n)).toEqual(window(0, 10));
});
