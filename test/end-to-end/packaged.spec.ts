import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron, chromium, expect, type Page, test } from '@playwright/test';
import { callFromPage, environment, root, watchTrouble } from './desktop-app.ts';

const binary = join(root, 'dist/linux-unpacked/faultline-desktop');
const SCRIPT_LIMIT = 100_000;
/** packaging/make-dist.mjs makes a short script; Electron has about 200 MB. */
const onStandIn = existsSync(binary) && statSync(binary).size < SCRIPT_LIMIT;
const host = onStandIn ? 'the stand-in' : 'Electron';

let home: string;
const settings = (): Record<string, string> =>
  environment({ FAULTLINE_HOME: home, STAND_IN_HOME: join(root, 'test/electron') });

test.skip(!existsSync(binary), 'not packaged');
test.beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'faultline-home-'));
});
test.afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});

async function expectWorking(page: Page): Promise<void> {
  await page.waitForURL(/\/index\.html$/);
  await expect.poll(() => page.evaluate(() => document.body.textContent.trim().length)).toBeGreaterThan(0);
  expect(await callFromPage(page, 'app.info', {})).toMatchObject({ p: { b: { json: { host: 'electron' } } } });
}

test(`the packaged app starts from its archive, on ${host}`, async () => {
  test.skip(
    !onStandIn,
    'the inspect fuse is off: Playwright cannot attach to main; the next test attaches from outside',
  );
  const app = await _electron.launch({ executablePath: binary, args: ['--no-sandbox'], env: settings() });
  const page = await app.firstWindow();
  const trouble = watchTrouble(page);
  await expectWorking(page);
  expect(await app.evaluate((electron) => [electron.app.isPackaged, electron.app.getName()])).toEqual([
    true,
    'faultline',
  ]);
  expect(await app.evaluate((electron) => electron.app.getAppPath())).not.toContain(root);
  // The native store and the decoder threads must be found inside the package.
  const opened = await callFromPage(page, 'case.open_demo', {});
  expect(JSON.stringify(opened)).toContain('schema_version');
  expect(trouble).toEqual([]);
  await app.close();
});

/** Starts the app as a user would, with a debugging port that the package does not open by default. */
async function startFromOutside(): Promise<{ readonly child: ChildProcess; readonly endpoint: string }> {
  const child = spawn(binary, ['--no-sandbox', '--remote-debugging-port=0'], {
    env: settings(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const endpoint = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const [, url] = /DevTools listening on (ws:\S+)/.exec(text) ?? [];
      if (url) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`exited with ${code}: ${text}`)));
  });
  return { child, endpoint };
}

test(`the packaged app shows its window, seen from outside, on ${host}`, async () => {
  const { child, endpoint } = await startFromOutside();
  try {
    const browser = await chromium.connectOverCDP(endpoint);
    const [context] = browser.contexts();
    if (!context) throw new Error('no browser context');
    const page = context.pages()[0] ?? (await context.waitForEvent('page'));
    await expectWorking(page);
    await browser.close();
  } finally {
    child.kill('SIGTERM');
    await new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve) : resolve(undefined)));
  }
  expect(child.exitCode).toBe(0);
});
