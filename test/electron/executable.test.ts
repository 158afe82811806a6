import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { root } from './harness.ts';
import { buildTestPreload } from './test-app/build.ts';

const executable = join(root, 'test/electron/dist/electron');
const chromium = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

/** Processes of this machine whose command line names `text`. */
const processesNaming = (text: string): string[] =>
  readdirSync('/proc').filter((id) => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/cmdline`, 'utf8').includes(text);
    } catch {
      return false; // gone meanwhile
    }
  });

/** Starts the test page; everything temporary goes to `folder`, by which its processes are known. */
async function start(folder: string, preload: string) {
  const environment = { ...process.env, TMPDIR: folder, TEST_PRELOAD: preload, STAND_IN_HEADLESS: '1' };
  const child = spawn(executable, ['--no-sandbox', join(root, 'test/electron/test-app/main.ts')], {
    env: environment,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await new Promise<void>((resolve, reject) => {
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('DevTools listening')) resolve();
    });
    child.once('exit', () => reject(new Error(text)));
  });
  return { pid: child.pid ?? 0, exited };
}

describe.skipIf(process.platform !== 'linux' || !existsSync(chromium))('the electron executable', () => {
  let folder: string;
  let preload: Awaited<ReturnType<typeof buildTestPreload>>;
  beforeAll(async () => {
    preload = await buildTestPreload();
    folder = mkdtempSync(join(tmpdir(), 'stand-in-test-'));
  });
  afterAll(() => {
    for (const path of [folder, preload.folder]) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  });

  it('reports that it is not Electron', () => {
    expect(spawnSync(executable, ['--version'], { encoding: 'utf8' }).stdout).toContain('stand-in');
  });

  it('reports what is missing, in one line', () => {
    const { status, stderr } = spawnSync(executable, [join(root, 'docs')], { encoding: 'utf8' });
    expect([status, stderr.trim().split('\n').length]).toEqual([1, 1]);
    expect(stderr).toContain('electron stand-in: ');
  });

  it.each([
    ['SIGTERM', 0, 1],
    ['SIGINT', 0, -1],
    ['SIGKILL', null, 1],
  ] as const)('leaves no process behind after %s', async (signal, code, sign) => {
    const { pid, exited } = await start(folder, preload.file);
    expect(processesNaming(folder).length).toBeGreaterThan(1);
    process.kill(sign * pid, signal);
    expect(await exited).toBe(code);
    await vi.waitFor(() => expect(processesNaming(folder)).toEqual([]), 10_000);
    if (signal !== 'SIGKILL') expect(readdirSync(folder)).toEqual([]);
  });
});
