import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../../out/renderer');
const page = readFileSync(join(folder, 'index.html'), 'utf8');
const atOnce = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, path = '']) => path);
const bytes = (paths: readonly string[]): number =>
  paths.reduce((sum, path) => sum + readFileSync(join(folder, path)).length, 0);

test('the first page loads the script of what it shows, and views that are not open yet have files of their own', () => {
  const all = readdirSync(join(folder, 'assets'))
    .filter((file) => file.endsWith('.js'))
    .map((file) => `assets/${file}`);
  const later = all.filter((path) => !atOnce.includes(path));
  for (const view of ['topology', 'traces', 'gpus', 'jobs', 'logs', 'patterns', 'differences', 'lifecycle', 'sql'])
    expect(later.filter((path) => path.startsWith(`assets/${view}-`)).length, view).toBeGreaterThan(0);
  // One file of all was 1,331 kB; what opens with a view must not come back into the first page unnoticed.
  expect(bytes(atOnce)).toBeLessThan(1_100_000);
  expect(bytes(later)).toBeGreaterThan(300_000);
});
