import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Locator, type Page, test } from '@playwright/test';
import { faultline } from '../support/command-line.ts';
import { demoCase } from '../support/demo-case.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

let folder: string;
let served: Served;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-differs-'));
  served = new Served(folder);
  await demoCase(folder);
});
test.afterAll(async () => {
  await served.stop();
  await removeFolder(folder);
});

async function openDemo(page: Page): Promise<void> {
  await page.goto(await served.reuse(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
}

const table = (page: Page, name: string) => page.getByRole('table', { name, exact: true });
const rows = (page: Page, name: string) => table(page, name).locator('tbody tr');

/** Fails on axe violations in either theme. */
async function expectAccessible(page: Page): Promise<void> {
  for (const theme of ['Light theme', 'Dark theme']) {
    await page.keyboard.press('>');
    await page.keyboard.type(theme);
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('palette')).toBeHidden();
    expect(await violations(page)).toEqual([]);
  }
}

test('finds the new log line by keyboard, from the list to its record and its time', async ({ page }) => {
  const consoleErrors = watch(page);
  await openDemo(page);
  await page.keyboard.press('f');
  await page.keyboard.press('>');
  await page.keyboard.type('show logs');
  await page.keyboard.press('Enter');
  const first = rows(page, 'Log templates').first();
  await expect(first).toContainText('new');
  await expect(first).toContainText('scheduler: preempting sequence, kv cache full');
  await expect(rows(page, 'Log templates').filter({ hasText: 'new' })).toHaveCount(2);
  await expect(rows(page, 'Log templates').filter({ hasText: 'prefix cache hit ratio' })).toContainText('usual');
  await first.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('log-records-count')).toHaveText('103 records');
  await expectAccessible(page);
  const record = rows(page, 'Log records').first();
  await record.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('raw-record')).toContainText('kv cache full');
  await expect(page.getByTestId('playhead-time')).toContainText('02:18:1');
  await page.keyboard.press('.');
  await expect(page.getByTestId('action-menu')).toContainText('Its trace: none');
  await page.keyboard.press('Escape');
  await page.getByLabel('Search the log lines').fill('target');
  await expect(rows(page, 'Log templates')).toHaveCount(1);
  await expect(rows(page, 'Log templates').first()).toContainText('step time <*> ms exceeds target');
  await page.getByLabel('Minimum severity').selectOption('errors');
  await expect(page.getByText('No template matches the filter')).toBeVisible();
  expect(consoleErrors).toEqual([]);
});

test('compares the incident, then a brushed window, then slow spans, and opens examples', async ({ page }) => {
  const complaints = watch(page);
  await openDemo(page);
  await page.keyboard.press('u');
  await expect(page.getByRole('heading', { name: 'Incident' })).toBeVisible();
  // Of 32 GPUs whose power fell one stands for all; the others unfold below it.
  const fallen = rows(page, 'Differences').filter({ hasText: /^hw\.power.*GPU-\d/ });
  await expect(fallen).toHaveCount(1);
  const likes = fallen.getByRole('button', { name: 'and 31 like it' });
  await likes.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'fold those like it' })).toHaveAttribute('aria-expanded', 'true');
  await expect.poll(() => fallen.count()).toBeGreaterThan(5);
  await page.keyboard.press('Enter');
  await fallen.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('figure', { name: 'How the values of both sides lie' })).toContainText(
    /region: median 30\d(\.\d)? W, 80 % between .* of \d+ samples/,
  );
  await page.getByRole('tab', { name: /^Spans/ }).focus();
  await page.getByRole('tab', { name: /^Spans/ }).click();
  const first = rows(page, 'Differences').first();
  await expect(first).toContainText('generate of llama-70b');
  await expect(first).toContainText('ms');
  await first.focus();
  await page.keyboard.press('Enter');
  await expect(rows(page, 'Examples').first()).toContainText('llama-70b generate');
  await expectAccessible(page);
  await rows(page, 'Examples').first().focus();
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('raw-record')).toContainText('generate');
  await page.keyboard.press('1');
  // From the playhead, within the incident, for five seconds.
  await page.keyboard.press('b');
  for (let i = 0; i < 5; i++) await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('b');
  await page.getByRole('button', { name: 'Show differences' }).press('Enter');
  await expect(page.getByRole('heading', { name: 'Brushed window' })).toBeVisible();
  // All other rows hold the rest of the incident.
  await expect(page.getByLabel('baseline')).toHaveValue('quiet');
  await page.getByLabel('baseline').selectOption('everything else');
  await expect(page.getByText(/The baseline contains the rest of the incident/)).toBeVisible();
  await expect(table(page, 'Differences')).toBeVisible();
  const slow = page.getByLabel('Minimum span duration in milliseconds');
  await slow.fill('2000');
  await slow.press('Enter');
  await expect(page.getByLabel('baseline')).toHaveValue('beside');
  await expect(page.getByText(/Spans are counted by trace/)).toBeVisible();
  expect(complaints).toEqual([]);
});

/** Shift+drag over a part of an element, in shares of its width and height. */
async function brush(page: Page, chart: Locator, from: readonly [number, number], to: readonly [number, number]) {
  const box = await chart.boundingBox();
  if (!box) throw new Error('the chart is not on screen');
  const move = ([x, y]: readonly [number, number]) => page.mouse.move(box.x + x * box.width, box.y + y * box.height);
  await page.keyboard.down('Shift');
  await move(from);
  await page.mouse.down();
  await move([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]);
  await move(to);
  await page.mouse.up();
  await page.keyboard.up('Shift');
}

test('compares a region of any chart: GPUs of the heat map, a log sparkline, a scatter box of traces, a waterfall', async ({
  page,
  context,
}) => {
  const complaints = watch(page);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await openDemo(page);
  const bar = page.locator('.difference-bar');
  await page.keyboard.press('f');
  await page.getByTestId('view-gpus').click();
  const map = page.getByTestId('heat-map');
  await expect(map).toBeVisible();
  await brush(page, map, [0.605, 0.26], [0.695, 0.49]);
  await expect(page.locator('.heat-map-row')).toHaveCount(1);
  await page.keyboard.press('u');
  await expect(bar).toContainText(/gpu:gpu-node-05\/GPU-\d and \d+ more/);
  await expect(page.getByLabel('baseline')).toHaveValue('beside');
  await expect(rows(page, 'Differences').first()).toContainText(/hw\.gpu\.|gpu\./);
  await page.getByLabel('baseline').selectOption('rest');
  await expect(rows(page, 'Differences').first()).toContainText(/hw\.temperature.*gpu-node-0[5-8]/);
  await rows(page, 'Differences').first().focus();
  await page.keyboard.press('y');
  await expect.poll(clipboard).toMatch(/^entity:gpu:gpu-node-0[5-8]\/GPU-\d$/);
  await page.getByRole('button', { name: /^Remove the filter for \d+ entities/ }).click();
  await expect(bar).not.toContainText('more ×');

  // By keyboard: rows are added one by one, and the playhead brushes.
  await page.getByTestId('view-gpus').click();
  await map.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByTestId('view-differences').click();
  await expect(bar.getByRole('button', { name: /^Remove the filter for gpu:/ })).toHaveCount(2);
  await bar
    .getByRole('button', { name: /^Remove the filter for gpu:/ })
    .first()
    .click();

  await page.getByTestId('view-logs').click();
  const course = rows(page, 'Log templates').first().locator('svg');
  await brush(page, course, [0.2, 0.5], [0.5, 0.5]);
  await expect(page.locator('.sparkline-brush').first()).toBeAttached();
  await expect(page.getByTestId('log-records-count')).toHaveCount(0);
  await rows(page, 'Log templates').first().focus();
  await page.keyboard.press('y');
  await expect.poll(clipboard).toMatch(/^log:/);
  await page.keyboard.press('u');
  const ofLogs = await bar.getByTitle('Show on the timeline').textContent();

  await page.getByTestId('view-traces').click();
  await rows(page, 'Traces found').first().click();
  const bars = page.getByTestId('waterfall-canvas');
  await expect(page.getByRole('treeitem').first()).toBeVisible();
  await brush(page, bars, [0.2, 0.2], [0.7, 0.4]);
  await page.keyboard.press('u');
  await expect(page.getByRole('heading', { name: 'Brushed window' })).toBeVisible();
  await expect(bar.getByTitle('Show on the timeline')).not.toHaveText(ofLogs ?? '');

  await page.getByTestId('view-traces').click();
  await page.getByRole('button', { name: 'Close the trace' }).click();
  await brush(page, page.locator('.trace-scatter'), [0.5, 0.1], [0.7, 0.5]);
  await expect(bar.getByRole('button', { name: 'Remove this region' })).toHaveText(/^spans of .+ m?s to .+ s ×$/);
  expect(complaints).toEqual([]);
});

test('a log line opens its trace, and a span the logs of its trace; a case without logs shows what to import', async ({
  page,
}) => {
  const complaints = watch(page);
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const at = (second: number): string => String(1_767_225_600_000_000_000n + BigInt(second) * 1_000_000_000n);
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'api' } }] };
  const span = { traceId: trace, spanId: 'b7ad6b7169203331', name: 'GET /', kind: 2 };
  const spans = [{ ...span, startTimeUnixNano: at(10), endTimeUnixNano: at(12) }];
  const line = { timeUnixNano: at(11), severityNumber: 17, body: { stringValue: 'upstream refused' } };
  const logRecords = [
    { ...line, traceId: trace, spanId: span.spanId },
    { ...line, timeUnixNano: at(60) },
    { ...line, timeUnixNano: at(70), body: { stringValue: `a heap ${'x'.repeat(2_000_000)}` } },
  ];
  const files = [join(folder, 'traces.json'), join(folder, 'logs.json')] as const;
  await writeFile(files[0], JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }));
  await writeFile(files[1], JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] }));
  await faultline('import', join(folder, 'both.faultline'), ...files);
  await page.goto(await served.reuse(join(folder, 'both.faultline')));
  await page.getByTestId('view-logs').click();
  const template = rows(page, 'Log templates').first();
  await expect(template).toContainText('no history');
  await template.focus();
  await page.keyboard.press('Enter');
  await expect(rows(page, 'Log records')).toHaveCount(2);
  await rows(page, 'Log records').first().focus();
  await page.keyboard.press('v');
  await expect(page.locator(`[data-trace="${trace}"]`)).toContainText('1 span of 1 service');
  await expect(page.getByTestId('details')).toContainText('GET /');
  await page.getByRole('button', { name: 'Close the trace' }).click();
  await page.getByTestId('view-timeline').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('o');
  await expect(page.locator(`[data-trace="${trace}"]`)).toBeVisible();
  await page.getByRole('button', { name: 'Close the trace' }).click();
  await page.getByRole('button', { name: 'Open its trace' }).click();
  await expect(page.locator(`[data-trace="${trace}"]`)).toBeVisible();
  await page.getByTestId('view-logs').focus();
  await page.keyboard.press('v');
  await expect(page.getByRole('button', { name: 'Remove the trace filter' })).toBeVisible();
  await expect(rows(page, 'Log records')).toHaveCount(1);
  await page.keyboard.press('1');
  const lane = page.locator('[data-lane="logs:service:api"]');
  await lane.focus();
  await page.keyboard.press('v');
  await expect(page.getByRole('button', { name: 'Remove the filter for service:api' })).toBeVisible();
  await rows(page, 'Log templates').filter({ hasText: 'a heap' }).click();
  await rows(page, 'Log records').filter({ hasText: 'a heap' }).first().click({ timeout: 60_000 });
  await expect(page.getByRole('button', { name: /2\.0 M more characters/ }).first()).toBeVisible();
  await page.getByTestId('view-differences').click();
  await expect(page.getByText(/Nothing is brushed and no incident was found/)).toBeVisible();
  expect(complaints).toEqual([]);
});
