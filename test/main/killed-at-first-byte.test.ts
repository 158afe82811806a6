import { spawn } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli, faultline, finished } from '../support/command-line.ts';
import { temporaryFolder } from '../support/core.ts';

const sample = '# TYPE up gauge\nup 1 1700000000000\n';

async function placeOf(): Promise<{ readonly path: string; readonly file: string }> {
  const folder = await temporaryFolder();
  const file = join(folder, 'up.prom');
  await writeFile(file, sample);
  return { path: join(folder, 'case.faultline'), file };
}

test('a process that dies at the first byte of a new case leaves a place where the next one makes it', async () => {
  const { path, file } = await placeOf();
  // The system ends any process that writes a byte to a file.
  const dying = spawn('bash', ['-c', 'ulimit -f 0; exec "$@"', 'bash', process.execPath, cli, 'import', path, file], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect((await finished(dying)).code).not.toBe(0);
  expect(await readdir(path)).not.toContain('case.duckdb');
  const next = await faultline('import', path, file);
  expect(next).toMatchObject({ code: 0, err: '' });
  expect((await readdir(path)).sort()).toEqual(['attachments', 'case.duckdb']);
});

test('a folder with files of others does not become a case', async () => {
  const { path, file } = await placeOf();
  await mkdir(path);
  await writeFile(join(path, 'letter.txt'), 'mine');
  const ran = await faultline('import', path, file);
  expect(ran.code).not.toBe(0);
  expect(ran.err).toContain('holds no case');
  expect(await readdir(path)).toEqual(['letter.txt']);
});
