import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { removeFolder } from '../support/remove-folder.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

const DCGM = join(import.meta.dirname, '../../fixtures/prometheus/dcgm-exporter-8xh100.prom');

let folder: string;
let served: Served;
let exporter: Server;
/** Number of GPUs of the exporter. */
let gpus = 2;

test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-live-views-'));
  served = new Served(folder);
  const text = await readFile(DCGM, 'utf8');
  gpus = 2;
  exporter = createServer((_, response) => {
    const reducedLines = text.split('\n').filter((line) => Number(/gpu="(\d+)"/.exec(line)?.[1] ?? 0) < gpus);
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(reducedLines.join('\n'));
  });
  await new Promise<void>((resolve) => exporter.listen(0, '127.0.0.1', resolve));
});
test.afterEach(async () => {
  await served.stop();
  exporter.close();
  await removeFolder(folder);
});

const receiver = '{kind: otlp, name: telemetry, grpc: null, http: "127.0.0.1:0"}';
const scraped = (): string => {
  const { port } = exporter.address() as AddressInfo;
  return `{kind: prometheus, name: gpus, url: "http://127.0.0.1:${port}/metrics", every_s: 1}`;
};

/** Starts a capture in the window; returns the OTLP address. */
async function record(page: Page, feeds: readonly string[] = [scraped(), receiver]): Promise<string> {
  await page.goto(await served.start());
  await page.getByTestId('connect-live').click();
  const file = join(folder, 'plan.yaml');
  await writeFile(file, `feeds: [${feeds.join(', ')}]\n`);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: /Open a plan/ }).click();
  await (await chooser).setFiles(file);
  await expect(page.getByRole('button', { name: /Start recording/ })).toBeEnabled();
  await page.keyboard.press('Control+Enter');
  await expect(page.getByTestId('live')).toContainText(`${feeds.length} up`);
  await page.getByTestId('live').getByRole('button', { name: /live/ }).click();
  const about = page.getByRole('table', { name: 'Live feeds' }).getByRole('cell').filter({ hasText: 'http 127' });
  return `http://${/http (127\.0\.0\.1:\d+)/.exec((await about.textContent()) ?? '')?.[1]}`;
}

const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'checkout' } }] };
const now = (): string => String(BigInt(Date.now()) * 1_000_000n);

async function post(url: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(answer.status).toBe(200);
}

const log = (url: string, text: string): Promise<void> =>
  post(`${url}/v1/logs`, {
    resourceLogs: [
      {
        resource,
        scopeLogs: [{ logRecords: [{ timeUnixNano: now(), severityNumber: 17, body: { stringValue: text } }] }],
      },
    ],
  });

const span = (url: string, name: string, service: string): Promise<void> => {
  const ids = {
    traceId: crypto.randomUUID().replaceAll('-', ''),
    spanId: crypto.randomUUID().slice(-12).padStart(16, '1'),
  };
  const times = { startTimeUnixNano: now(), endTimeUnixNano: now() };
  const named = { attributes: [{ key: 'service.name', value: { stringValue: service } }] };
  return post(`${url}/v1/traces`, {
    resourceSpans: [{ resource: named, scopeSpans: [{ spans: [{ ...ids, ...times, name }] }] }],
  });
};

const show = (page: Page, view: string) => page.getByTestId(`view-${view}`).click();

test('in a narrow window the bar of a capture cuts no button, and reaches no further than the window', async ({
  page,
}) => {
  const consoleErrors = watch(page);
  await page.setViewportSize({ width: 900, height: 600 });
  await record(page);
  const cut = await page
    .locator('.top-bar button')
    .evaluateAll((buttons) =>
      buttons
        .filter((one) => one.scrollWidth > one.clientWidth || one.getBoundingClientRect().right > innerWidth)
        .map((one) => one.textContent),
    );
  expect(cut).toEqual([]);
  await expect(page.locator('.top-bar .find')).toContainText('Search');
  expect(consoleErrors).toEqual([]);
});

test('open views show new data, stop while the window is paused, and continue', async ({ page }) => {
  const consoleErrors = watch(page);
  const url = await record(page);

  await show(page, 'gpus');
  const fleet = page.locator('.gpus-bar');
  await expect(fleet).toContainText('2 GPUs');
  gpus = 3;
  await expect(fleet).toContainText('3 GPUs');

  await show(page, 'logs');
  await log(url, 'the disk is full');
  const logs = page.getByRole('region', { name: 'Logs', exact: true });
  await expect(logs).toContainText('the disk is full');
  await log(url, 'the fan has stopped');
  await expect(logs).toContainText('the fan has stopped');

  await show(page, 'patterns');
  const patterns = page.getByRole('region', { name: 'Patterns', exact: true });
  await expect(patterns).toContainText('known failure patterns');
  await log(url, 'write failed: No space left on device');
  await expect(patterns.getByRole('table', { name: 'Findings' })).toContainText(
    'checkout ran out of file system space',
  );

  await show(page, 'topology');
  const map = page.getByRole('region', { name: 'Topology', exact: true });
  await expect(map).not.toContainText('late-comer');
  await span(url, 'GET /cart', 'late-comer');
  await expect(map).toContainText('late-comer');

  await show(page, 'logs');
  const live = page.getByTestId('live');
  await live.getByRole('button', { name: 'Pause' }).click();
  await log(url, 'while paused');
  // The log line has arrived, as the check below shows, and more has arrived since.
  await expect(page.getByText(/4 log records/)).toBeVisible();
  await span(url, 'GET /cart', 'late-comer');
  await expect(page.getByText(/2 spans/)).toBeVisible();
  await expect(logs).toContainText('the disk is full');
  await expect(logs).not.toContainText('while paused');
  await live.getByRole('button', { name: 'Catch up' }).click();
  await expect(logs).toContainText('while paused');
  expect(consoleErrors).toEqual([]);
});

test('a reloaded window follows again, and a paused one stays paused', async ({ page }) => {
  await record(page);
  await show(page, 'timeline');
  const button = (name: string) => page.getByTestId('live').getByRole('button', { name });
  await expect(button('Pause')).toBeVisible();
  await page.reload();
  await expect(button('Pause')).toBeVisible();
  await page.getByTestId('timeline-canvas').first().focus();
  await page.keyboard.press('Space');
  await expect(button('Catch up')).toBeVisible();
  const range = page.getByTestId('window-range');
  const before = await range.textContent();
  await page.reload();
  await expect(button('Catch up')).toBeVisible();
  await expect(range).toHaveText(before ?? '');
});

/** Requests of a service, ten per second; the last ends now. */
function requests(url: string, { seconds, fail }: { seconds: number; fail: boolean }): Promise<void> {
  const named = { attributes: [{ key: 'service.name', value: { stringValue: 'checkout' } }] };
  const last = BigInt(Date.now()) * 1_000_000n;
  const spans = Array.from({ length: seconds * 10 }, (_, at) => {
    const end = last - BigInt(at) * 100_000_000n;
    return {
      traceId: crypto.randomUUID().replaceAll('-', ''),
      spanId: crypto.randomUUID().slice(-12).padStart(16, '1'),
      name: 'POST /cart',
      kind: 2,
      startTimeUnixNano: String(end - 20_000_000n),
      endTimeUnixNano: String(end),
      status: { code: fail ? 2 : 0 },
    };
  });
  return post(`${url}/v1/traces`, { resourceSpans: [{ resource: named, scopeSpans: [{ spans }] }] });
}

test('the last data before all feeds stop is analysed, although nothing follows', async ({ page }) => {
  const url = await record(page, [receiver]);
  await requests(url, { seconds: 300, fail: false });
  await expect(page.getByText('No service or job took longer')).toBeVisible();
  // Correlation pauses after that; this arrives during the pause.
  await requests(url, { seconds: 60, fail: true });
  await expect(page.getByTestId('incident')).toContainText('checkout');
});
