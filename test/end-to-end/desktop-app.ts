import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { _electron, type ConsoleMessage, type ElectronApplication, type Page } from '@playwright/test';

export const root = resolve(import.meta.dirname, '../..');

/** Electron if it is installed, otherwise the stand-in. A test on the stand-in never counts as a test of Electron. */
function findExecutable(): { readonly path: string; readonly name: 'Electron' | 'the stand-in' } {
  const standIn = join(root, 'test/electron/dist');
  const installed = join(dirname(createRequire(import.meta.url).resolve('electron')), 'dist');
  const binary = process.platform === 'win32' ? 'electron.exe' : 'electron';
  const folders = [process.env.ELECTRON_OVERRIDE_DIST_PATH, installed].filter((folder) => folder !== undefined);
  const folder = folders.find((candidate) => existsSync(join(candidate, binary))) ?? standIn;
  return { path: join(folder, binary), name: resolve(folder) === standIn ? 'the stand-in' : 'Electron' };
}
export const executable = findExecutable();

/** Apps to test: the built product; the test page, whose main script is TypeScript, on the stand-in. */
export const apps: readonly { readonly name: string; readonly entry: string; readonly isProduct: boolean }[] = [
  ...(executable.name === 'the stand-in'
    ? [{ name: 'the test page', entry: join(root, 'test/electron/test-app/main.ts'), isProduct: false }]
    : []),
  ...(existsSync(join(root, 'out/main/index.js')) ? [{ name: 'the app as built', entry: root, isProduct: true }] : []),
];

export const environment = (more: Record<string, string>): Record<string, string> => ({
  ...(process.env as Record<string, string>),
  STAND_IN_HEADLESS: '1',
  ...more,
});

export async function launch(entry: string, more: Record<string, string>): Promise<ElectronApplication> {
  const args = process.getuid?.() === 0 ? ['--no-sandbox', entry] : [entry];
  return await _electron.launch({ executablePath: executable.path, args, env: environment(more) });
}

/** Page errors and console errors. */
export function watchTrouble(page: Page): string[] {
  const trouble: string[] = [];
  page.on('pageerror', (error) => trouble.push(`pageerror ${error.message}`));
  page.on('console', (message: ConsoleMessage) => {
    if (message.type() === 'error' || /content.security.policy/i.test(message.text()))
      trouble.push(`console ${message.text()}`);
  });
  return trouble;
}

/** Runs in the page: one call over a connection of its own, as raw messages, so that it needs no renderer code. */
export async function callFromPage(page: Page, name: string, input: unknown): Promise<unknown> {
  return await page.evaluate(
    async ([procedure, json]) => {
      const port = await new Promise<MessagePort>((resolve) => {
        window.addEventListener('message', (event) => {
          if ((event.data as { type?: unknown }).type === 'faultline:port' && event.ports[0]) resolve(event.ports[0]);
        });
        (window as unknown as { faultline: { connect(): void } }).faultline.connect();
      });
      const answer = new Promise<string>((resolve) => {
        port.onmessage = (event) => resolve(String(event.data));
      });
      port.postMessage(JSON.stringify({ i: '1', p: { u: `/${String(procedure)}`, b: { json } } }));
      const text = await answer;
      port.close();
      return JSON.parse(text) as unknown;
    },
    [name, input] as const,
  );
}
