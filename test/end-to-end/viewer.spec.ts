import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { faultline } from '../support/command-line.ts';
import { demoCase } from '../support/demo-case.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { type StaticServer, serveStatic } from '../support/static-server.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { exportedReport, investigate, watch } from './walk.ts';

let folder: string;
let bundle: string;
let server: StaticServer;
/** Of another origin, which the viewer must not reach. */
let elsewhere: StaticServer;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-viewer-'));
  await demoCase(folder);
  bundle = join(folder, 'demo.flb');
  await faultline('export', join(folder, 'demo.faultline'), '--bundle', bundle);
  const site = join(import.meta.dirname, '../../out/viewer');
  server = await serveStatic({ '/somewhere/below/': site, '/bundles/': folder });
  elsewhere = await serveStatic({ '/': folder });
});
test.afterAll(async () => {
  await server.close();
  await elsewhere.close();
  await removeFolder(folder);
});

const address = (search = ''): string => `${server.origin}/somewhere/below/${search}`;

/** Waits for the hypotheses of the demo: a WebAssembly engine on a busy machine takes its time. */
const analyzed = (page: Page): Promise<void> =>
  expect(page.getByTestId('hypothesis').first()).toContainText('PDU-B-rack-22');

async function choose(page: Page, file: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByTestId('open-files').click();
  await (await chooser).setFiles(file);
}

test('the same walk in the viewer: from a bundle to the post-mortem of the desktop app, byte for byte', async ({
  page,
}) => {
  const consoleErrors = watch(page);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(address());
  await expect(page.getByRole('heading', { name: 'Drop a bundle' })).toBeVisible();
  await expect(page.getByTestId('open-demo')).toHaveCount(0);
  await expect(page.getByTestId('connect-live')).toHaveCount(0);
  expect(await violations(page)).toEqual([]);
  await choose(page, bundle);
  await analyzed(page);
  await investigate(page);
  await page.keyboard.press('2');
  const hypotheses = await page.getByTestId('hypothesis').allTextContents();
  expect(hypotheses.length).toBeGreaterThan(2);
  expect(await violations(page)).toEqual([]);
  const { text } = await exportedReport(page);
  expect(requests.filter((url) => !url.startsWith(`${server.origin}/`) && !url.startsWith('blob:'))).toEqual([]);
  expect(consoleErrors).toEqual([]);
  // The same steps on the case itself.
  const served = new Served(folder);
  try {
    await page.goto(await served.start(join(folder, 'demo.faultline')));
    await investigate(page);
    await page.keyboard.press('2');
    expect(await page.getByTestId('hypothesis').allTextContents()).toEqual(hypotheses);
    expect(await exportedReport(page)).toEqual({ name: 'demo-post-mortem.md', text });
  } finally {
    await served.stop();
  }
});

test('changes are saved as a bundle that the command line verifies and the desktop app opens', async ({ page }) => {
  const complaints = watch(page);
  await page.goto(address('?bundle=/bundles/demo.flb'));
  await analyzed(page);
  await page.keyboard.press('2');
  await page.getByRole('button', { name: /^Confirm .*PDU-B-rack-22/ }).click();
  await expect(page.getByTestId('share')).toHaveText('Save •');
  await page.getByTestId('share').click();
  await expect(page.getByTestId('share-dialog')).toContainText('unsigned');
  expect(await violations(page)).toEqual([]);
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Control+Enter')]);
  const saved = join(folder, 'saved.flb');
  await download.saveAs(saved);
  await expect(page.getByTestId('share-done')).toContainText('Not signed');
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('share')).toHaveText('Share');
  expect(complaints).toEqual([]);
  expect(await faultline('verify', saved)).toMatchObject({ code: 0 });
  const report = await faultline('report', saved);
  expect(report.out).toContain('confirmed');
});

test('nothing leaves: neither page nor worker reaches another origin, and no request is sent', async ({ page }) => {
  await page.goto(address('?bundle=/bundles/demo.flb'));
  await analyzed(page);
  const attempt = async (origin: string): Promise<string[]> => {
    const socket = () =>
      new Promise<string>((resolve) => {
        try {
          const opened = new WebSocket(origin.replace('http', 'ws'));
          opened.onopen = () => resolve('open');
          opened.onerror = () => resolve('refused');
        } catch {
          resolve('refused');
        }
      });
    const fetched = fetch(`${origin}/leak`, { mode: 'no-cors' }).then(
      () => 'reached',
      () => 'refused',
    );
    const loaded = import(/* @vite-ignore */ `${origin}/leak.js`).then(
      () => 'reached',
      () => 'refused',
    );
    return [await fetched, await socket(), await loaded];
  };
  const refused = ['refused', 'refused', 'refused'];
  expect(await page.evaluate(attempt, elsewhere.origin)).toEqual(refused);
  expect(page.workers()).toHaveLength(1);
  for (const worker of page.workers()) expect(await worker.evaluate(attempt, elsewhere.origin)).toEqual(refused);
  const pictured = await page.evaluate(
    (origin) =>
      new Promise<string>((resolve) => {
        const image = new Image();
        image.onload = () => resolve('reached');
        image.onerror = () => resolve('refused');
        image.src = `${origin}/leak.png`;
      }),
    elsewhere.origin,
  );
  expect(pictured).toBe('refused');
  expect(elsewhere.requests).toEqual([]);
});

test('a bundle of another origin, a missing one and a modified one are rejected in one line', async ({ page }) => {
  await page.goto(address(`?bundle=${encodeURIComponent(`${elsewhere.origin}/demo.flb`)}`));
  await expect(page.getByText('which is not where this page came from')).toBeVisible();
  expect(elsewhere.requests).toEqual([]);
  await page.goto(address('?bundle=/bundles/none.flb'));
  await expect(page.getByText('none.flb cannot be fetched: the server answers 404')).toBeVisible();
  const changed = Buffer.from(await readFile(bundle));
  changed[changed.indexOf('PAR1') + 100] = changed[changed.indexOf('PAR1') + 100]! ^ 1;
  await writeFile(join(folder, 'changed.flb'), changed);
  await choose(page, join(folder, 'changed.flb'));
  await expect(page.getByText(/changed.flb is not as it was written: tables\/\w+.parquet was changed/)).toBeVisible();
  await cp(bundle, join(folder, 'notes.txt'));
  await choose(page, join(folder, 'notes.txt'));
  await expect(page.getByText('the viewer opens bundles (.flb) and imports nothing')).toBeVisible();
});

test('the bundle that the viewer saved shows its changes in the desktop app', async ({ page }) => {
  const saved = join(folder, 'saved.flb');
  const served = new Served(folder);
  try {
    await page.goto(await served.start(saved));
    await expect(page.getByTestId('hypothesis').first()).toContainText('PDU-B-rack-22');
    await expect(page.getByTestId('hypothesis').first()).toContainText('confirmed');
  } finally {
    await served.stop();
  }
});
