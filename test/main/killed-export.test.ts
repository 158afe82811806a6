import { spawn } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exportFiles } from '../../src/main/exports/export-files.ts';
import { temporaryFolder } from '../support/core.ts';

const source = (path: string): string => JSON.stringify(join(import.meta.dirname, '../../src/main', path));

/** Runs a script that kills itself while it writes. */
async function killed(script: string): Promise<void> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'ignore', 'pipe'] });
  let err = '';
  child.stderr.on('data', (chunk) => (err += chunk));
  const [code, signal] = await new Promise<unknown[]>((resolve) => child.on('close', (...how) => resolve(how)));
  expect([code, signal, err]).toEqual([null, 'SIGKILL', '']);
}

const DIE = `process.kill(process.pid, 'SIGKILL')`;
const signal = new AbortController().signal;

/** Writes a complete file into that folder, like the next export. */
async function next(folder: string): Promise<string[]> {
  await exportFiles.writeText({ path: join(folder, 'next.csv'), overwrite: true, download: false }, whole(), {
    signal,
  });
  return (await readdir(folder)).sort();
}

async function* whole(): AsyncGenerator<string> {
  yield 'a,b\n';
}

test('what a killed export has written goes with the next one to the same folder, and nothing else does', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'mine.csv.partial'), 'by somebody else');
  await killed(`
    const { exportFiles } = await import(${source('exports/export-files.ts')});
    const pieces = (async function* () { yield 'x'.repeat(1 << 20); ${DIE}; })();
    const target = { path: ${JSON.stringify(join(folder, 'mine.csv'))}, overwrite: true };
    await exportFiles.writeText(target, pieces, { signal: new AbortController().signal });`);
  expect(await readdir(folder)).toHaveLength(2);
  expect(await next(folder)).toEqual(['mine.csv.partial', 'next.csv']);
});

test('what a killed export of a bundle has written goes as well', async () => {
  const folder = await temporaryFolder();
  const table = join(await temporaryFolder(), 'table.parquet');
  await writeFile(table, 'x'.repeat(1 << 20));
  await killed(`
    const { bundleFiles } = await import(${source('bundle/bundle-files.ts')});
    const tables = [{ table: 'span', path: ${JSON.stringify(table)}, rows: 1, columns: [] }];
    const work = { signal: new AbortController().signal, onProgress: () => ${DIE} };
    const target = { path: ${JSON.stringify(join(folder, 'mine.flb'))}, key: null };
    await bundleFiles(async () => '').seal(target, { head: {}, tables, report: '' }, work);`);
  expect(await readdir(folder)).toHaveLength(1);
  expect(await next(folder)).toEqual(['next.csv']);
});
