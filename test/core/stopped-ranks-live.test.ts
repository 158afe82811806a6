import { expect, test } from 'vitest';
import { BatchBuilder } from '../../src/model/rows/batch-builder.ts';
import { appendSample } from '../../src/model/rows/records.ts';
import type { RowBatch } from '../../src/model/rows/rows.ts';
import { derivedLive, START_NS, STEP_NS } from '../support/live-derived.ts';

const POLLS = 40;

/** Polls of the counters of four ranks, which do a step per poll. @param steps of a rank, by poll */
const batchOf =
  (steps: (rank: number, poll: number) => number) =>
  (from: number, to: number): RowBatch => {
    const builder = new BatchBuilder();
    const entity = builder.entity('service', 'llm');
    for (let poll = from; poll < to; poll++)
      for (let rank = 0; rank < 4; rank++)
        appendSample(builder, {
          ...{ metric: { name: 'train_global_step', unit: '1' }, entity, attributes: { rank: String(rank) } },
          time_ns: START_NS + BigInt(poll) * STEP_NS,
          value: steps(rank, poll),
        });
    return builder.finish(0);
  };

test('a rank that stops counting before the others is noticed while it is recorded', async () => {
  const stopped = batchOf((rank, poll) => Math.min(poll, rank === 2 ? 24 : 25));
  expect(await derivedLive(POLLS, stopped)).toEqual(['llm collective_stalled 24']);
});

test('ranks that go on, stop together or go on again are no stall at the end of the recording', async () => {
  expect(
    await derivedLive(
      POLLS,
      batchOf((_, poll) => poll),
    ),
  ).toEqual([]);
  expect(
    await derivedLive(
      POLLS,
      batchOf((_, poll) => Math.min(poll, 25)),
    ),
  ).toEqual([]);
  const again = batchOf((rank, poll) => Math.min(poll, rank === 2 ? 24 : 25) + Math.max(0, poll - 36));
  expect(await derivedLive(POLLS, again)).toEqual([]);
});
