import { expect, test } from 'vitest';
import { day } from '../../endure/day.ts';
import { temporaryFolder } from '../support/core.ts';

test('a short day of capture: what was acknowledged is stored, nothing lies in a gap (all of it: npm run endure -- --only day)', async () => {
  const lines: string[] = [];
  const { figures, failures } = await day({
    seed: Number(process.env.FAULTLINE_SEED ?? 1),
    share: 0.03,
    folder: await temporaryFolder(),
    print: (line) => void lines.push(line),
  });
  expect(failures, [...figures, ...lines].join('\n')).toEqual([]);
  // Something was acknowledged, and something was ill.
  expect(figures.join('\n')).toMatch(/logs: [1-9]\d{3,} records acknowledged/);
  expect(figures.join('\n')).toMatch(/[1-9]\d* illnesses: [1-9]\d* silent/);
});
