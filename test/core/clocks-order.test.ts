import { expect, test } from 'vitest';
import { type ClockDoubts, orderOf } from '../../src/core/analysis/clocks/order.ts';

const clock = (seconds: number, digits = 0) => ({
  uncertainty_ns: BigInt(Math.round(seconds * 1e9)),
  resolution_ns: BigInt(Math.round(digits * 1e9)),
});
const doubts: ClockDoubts = {
  clocks: new Map([
    [1, clock(0.3)],
    [2, clock(0.4)],
    [3, clock(0, 1)],
  ]),
  floors: new Map([[9, 10]]),
};
const at = (source_id: number, seconds: number, event_id = 1) => ({
  event_id,
  source_id,
  time_ns: BigInt(Math.round(seconds * 1e9)),
});

test.each([
  ['apart by more than both doubts', at(1, 0), at(2, 0.6), 'before'],
  ['apart by less', at(1, 0), at(2, 0.4), 'undecided'],
  ['the other way about', at(1, 1), at(2, 0), 'after'],
  ['one clock orders its own events', at(1, 0), at(1, 0.001), 'before'],
  ['one clock, one instant', at(1, 1), at(1, 1), 'undecided'],
  ['one clock that cuts digits orders its own', at(3, 1), at(3, 2), 'before'],
  ['cut digits: it may have been up to a second later', at(3, 0), at(1, 1.2), 'undecided'],
  ['but never earlier', at(1, 0), at(3, 0.4), 'before'],
  ['a sample saw it up to ten seconds late', at(1, 0), at(2, 9, 9), 'undecided'],
  ['the sample is the earlier one', at(2, 0, 9), at(1, 1), 'before'],
  ['nothing known of the source: its times are taken as they are', at(7, 0), at(8, 0.001), 'before'],
] as const)('%s', (_, first, second, order) => {
  expect(orderOf(first, second, doubts)).toBe(order);
  const reverse = { before: 'after', after: 'before', undecided: 'undecided' } as const;
  expect(orderOf(second, first, doubts)).toBe(reverse[order]);
});
