import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { patternTexts } from '../../src/core/analysis/patterns/catalog.ts';
import { patterns } from '../../src/core/analysis/patterns/index.ts';
import { patternsPage } from '../../src/core/analysis/patterns/patterns-page.ts';
import { readEvidence } from '../../src/core/api/evidence/evidence.ts';
import { drawnCase } from '../support/drawn-case.ts';

/**
 * Four cases of each pattern, drawn in patterns/NAME.txt: `== positive: complete: words of the headline`,
 * `== negative: nothing`, `== adjacent: names of the patterns that it is instead`, `== partial: layer: words of the headline`.
 */
const folder = join(import.meta.dirname, 'patterns');
const kinds = ['positive', 'negative', 'adjacent', 'partial'];

interface Drawn {
  readonly pattern: string;
  readonly kind: string;
  readonly expected: string;
  readonly drawing: string;
}

const drawn: readonly Drawn[] = readdirSync(folder).flatMap((file) =>
  readFileSync(join(folder, file), 'utf8')
    .split(/^== /m)
    .slice(1)
    .map((part) => {
      const [, kind = '', expected = '', drawing = ''] = /^(\w+): (.*)\n([\s\S]*)$/.exec(part) ?? [];
      return { pattern: file.replace('.txt', ''), kind, expected, drawing };
    }),
);

test('every pattern has texts and four cases, and nothing else has', () => {
  const names = patterns.map(({ id }) => id).sort();
  expect(Object.keys(patternTexts()).sort()).toEqual(names);
  for (const name of names)
    expect([name, drawn.filter(({ pattern }) => pattern === name).map(({ kind }) => kind)]).toEqual([name, kinds]);
  expect([...new Set(drawn.map(({ pattern }) => pattern))].sort()).toEqual(names);
});

test('docs/patterns.md is generated from the texts', () => {
  expect(readFileSync(join(import.meta.dirname, '../../docs/patterns.md'), 'utf8')).toBe(patternsPage());
});

test.each(drawn)('$pattern, $kind: $expected', async ({ pattern, kind, expected, drawing }) => {
  const opened = await drawnCase(drawing);
  const findings = (await opened.findings()).map(({ view }) => view);
  const own = findings.filter((one) => one.pattern === pattern);
  for (const { ref, end } of findings.flatMap(({ evidence, start_ns, end_ns }) =>
    evidence.flatMap(({ refs }) => refs.map((one) => ({ ref: one, end: end_ns - start_ns }))),
  )) {
    expect((await readEvidence(opened, ref)).ref).toBe(ref);
    expect(end).toBeGreaterThanOrEqual(0n);
  }
  if (kind === 'positive' || kind === 'partial') {
    const [first = '', headline = ''] = expected.split(/: (.*)/);
    const reported = own.map((one) => ({
      verdict: one.verdict === 'complete' ? 'complete' : one.missing.map(({ layer }) => layer).join('+'),
      headline: one.headline,
    }));
    expect(reported).toEqual([{ verdict: first, headline: expect.stringContaining(headline) }]);
    expect(own[0]?.evidence.flatMap(({ refs }) => refs)).not.toEqual([]);
  } else {
    expect(own).toEqual([]);
    const others = [...new Set(findings.map((one) => one.pattern))].sort().join(' ');
    expect(others === '' ? 'nothing' : others).toBe(expected);
  }
});
