import { expect, test } from 'vitest';
import { damage } from '../../endure/damage.ts';
import { temporaryFolder } from '../support/core.ts';

/** The short form of `npm run endure -- --only damage`. */
test('random flips and cuts of a case and of a bundle are noticed in one clear line, or harm nothing', async () => {
  const seed = Number(process.env.FAULTLINE_SEED ?? Date.now() % 1_000_000);
  const { figures, failures } = await damage({
    seed,
    share: 0.05,
    folder: await temporaryFolder(),
    print: () => undefined,
  });
  expect(failures).toEqual([]);
  expect(figures.length).toBeGreaterThan(1);
});
