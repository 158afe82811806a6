import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { knownQueries } from '../../src/main/engine/known-queries.ts';
import { temporaryFolder } from '../support/core.ts';

test('what was run is known after a restart, by digest only; a damaged list knows nothing and is mended', async () => {
  const file = join(await temporaryFolder(), 'home', 'queries.json');
  const queries = knownQueries(file);
  expect(await queries.has('select 1')).toBe(false);
  await Promise.all([queries.add('select 1'), queries.add('select 2'), queries.add('select 1')]);
  expect([await knownQueries(file).has('select 1'), await knownQueries(file).has('select 2')]).toEqual([true, true]);
  expect(await knownQueries(file).has('select 1 ')).toBe(false);
  expect(await readFile(file, 'utf8')).not.toContain('select');
  await writeFile(file, '{"half": ');
  expect(await knownQueries(file).has('select 1')).toBe(false);
  await knownQueries(file).add('select 1');
  expect(await knownQueries(file).has('select 1')).toBe(true);
});
