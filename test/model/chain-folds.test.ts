import { expect, test } from 'vitest';
import { foldChain, shortList, stepNumbers } from '../../src/model/incident/chain-folds.ts';

const step = (type: string, cause: number | null) => ({ type, cause });

test('a short chain is read step by step', () => {
  expect(foldChain([step('sag', null), step('failover', 0), step('failover', 0)])).toHaveLength(3);
});

test('in a long one, what one kind of cause did to many of a kind is one', () => {
  const failovers = Array.from({ length: 7 }, () => step('failover', 0));
  const caps = Array.from({ length: 7 }, (_, i) => step('cap', 1 + i));
  const folds = foldChain([step('sag', null), ...failovers, ...caps, step('cap', 0)]);
  expect(folds.map(({ first, others }) => [first, others.length])).toEqual([
    [0, 0],
    [1, 6],
    [8, 6],
    [15, 0],
  ]);
});

test('what leads to the end stands for those of its kind, and what it leads to for theirs', () => {
  const failovers = Array.from({ length: 6 }, () => step('failover', 0));
  const caps = [step('cap', 3), step('cap', 1), step('cap', 2), step('cap', 4)];
  const slowdowns = [step('slowdown', 8), step('slowdown', 7)];
  const folds = foldChain([step('sag', null), ...failovers, ...caps, ...slowdowns, step('impact', 8)]);
  expect(folds.map(({ first, others }) => [first, others])).toEqual([
    [0, []],
    [1, [2, 3, 4, 5, 6]],
    [8, [7, 9, 10]],
    [11, [12]],
    [13, []],
  ]);
});

test('the others are named up to three', () => {
  expect(shortList(['a'])).toBe('a');
  expect(shortList(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c and 2 more');
});

test('steps are counted from one, neighbours as a run', () => {
  expect(stepNumbers([2])).toBe('step 3');
  expect(stepNumbers([1, 2, 3, 6, 8, 9])).toBe('steps 2 to 4, 7, 9, 10');
});
