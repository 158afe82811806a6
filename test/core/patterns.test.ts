import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { patternTexts } from '../../src/core/analysis/patterns/catalog.ts';
import { patterns } from '../../src/core/analysis/patterns/index.ts';
import { patternsPage } from '../../src/core/analysis/patterns/patterns-page.ts';
import { readCorpus } from '../../src/main/hosts/replay/corpus-folder.ts';
import { judge } from '../../src/main/hosts/replay/judge.ts';
import { memoryCore } from '../support/core.ts';

/** The corpus that `faultline replay` runs, by the same code. */
const names = patterns.map(({ id }) => id).sort();
const listFolder = async (path: string) =>
  readdirSync(path, { withFileTypes: true }).map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
const readFile = async (path: string) => readFileSync(path, 'utf8');
const corpus = await readCorpus({ listFolder, readFile }, join(import.meta.dirname, '../../corpus'), names);

test('every pattern has texts and four recordings, and nothing else has', () => {
  expect(Object.keys(patternTexts()).sort()).toEqual(names);
  for (const name of names)
    expect([name, ...new Set(corpus.filter(({ pattern }) => pattern === name).map(({ kind }) => kind))]).toEqual([
      name,
      'adjacent',
      'negative',
      'partial',
      'positive',
    ]);
});

test('docs/patterns.md is generated from the texts', () => {
  expect(readFileSync(join(import.meta.dirname, '../../docs/patterns.md'), 'utf8')).toBe(patternsPage());
});

test.each(corpus)('$name is as labelled', async (recording) => {
  const core = await memoryCore();
  await core.import([recording.path]);
  const { findings } = await core.api['patterns.list']({});
  const { missed, unexpected } = judge(recording, findings);
  expect({ missed, unexpected: unexpected.map(({ pattern, headline }) => [pattern, headline]) }).toEqual({
    missed: [],
    unexpected: [],
  });
  expect((await core.api['rejects.list']({ limit: 1 })).total).toBe(0);
  for (const { evidence, start_ns, end_ns } of findings) {
    expect(end_ns).toBeGreaterThanOrEqual(start_ns);
    const refs = evidence.flatMap((line) => line.refs);
    expect(refs).not.toEqual([]);
    for (const ref of refs) expect((await core.api['evidence.get']({ ref })).ref).toBe(ref);
  }
});
