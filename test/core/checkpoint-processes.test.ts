import { expect, test } from 'vitest';
import { type SpanLine, traceCase } from '../support/trace-case.ts';

/** Checkpoints of ranks, every ten minutes, with their lengths in seconds. */
const saves = (lengths: readonly (readonly number[])[]): SpanLine[] =>
  lengths.flatMap((own, rank) =>
    own.map((seconds, round) => ({
      trace: `r${rank}s${round}`,
      id: 'c',
      service: 'trainer',
      resource: { 'gen_ai.training.rank': rank },
      name: 'save_checkpoint',
      from: round * 600_000,
      to: round * 600_000 + seconds * 1000,
    })),
  );

async function headlines(spans: readonly SpanLine[]): Promise<string[]> {
  const core = await traceCase(spans);
  return (await core.api['patterns.list']({})).findings.map(({ headline }) => headline);
}

test('the process whose checkpoint stalled is named', async () => {
  const others = [20, 21, 20, 19, 20];
  expect(await headlines(saves([others, [20, 20, 21, 200, 20], others, others]))).toEqual([
    'A checkpoint of trainer/rank-1 took 3.3 min, others take 20 s.',
  ]);
});

test('processes that stalled together are one finding', async () => {
  const slow = [20, 20, 21, 200, 20];
  expect(await headlines(saves([[20, 20, 20, 20, 20], slow, slow]))).toEqual([
    'A checkpoint of 2 of 3 processes (trainer/rank-1 and trainer/rank-2) took 3.3 min, others take 20 s.',
  ]);
});

test('with few checkpoints a process is compared with the others of its job', async () => {
  expect(
    await headlines(
      saves([
        [20, 20],
        [20, 150],
        [20, 21],
        [19, 20],
      ]),
    ),
  ).toEqual(['A checkpoint of trainer/rank-1 took 2.5 min, others take 20 s.']);
});

test.each([
  [
    'a process that writes for all',
    [
      [60, 60, 61, 60, 60],
      [2, 2, 2, 2, 2],
      [2, 2, 2, 2, 2],
    ],
  ],
  ['the only checkpoint of a process', [[20], [20], [20], [150]]],
  [
    'two checkpoints of a process that writes for all',
    [
      [60, 61],
      [2, 2],
      [2, 2],
    ],
  ],
])('no stall: %s', async (_, lengths) => {
  expect(await headlines(saves(lengths))).toEqual([]);
});
