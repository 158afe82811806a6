import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryCore, temporaryFolder } from '../support/core.ts';

/** Eight ranks on two machines, of which metrics of steps alone are recorded. */
const BEGIN_S = 1_793_600_000;
const ranks = [0, 1, 2, 3, 4, 5, 6, 7];
const sample = (metric: string, rank: number, value: number, at: number): string =>
  `${metric}{job="llama-ft",rank="${rank}",instance="gpu-0${rank >> 2}:9000"} ${value} ${BEGIN_S + at}`;
const series = (metric: string, of: (rank: number, i: number) => number): string[] => [
  `# TYPE ${metric} gauge`,
  ...ranks.flatMap((rank) => Array.from({ length: 120 }, (_, i) => sample(metric, rank, of(rank, i), i * 5))),
];

test('a rank that alone becomes slow, with nothing recorded of its machine, is not taken for software', async () => {
  const file = join(await temporaryFolder(), 'train.om');
  const slow = (rank: number, i: number) => (rank === 5 && i > 60 ? 3.1 : 2.4) + ((i * 31 + rank * 7) % 11) / 100;
  const lines = [...series('train_global_step', (_, i) => 2 * i), ...series('train_step_time_seconds', slow), '# EOF'];
  await writeFile(file, `${lines.join('\n')}\n`);
  const core = await memoryCore();
  await core.import([file]);
  const [incident] = (await core.api.correlate({})).incidents;
  const [first] = incident?.hypotheses ?? [];
  expect(first?.type).toBe('insufficient_evidence');
  const texts = incident?.hypotheses.flatMap(({ evidence }) => evidence.map(({ text }) => text)) ?? [];
  expect(texts).toContainEqual(
    expect.stringMatching(/^only rank-5 of llama-ft did worse, which software that all of it runs does not explain/),
  );
  // The number of steps grows in any case, and the time of a step is what is to be explained.
  expect(texts.filter((text) => text.includes('train_'))).toEqual([]);
});
