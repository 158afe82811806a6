import { spawn } from 'node:child_process';
import { chmod, mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli, finished } from '../support/command-line.ts';
import { temporaryFolder } from '../support/core.ts';

/** Prints the version with its own cache folder; returns how many files were cached. */
async function cachedFiles(cache: string): Promise<number> {
  const { NODE_COMPILE_CACHE: _, NODE_DISABLE_COMPILE_CACHE: __, ...env } = process.env;
  const child = spawn(process.execPath, [cli, '--version'], { env: { ...env, XDG_CACHE_HOME: cache } });
  const { code, out } = await finished(child);
  expect([code, out]).toEqual([0, expect.stringMatching(/^faultline \d+\.\d+\.\d+ \(commit .+\)\n$/)]);
  return (await readdir(join(cache, 'faultline/compiled'), { recursive: true }).catch(() => [])).length;
}

test('compiled code is kept where only this user can write, and the next start is served from it', async () => {
  const folder = await temporaryFolder();
  const cachedCount = await cachedFiles(folder);
  expect(cachedCount).toBeGreaterThan(3);
  expect(await cachedFiles(folder)).toBe(cachedCount);
});

test('where others could write, nothing is kept and nothing is run', async () => {
  const [folder, above, linked] = [await temporaryFolder(), await temporaryFolder(), await temporaryFolder()];
  await mkdir(join(folder, 'faultline/compiled'), { recursive: true });
  await chmod(join(folder, 'faultline/compiled'), 0o1777);
  expect(await cachedFiles(folder)).toBe(0);
  await chmod(above, 0o777);
  expect(await cachedFiles(above)).toBe(0);
  await symlink(above, join(linked, 'faultline'));
  expect(await cachedFiles(linked)).toBe(0);
  expect(await cachedFiles('/proc/no-such-place')).toBe(0);
});
