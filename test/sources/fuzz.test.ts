import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decoderTarget } from '../../fuzz/decoder.ts';
import { runTarget } from '../../fuzz/run-target.ts';
import type { Target } from '../../fuzz/target.ts';
import { targets } from '../../fuzz/targets.ts';
import { sources } from '../../src/main/sources/index.ts';
import { topologyCsv } from '../../src/main/sources/topology-csv/index.ts';

/** `FUZZ_SEED=7 npx vitest run test/sources/fuzz.test.ts` tries others; `npm run fuzz` tries many more. */
const seed = Number(process.env.FUZZ_SEED ?? 1);
const INPUTS = 40;
/** Each of these asks an open case, or opens one. */
const slow: ReadonlySet<string> = new Set(['calls', 'template', 'values']);

test('every source is under fuzz', () => {
  expect([...targets.keys()]).toEqual(expect.arrayContaining(sources.map(({ id }) => id)));
});

test('a source without fixtures is reported, not left out', async () => {
  await expect(decoderTarget({ ...topologyCsv, id: 'no-fixtures' })).rejects.toThrow('no-fixtures');
});

test.each([...targets])('%s takes hostile input', async (id, target) => {
  const wanted = slow.has(id) ? INPUTS / 4 : INPUTS;
  const { inputs, crash } = await runTarget(await target(), { seed, inputs: wanted });
  if (crash) throw new Error(`npm run fuzz -- --seed ${seed} ${id}; input ${crash.file}\n${crash.message}`);
  expect(inputs).toBe(wanted);
});

test('a decoder that throws is found, with a small input that makes it', async () => {
  const target = await decoderTarget(topologyCsv);
  const broken: Target = {
    ...target,
    check: async ({ bytes }) => {
      if (Buffer.from(bytes).includes('feeds')) throw new TypeError('it feeds');
      return { rows: 0, rejects: 0 };
    },
  };
  const { crash } = await runTarget(broken, { seed, inputs: INPUTS });
  expect(crash?.message).toContain('it feeds');
  expect(readFileSync(crash?.file ?? '', 'utf8')).toBe('feeds');
});
