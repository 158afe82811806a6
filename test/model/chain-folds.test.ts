import { expect, test } from 'vitest';
import { alsoOn, foldChain } from '../../src/model/chain-folds.ts';

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

test('the others are named up to three', () => {
  expect(alsoOn([])).toBe('');
  expect(alsoOn(['a', 'b', 'c', 'd', 'e'])).toBe(', and on a, b, c and 2 more');
});
