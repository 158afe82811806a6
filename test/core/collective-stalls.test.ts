import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CollectiveFact, findCollectiveStalls } from '../../src/core/analysis/collectives/collective-stalls.ts';
import { flightRecorder } from '../../src/main/sources/flight-recorder/index.ts';
import { readRankId } from '../../src/model/rank-name.ts';
import { type Row, readSource } from '../support/read-source.ts';
import { sharedData } from '../support/shared-data.ts';

const numbers = (text: string): number[] => text.split(',').map(Number);
const factOf = (row: Row): CollectiveFact => ({
  ...(row as unknown as CollectiveFact),
  rank: readRankId(String(row['rank']))?.rank ?? Number.NaN,
  group_ranks: row['group_ranks'] === '' ? null : numbers(String(row['group_ranks'])),
  is_p2p: (JSON.parse(String(row['attributes'])) as { is_p2p: boolean }).is_p2p,
});

async function factsOf(folder: string): Promise<CollectiveFact[]> {
  const path = sharedData(`nccl-fr/${folder}`);
  const names = readdirSync(path).filter((name) => /_\d+$/.test(name));
  const tree = Object.fromEntries(names.map((name) => [name, readFileSync(join(path, name))]));
  return (await readSource(flightRecorder, tree)).rows.collective.map(factOf);
}

let clock = 0n;
const fact = (over: Partial<CollectiveFact> & { readonly rank: number }): CollectiveFact => ({
  group_id: '0',
  group_name: 'default_pg',
  group_ranks: [0, 1, 2, 3],
  sequence: 1,
  p2p_sequence: 0,
  operation: 'all_reduce',
  state: 'scheduled',
  created_ns: ++clock,
  started_ns: 0n,
  completed_ns: 0n,
  dtype: 'BFloat16',
  input_sizes: '[[8,4]]',
  output_sizes: '[[8,4]]',
  ...over,
});
/** The same for several ranks. */
const facts = (ranks: readonly number[], over: Partial<CollectiveFact> = {}): CollectiveFact[] =>
  ranks.map((rank) => fact({ rank, ...over }));
const culpritsOf = (list: readonly CollectiveFact[]) => findCollectiveStalls(list).causes.map(({ rank }) => rank);

describe('recorded hangs', () => {
  test('GPU errors on ranks 12 and 14', async () => {
    const list = await factsOf('nvrx/gpu_error_1st');
    const { causes: culprits, stalls } = findCollectiveStalls(list);
    expect(culprits.map(({ rank }) => rank)).toEqual([12, 14]);
    // What NVIDIA's own analyser finds: rank 12 is missing from the expert group.
    expect(stalls).toContainEqual(
      expect.objectContaining({
        group_id: '74',
        sequence: 20537,
        kind: 'UNDECIDED',
        waiting: [13, 14, 15],
        missing: [12],
      }),
    );
    expect(stalls).toContainEqual(
      expect.objectContaining({
        group_id: '74',
        sequence: 20530,
        kind: 'COLLECTIVE_STATE_MISMATCH',
        waiting: [12, 14],
      }),
    );
  });

  test('a locked interpreter on ranks 9 and 14', async () => {
    const list = await factsOf('nvrx/lock_gil_1st');
    const { causes: culprits, stalls } = findCollectiveStalls(list);
    expect(culprits.map(({ rank }) => rank)).toEqual([9, 14]);
    expect(stalls).toContainEqual(
      expect.objectContaining({ group_id: '72', sequence: 45265, operation: 'all_to_all', missing: [9, 14] }),
    );
  });

  test.each(['', '/proto4'])('rank 5 never enters sequence 119%s', async (folder) => {
    const list = await factsOf(`synthetic/hang_rank5_timing${folder}`);
    const { causes: culprits, stalls } = findCollectiveStalls(list);
    expect(culprits).toEqual([{ rank: 5, reason: 'missing', group_id: '0', group_name: 'default_pg', sequence: 119 }]);
    expect(stalls).toEqual([
      expect.objectContaining({
        sequence: 119,
        operation: 'all_reduce',
        kind: 'FULLY_MATCHED',
        waiting: [0, 1, 2, 3, 4, 6, 7],
        missing: [5],
      }),
    ]);
  });

  test('the order of the facts does not matter', async () => {
    const list = await factsOf('nvrx/gpu_error_1st');
    expect(culpritsOf(list.toReversed())).toEqual([12, 14]);
  });
});

describe('no rank is the cause', () => {
  test('when nothing was recorded, or everything is over', () => {
    expect(findCollectiveStalls([])).toEqual({ stalls: [], causes: [] });
    expect(findCollectiveStalls(facts([0, 1, 2, 3], { state: 'completed' }))).toEqual({ stalls: [], causes: [] });
  });
  test('when everybody entered the same and it does not end: that is the network', () => {
    const { stalls, causes: culprits } = findCollectiveStalls(facts([0, 1, 2, 3], { state: 'started' }));
    expect(culprits).toEqual([]);
    expect(stalls).toMatchObject([{ kind: 'FULLY_MATCHED', waiting: [0, 1, 2, 3], missing: [] }]);
  });
  test('when a rank is missing because it is stuck with everybody else in such an operation', () => {
    const stuck = facts([2, 3], { group_id: 'tp', group_ranks: [2, 3] });
    expect(culpritsOf([...facts([0, 1, 2]), ...stuck])).toEqual([]);
  });
  test('when the dumps of most ranks were never collected', () => {
    expect(culpritsOf(facts([0], { group_ranks: [0, 1, 2, 3, 4, 5, 6, 7] }))).toEqual([]);
  });
  test('when the ring of a recorder has run over: what it lost is not thereby complete', () => {
    // Both keep three entries; rank 1 was busier elsewhere and lost the one that rank 0 still has.
    const lists = [
      ...[10, 11, 12].map((sequence) => fact({ rank: 0, sequence, group_ranks: [0, 1] })),
      ...[11, 12].map((sequence) => fact({ rank: 1, sequence, group_ranks: [0, 1] })),
      fact({ rank: 1, group_id: 'own', group_ranks: [1], state: 'completed' }),
    ];
    expect(culpritsOf(lists)).toEqual([]);
  });
});

describe('somebody is', () => {
  test('a rank that stopped before its peers did', () => {
    const done = facts([0, 1, 2, 3], { state: 'completed' });
    const { causes: culprits } = findCollectiveStalls([...done, ...facts([0, 1, 3], { sequence: 2 })]);
    expect(culprits).toMatchObject([{ rank: 2, reason: 'missing', sequence: 2 }]);
  });
  test('a rank that left no dump at all', () => {
    const { causes: culprits } = findCollectiveStalls(facts([0, 1, 3]));
    expect(culprits).toMatchObject([{ rank: 2, reason: 'absent' }]);
  });
  test('of two missing ranks, not the one that waits for the other', () => {
    // 1 cannot come to the world's operation because it waits for 2 in its own group.
    const tensor = { group_id: 'tp', group_name: 'TENSOR', group_ranks: [1, 2] };
    const list = [
      ...facts([0, 3]),
      fact({ rank: 1, ...tensor }),
      fact({ rank: 2, state: 'completed', sequence: 0, ...tensor }),
    ];
    const { causes: culprits } = findCollectiveStalls(list);
    expect(culprits.map(({ rank }) => rank)).toEqual([2]);
  });
  test('over any number of groups in between', () => {
    const chain = Array.from({ length: 50 }, (_, rank) =>
      fact({ rank, group_id: `pair ${rank}`, group_ranks: [rank, rank + 1] }),
    );
    expect(culpritsOf([...chain, fact({ rank: 50, group_ranks: [50], state: 'completed' })])).toEqual([50]);
  });
  test('two ranks that wait for each other in two groups', () => {
    const list = [
      fact({ rank: 0, group_id: 'a', group_ranks: [0, 1] }),
      fact({ rank: 1, group_id: 'b', group_ranks: [0, 1] }),
    ];
    expect(culpritsOf(list)).toEqual([0, 1]);
  });
  test('a rank whose device never began what the others are in', () => {
    const timed = facts([0, 1, 2, 3], { sequence: 1, state: 'completed', started_ns: 5n, completed_ns: 9n });
    const list = [
      ...timed,
      ...facts([0, 1, 3], { sequence: 2, state: 'started', started_ns: 20n }),
      fact({ rank: 2, sequence: 2 }),
    ];
    const { causes: culprits, stalls } = findCollectiveStalls(list);
    expect(culprits).toMatchObject([{ rank: 2, reason: 'not_started', sequence: 2 }]);
    expect(stalls).toMatchObject([{ sequence: 2, kind: 'COLLECTIVE_STATE_MISMATCH' }]);
    // Without timing everything is called scheduled, and nothing can be concluded from it.
    expect(culpritsOf(list.filter(({ rank, sequence }) => rank !== 2 || sequence !== 1))).toEqual([]);
  });
  test('a rank that still holds what its peers completed with its help', () => {
    const list = [
      ...facts([0, 1, 3], { sequence: 5, state: 'completed' }),
      fact({ rank: 2, sequence: 5 }),
      ...facts([0, 1, 2, 3], { sequence: 6 }),
    ];
    const { causes: culprits, stalls } = findCollectiveStalls(list);
    expect(culprits).toMatchObject([{ rank: 2, reason: 'lagging', sequence: 5 }]);
    expect(stalls.map(({ sequence, kind }) => [sequence, kind])).toEqual([
      [5, 'COLLECTIVE_STATE_MISMATCH'],
      [6, 'FULLY_MATCHED'],
    ]);
  });
  test('but not of a broadcast, which is over for its root before the others receive it', () => {
    const list = [
      fact({ rank: 0, operation: 'broadcast', state: 'completed' }),
      ...facts([1, 2, 3], { operation: 'broadcast' }),
    ];
    expect(culpritsOf(list)).toEqual([]);
  });
});

describe('messages', () => {
  const pipeline = { group_id: 'pp', group_name: 'PIPELINE', group_ranks: [4, 8], sequence: 26 };
  test('a send without a receive: ranks are counted within the group', () => {
    const { causes: culprits } = findCollectiveStalls([
      fact({ rank: 4, operation: 'send 0->1', p2p_sequence: 7, ...pipeline }),
      fact({ rank: 8, operation: 'recv 1<-0', p2p_sequence: 6, state: 'completed', ...pipeline }),
    ]);
    expect(culprits).toMatchObject([{ rank: 8, reason: 'missing', sequence: -1 }]);
  });
  test('a receive without a send', () => {
    expect(
      culpritsOf([
        fact({ rank: 8, operation: 'recv 1<-0', ...pipeline }),
        fact({ rank: 4, operation: 'send 0->1', state: 'completed', ...pipeline }),
      ]),
    ).toEqual([4]);
  });
  test('a matched pair has no cause', () => {
    expect(
      culpritsOf([
        fact({ rank: 4, operation: 'send 0->1', ...pipeline }),
        fact({ rank: 8, operation: 'recv 1<-0', ...pipeline }),
      ]),
    ).toEqual([]);
  });
  test('the second of two sends has no match', () => {
    expect(
      culpritsOf([
        fact({ rank: 4, operation: 'send 0->1', ...pipeline }),
        fact({ rank: 4, operation: 'send 0->1', ...pipeline }),
        fact({ rank: 8, operation: 'recv 1<-0', ...pipeline }),
      ]),
    ).toEqual([]); // 8 is in the pair that does not get through, so it is excused.
  });
  test('blame passes from stage to stage to a missing rank', () => {
    const list = [
      fact({ rank: 4, operation: 'recv 0<-1', ...pipeline }),
      fact({ rank: 8, group_id: 'tp', group_ranks: [8, 9] }),
      fact({ rank: 9, group_id: 'tp', group_ranks: [8, 9], sequence: 0, state: 'completed' }),
    ];
    expect(culpritsOf(list)).toEqual([9]);
  });
  test('their numbers are not those of collectives', () => {
    // Rank 4 sends after collective 26, which rank 8 is through with as well.
    const { stalls } = findCollectiveStalls([
      fact({ rank: 4, operation: 'send 0->1', ...pipeline }),
      fact({ rank: 8, operation: 'recv 1<-0', ...pipeline, sequence: 25 }),
      fact({ rank: 8, operation: 'coalesced', ...pipeline, sequence: 25, is_p2p: true }),
    ]);
    expect(stalls).toEqual([]);
  });
});

describe('how entries compare', () => {
  const kindOf = (list: readonly CollectiveFact[]) => findCollectiveStalls(list).stalls[0]?.kind;
  test('different operations: the minority', () => {
    const list = [...facts([0, 1, 3]), fact({ rank: 2, operation: 'broadcast' })];
    expect(kindOf(list)).toBe('COLLECTIVE_TYPE_MISMATCH');
    expect(findCollectiveStalls(list).causes).toMatchObject([{ rank: 2, reason: 'mismatch', sequence: 1 }]);
  });
  test('one against one: both are named', () => {
    const pair = { group_ranks: [0, 1] };
    expect(culpritsOf([fact({ rank: 0, ...pair }), fact({ rank: 1, operation: 'broadcast', ...pair })])).toEqual([
      0, 1,
    ]);
  });
  test('different sizes, where they must be equal; a shape of as many elements is equal', () => {
    const list = [...facts([0, 1, 3]), fact({ rank: 2, input_sizes: '[[8,5]]' })];
    expect(kindOf(list)).toBe('SIZE_OR_SYNTAX_MISMATCH');
    expect(culpritsOf(list)).toEqual([2]);
    expect(kindOf([...facts([0, 1, 3]), fact({ rank: 2, input_sizes: '[[32]]' })])).toBe('FULLY_MATCHED');
  });
  test.each(['all_gather', 'reduce_scatter', 'gather', 'scatter'])('sizes of %s may differ', (operation) => {
    const list = [...facts([0, 1, 3], { operation }), fact({ rank: 2, operation, input_sizes: '[[1]]' })];
    expect(kindOf(list)).toBe('FULLY_MATCHED');
  });
  test('sizes of all_to_all cannot be compared', () => {
    const list = [
      ...facts([0, 1, 3], { operation: 'all_to_all' }),
      fact({ rank: 2, operation: 'all_to_all', input_sizes: '[[1]]' }),
    ];
    expect(kindOf(list)).toBe('UNDECIDED');
    expect(culpritsOf(list)).toEqual([]);
  });
  test('different element types', () => {
    const list = [...facts([0, 1, 3]), fact({ rank: 2, dtype: 'Float' })];
    expect(kindOf(list)).toBe('COLLECTIVE_DTYPE_MISMATCH');
    expect(culpritsOf(list)).toEqual([2]);
  });
  test('unknown sizes and types agree with everything; unreadable ones are unknown', () => {
    const list = [
      fact({ rank: 0 }),
      fact({ rank: 1, dtype: '', input_sizes: '' }),
      fact({ rank: 2, input_sizes: '{' }),
      fact({ rank: 3 }),
    ];
    expect(kindOf(list)).toBe('FULLY_MATCHED');
  });
  test('groups of one id with different ranks are different groups', () => {
    const list = [
      ...facts([0, 1], { group_ranks: [0, 1] }),
      ...facts([2, 3], { group_ranks: [2, 3], operation: 'broadcast' }),
    ];
    expect(findCollectiveStalls(list).stalls.map(({ kind }) => kind)).toEqual(['FULLY_MATCHED', 'FULLY_MATCHED']);
  });
});

test('a thousand ranks are no effort', () => {
  const ranks = Array.from({ length: 1000 }, (_, rank) => rank);
  const list = [1, 2, 3, 4, 5].flatMap((sequence) =>
    facts(
      ranks.filter((rank) => rank !== 700 || sequence < 3),
      { group_ranks: ranks, sequence, state: sequence < 3 ? 'completed' : 'scheduled' },
    ),
  );
  expect(culpritsOf(list)).toEqual([700]);
});
