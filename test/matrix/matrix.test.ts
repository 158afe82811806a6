import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kubernetes } from './kubernetes.ts';
import { logs } from './logs.ts';
import { fill, type Part, tableOf } from './matrix.ts';
import { places } from './places.ts';
import { series } from './series.ts';
import { stories } from './stories.ts';

const parts = [series, logs, kubernetes, places, stories] as unknown as readonly Part<never>[];

test('a fact means the same, whatever carried it; docs/matrix.md shows each', async () => {
  const filled = [];
  for (const part of parts) filled.push(await fill(part));
  expect(filled.flatMap(({ differences }) => differences)).toEqual([]);
  const cells = filled.flatMap(({ rows }) => rows.flatMap((row) => row.cells));
  const facts = filled.reduce((sum, { rows }) => sum + rows.length, 0);
  expect(facts).toBeGreaterThanOrEqual(60);
  const read = cells.filter(({ isRead }) => isRead).length;
  const page = [
    '# What means the same, whatever carried it',
    '',
    `${facts} facts, each imported from every container that can carry it: ${read} of ${cells.length} cells give the same metric, unit, value,`,
    'entity, link and event, or the same finding and verdict. A number alone is a hole, a number beside "yes" a remark; both are explained',
    'below their table. This page is written by',
    '`npx vitest run test/matrix -u`, and a test compares it.',
    '',
    ...filled.map(tableOf),
  ].join('\n');
  await expect(page).toMatchFileSnapshot(join(import.meta.dirname, '../../docs/matrix.md'));
});
