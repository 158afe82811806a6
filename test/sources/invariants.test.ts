import { describe, expect, test } from 'vitest';
import { sources } from '../../src/main/sources/index.ts';
import { ProblemError } from '../../src/model/problem.ts';
import type { Source } from '../../src/model/storage/source.ts';
import { fixturesOf, type Tree } from '../support/fixtures.ts';
import { headOf } from '../support/otlp-rows.ts';
import { type Reading, readSource } from '../support/read-source.ts';

/** What every importer promises, tried on every fixture of every format. */
const cases = sources.flatMap((source) => fixturesOf(source).map(([name, tree]) => ({ name, source, tree })));
/** Files as one anonymous file where the format reads one; trees keep the paths inside them. */
const contentOf = (source: Source, tree: Tree) => (source.gather ? tree : Object.values(tree)[0]!);
/** Rejects quote byte offsets of the compressed or cut stream alike; everything else must be equal. */
const comparable = ({ rows, entities, remarks }: Reading) => ({ rows, entities, remarks });

test.each(sources)('$id has fixtures', (source) => {
  expect(fixturesOf(source).length).toBeGreaterThan(0);
});

describe.each(cases)('$name', ({ source, tree }) => {
  test('is found by content, whatever it is called', async () => {
    const heads = await Promise.all(Object.values(tree).map(headOf));
    const claims = heads.map((head) => sources.find((one) => one.detect(head))?.id);
    expect(claims).toContain(source.id);
    for (const claim of claims) expect([source.id, undefined]).toContain(claim);
  });

  test('gives the same rows however its bytes are cut', async () => {
    const whole = await readSource(source, contentOf(source, tree));
    for (const piece of [61, 4093])
      expect(comparable(await readSource(source, contentOf(source, tree), { piece }))).toEqual(comparable(whole));
  });

  test('truncated anywhere is rows, rejects or one expected failure', async () => {
    const longest = Object.entries(tree).sort(([, a], [, b]) => b.length - a.length)[0]!;
    const [path, bytes] = longest;
    // fuzz.test.ts cuts at many more places.
    for (let i = 0; i < 12; i++) {
      const cut = bytes.subarray(0, Math.floor((bytes.length * i) / 12) + (i % 5));
      const content = source.gather ? { ...tree, [path]: cut } : cut;
      await readSource(source, content).catch((error: unknown) => {
        if (!(error instanceof ProblemError)) throw error;
      });
    }
  });
});
