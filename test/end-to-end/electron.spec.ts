import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ElectronApplication, expect, type Page, test } from '@playwright/test';
import { buildTestPreload } from '../electron/test-app/build.ts';
import { apps, callFromPage, executable, launch, watchTrouble } from './desktop-app.ts';

interface Bridged extends Window {
  readonly faultline: { connect(): void; adoptFile(file: unknown): Promise<unknown> };
}

/** Runs as page code: code that Playwright evaluates is exempt from the eval rule of the policy. */
const asPageCode = (page: Page, expression: string): Promise<string> =>
  page.evaluate(
    (source) =>
      new Promise<string>((resolve) => {
        const attempts: Record<string, () => unknown> = {
          eval: () => (Reflect.get(window, 'eval') as (code: string) => unknown)('1'),
          function: () => new Function('return 1')(),
          wasm: () => new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)) && 'compiled',
        };
        setTimeout(() => {
          try {
            resolve(String(attempts[source]?.()));
          } catch (error) {
            resolve((error as Error).name);
          }
        });
      }),
    expression,
  );

for (const { name, entry, isProduct } of apps) {
  test.describe(`${name} on ${executable.name}`, () => {
    test.describe.configure({ mode: 'serial' });
    let app: ElectronApplication;
    let page: Page;
    let trouble: string[];
    let temporary: string[] = [];

    test.beforeAll(async () => {
      const home = mkdtempSync(join(tmpdir(), 'faultline-home-'));
      const preload = isProduct ? null : await buildTestPreload();
      temporary = [home, ...(preload ? [preload.folder] : [])];
      app = await launch(entry, { FAULTLINE_HOME: home, ...(preload ? { TEST_PRELOAD: preload.file } : {}) });
      page = await app.firstWindow();
      trouble = watchTrouble(page);
      await page.waitForURL(/\/index\.html$/);
    });
    test.afterAll(async () => {
      await app?.close();
      for (const folder of temporary) rmSync(folder, { recursive: true, force: true });
    });

    test('opens one window on its own page', async () => {
      await expect
        .poll(() =>
          app.evaluate(({ BrowserWindow }) =>
            BrowserWindow.getAllWindows().map((window) => [window.isVisible(), window.webContents.getURL()]),
          ),
        )
        .toEqual([[true, 'app://bundle/index.html']]);
      await expect.poll(() => page.evaluate(() => document.body.childElementCount)).toBeGreaterThan(0);
      expect(await page.evaluate(() => [isSecureContext, document.styleSheets.length > 0])).toEqual([true, true]);
    });

    test('exposes its bridge to the page and nothing else of Electron or Node', async () => {
      const seen = await page.evaluate(() => {
        const { faultline } = window as unknown as Bridged;
        const leaks = [
          'require',
          'process',
          'module',
          'exports',
          'Buffer',
          'global',
          'ipcRenderer',
          'electron',
          '__standInSend',
          '__standInReceive',
          '__standInFile',
        ];
        return {
          keys: Object.keys(faultline).sort(),
          frozen: Object.isFrozen(faultline),
          leaks: leaks.filter((key) => key in window),
        };
      });
      expect(seen).toEqual({ keys: ['adoptFile', 'connect'], frozen: true, leaks: [] });
      const overwritten = await page.evaluate(() => {
        try {
          Object.assign(window, { faultline: 1 });
          return 'overwritten';
        } catch (error) {
          return (error as Error).name;
        }
      });
      expect(overwritten).toBe('TypeError');
    });

    test('answers app.info over a MessagePort', async () => {
      expect(await callFromPage(page, 'app.info', {})).toMatchObject({
        i: '1',
        p: { b: { json: { name: expect.stringMatching(/^faultline$/i), host: 'electron' } } },
      });
      expect(await callFromPage(page, 'toString', {})).toMatchObject({ p: { s: 404 } });
    });

    test('blocks navigation and new windows', async () => {
      const before = page.url();
      await page.evaluate(() => {
        location.href = 'https://evil.example/';
      });
      await page.evaluate(() => {
        const anchor = Object.assign(document.createElement('a'), { href: 'https://evil.example/x' });
        document.body.append(anchor);
        anchor.click();
        anchor.remove();
      });
      await page.waitForTimeout(300);
      expect(page.url()).toBe(before);
      const opened = await app.evaluateHandle(({ shell }) => {
        const urls: string[] = [];
        shell.openExternal = async (url: string) => void urls.push(url);
        return { urls };
      });
      expect(await page.evaluate(() => window.open('https://evil.example/popup'))).toBe(null);
      await page.evaluate(() => {
        for (const href of ['https://evil.example/blank', 'https://docs.nvidia.com/deploy/']) {
          const anchor = Object.assign(document.createElement('a'), { href, target: '_blank' });
          document.body.append(anchor);
          anchor.click();
          anchor.remove();
        }
      });
      await expect.poll(() => opened.evaluate(({ urls }) => urls)).toEqual(['https://docs.nvidia.com/deploy/']);
      expect(app.windows()).toHaveLength(1);
      expect(await callFromPage(page, 'app.info', {})).toMatchObject({ p: { b: { json: { host: 'electron' } } } });
    });

    test('turns a file on disk into a handle, and rejects a made-up one', async () => {
      const folder = realpathSync(mkdtempSync(join(tmpdir(), 'faultline-e2e-')));
      const path = join(folder, 'trace "ü" \\ 1.json');
      writeFileSync(path, '{"a":1}');
      await page.evaluate(() => {
        const input = Object.assign(document.createElement('input'), { type: 'file', id: 'chosen' });
        document.body.append(input);
      });
      await page.setInputFiles('#chosen', path);
      const adopted = await page.evaluate(async () => {
        const { faultline } = window as unknown as Bridged;
        const input = document.querySelector<HTMLInputElement>('#chosen');
        const refusal = await faultline
          .adoptFile(new File(['x'], 'made-up.json'))
          .catch((error: Error) => error.message);
        const nonsense = await faultline.adoptFile('/etc/passwd').catch((error: Error) => error.message);
        const file = await faultline.adoptFile(input?.files?.[0]);
        input?.remove();
        return { file, refusal, nonsense };
      });
      expect(adopted.file).toEqual({
        handle: expect.stringMatching(/^[0-9a-f]{32}$/),
        name: 'trace "ü" \\ 1.json',
        bytes: 7,
      });
      expect(adopted.refusal).toBe('Only files on this computer can be opened.');
      expect(adopted.nonsense).toContain('File');
      expect(JSON.stringify(adopted)).not.toContain(folder);
      rmSync(folder, { recursive: true });
    });

    test('opens files through a dialog of the main process', async () => {
      const shownDialog = await app.evaluateHandle(({ dialog }) => {
        const options: unknown[] = [];
        dialog.showOpenDialog = (async (...args: unknown[]) => {
          options.push(args.at(-1));
          return { canceled: true, filePaths: [] };
        }) as never;
        return { options };
      });
      expect(await callFromPage(page, 'files.pick', { purpose: 'import' })).toMatchObject({ p: { b: { json: [] } } });
      expect(await shownDialog.evaluate(({ options }) => options)).toMatchObject([
        { properties: ['openFile', 'multiSelections'] },
      ]);
    });

    test('has no error and no policy violation so far', () => {
      expect(trouble.filter((line) => !line.includes('evil.example'))).toEqual([]);
    });

    test('has a policy that blocks unknown scripts and the network', async () => {
      expect(await asPageCode(page, 'eval')).toBe('EvalError');
      expect(await asPageCode(page, 'function')).toBe('EvalError');
      expect(await asPageCode(page, 'wasm')).toBe('compiled');
      const blocked = await page.evaluate(async () => {
        const violations: string[] = [];
        document.addEventListener('securitypolicyviolation', (event) => violations.push(event.effectiveDirective));
        const script = Object.assign(document.createElement('script'), { textContent: 'window.injected = true' });
        const style = Object.assign(document.createElement('style'), {
          textContent: 'body { outline: 7px solid red }',
        });
        const frame = Object.assign(document.createElement('iframe'), { src: 'data:text/html,x' });
        const image = Object.assign(document.createElement('img'), { src: 'https://evil.example/x.png' });
        document.body.append(script, style, frame, image);
        document.body.setAttribute('onclick', 'window.injected = true');
        const fetched = await fetch('https://evil.example/').catch((error: Error) => error.name);
        // Reports arrive when the page is idle; six are expected.
        for (let wait = 0; wait < 100 && new Set(violations).size < 6; wait++) {
          await new Promise((resolve) => setTimeout(resolve, 30));
        }
        const outline = getComputedStyle(document.body).outlineWidth;
        for (const element of [script, style, frame, image]) element.remove();
        document.body.removeAttribute('onclick');
        return {
          fetched,
          injected: 'injected' in window,
          outlined: outline === '7px',
          violations: [...new Set(violations)].sort(),
        };
      });
      expect(blocked).toEqual({
        fetched: 'TypeError',
        injected: false,
        outlined: false,
        violations: ['connect-src', 'frame-src', 'img-src', 'script-src-attr', 'script-src-elem', 'style-src-elem'],
      });
    });

    test('reloads after a crash of its page, on request', async () => {
      test.skip(executable.name !== 'the stand-in', 'a real crash closes the debugger that this test uses');
      await app.evaluate(({ dialog }) => {
        dialog.showMessageBox = (async () => ({ response: 0, checkboxChecked: false })) as never;
      });
      const reloaded = app.evaluate(
        ({ BrowserWindow }) =>
          new Promise<string>((resolve) => {
            const contents = BrowserWindow.getAllWindows()[0]?.webContents;
            contents?.once('did-finish-load', () => resolve(contents.getURL()));
            contents?.forcefullyCrashRenderer();
          }),
      );
      expect(await reloaded).toBe('app://bundle/index.html');
    });

    test('ends when its last window is closed', async () => {
      const closed = app.waitForEvent('close');
      const child = app.process();
      await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
      await closed;
      await expect.poll(() => child.exitCode).toBe(0);
    });
  });
}
