import { expect, test } from 'vitest';
import { failedAfterOthers } from '../../src/core/analysis/ranking/first-failure.ts';
import { EntityGraph } from '../../src/core/analysis/topology/entity-graph.ts';
import type { EntityFact, EventFact } from '../../src/core/store/facts/reader.ts';

const ranks = [1, 2, 3].map(
  (key): EntityFact => ({ entity_id: key, canonical_id: key, kind: 'rank', id: `train/rank-${key}` }) as EntityFact,
);
const graph = new EntityGraph(ranks, [], 0n);
/** A rank that ended with an error. */
const ended = (rank: number, second: number, source_id: number, doubt_s: number): EventFact =>
  ({
    ...{ event_id: rank, entity: rank, source_id, type: 'rank_failed', severity: 1, device_id: `train/rank-${rank}` },
    time_ns: BigInt(second) * 1_000_000_000n,
    clock_uncertainty_ns: BigInt(Math.round(doubt_s * 1e9)),
  }) as EventFact;
const followers = (...events: readonly EventFact[]): number[] =>
  [...failedAfterOthers(events, graph)].map(({ entity }) => entity);

test.each([
  ['of one clock', 1, 5, [2]],
  ['of two clocks that agree', 2, 0.5, [2]],
  ['of two clocks whose doubts are wider', 2, 2.5, []],
])('ranks that end 5 s after one another, %s', (_, source, doubt, expected) => {
  expect(followers(ended(1, 100, 1, doubt), ended(2, 105, source, doubt))).toEqual(expected);
});

test('one source may know the first rank though another one does not', () => {
  expect(followers(ended(1, 100, 1, 10), ended(2, 104, 2, 10), ended(3, 108, 2, 10))).toEqual([3]);
});
