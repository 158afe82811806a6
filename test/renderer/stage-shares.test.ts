import { expect, test } from 'vitest';
import type { StageView } from '../../src/model/contract/index.ts';
import { stageShares } from '../../src/renderer/draw/traces/stage-shares.ts';

const figures = (seconds: number) => ({ requests: 50, seconds, p99_s: 2 * seconds, refs: [] });
const stage = (name: StageView['stage'], seconds: number, before: number | null): StageView => ({
  ...{ service: 'llm', model: null, source: 'spans', computed: false, tool: null },
  stage: name,
  seconds,
  before: before === null ? null : figures(before),
  during: null,
});

test('prefill and decode are parts of one bar, in their usual order and to the scale of the longest', () => {
  const rows = stageShares([stage('decode', 6, 3), stage('prefill', 2, 1), stage('queue', 2, 0)]);
  expect(rows.map(({ row, total_s }) => [row, total_s])).toEqual([
    ['own', 10],
    ['before', 4],
  ]);
  expect(
    rows.map(({ parts }) => parts.map(({ stage: name, left, width, share }) => [name, left, width, share])),
  ).toEqual([
    [
      ['queue', 0, 20, 20],
      ['prefill', 20, 20, 20],
      ['decode', 40, 60, 60],
    ],
    [
      ['queue', 0, 0, 0],
      ['prefill', 0, 10, 25],
      ['decode', 10, 30, 75],
    ],
  ]);
});

test('requests of which a stage is unknown are not drawn', () => {
  expect(stageShares([stage('prefill', 2, null), stage('decode', 6, 3)]).map(({ row }) => row)).toEqual(['own']);
});
