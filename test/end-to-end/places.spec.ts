import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { demoCase } from '../support/demo-case.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

/** With motion, as most people have it; the other walks wait for nothing that moves. */
test.use({ contextOptions: { reducedMotion: 'no-preference' } });

let folder: string;
let served: Served;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-places-'));
  served = new Served(folder);
  await demoCase(folder);
});
test.afterAll(async () => {
  await served.stop();
  await removeFolder(folder);
});

async function open(page: Page): Promise<void> {
  await page.goto(await served.reuse(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
}

test('a copied link leads back to view, time and record, as an address and in the search', async ({
  page,
  context,
}) => {
  const consoleErrors = watch(page);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open(page);
  await page.getByTestId('view-causes').click();
  await page.getByTestId('chain-step').nth(1).click();
  const [range, playhead] = [page.getByTestId('window-range'), page.getByTestId('playhead-time')];
  const [wantedRange, wantedTime] = [await range.textContent(), await playhead.textContent()];
  await page.keyboard.press('Control+k');
  await page.getByTestId('palette').fill('copy link');
  await page.getByRole('option', { name: /Copy link/ }).click();
  await expect(page.getByText('Link copied')).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toContain('#causes?case=demo&from=');
  // Somewhere else, then back by the search.
  await page.getByTestId('view-sql').click();
  await page.getByRole('button', { name: 'Fit all' }).click();
  await expect(range).not.toHaveText(wantedRange ?? '');
  await page.keyboard.press('Control+k');
  await page.getByTestId('palette').fill(link);
  await page.getByRole('option', { name: /Go to causes/ }).click();
  await expect(range).toHaveText(wantedRange ?? '');
  await expect(playhead).toHaveText(wantedTime ?? '');
  // As an address, in a browser that was elsewhere.
  await page.getByTestId('view-sql').click();
  await page.getByRole('button', { name: 'Fit all' }).click();
  await page.goto('about:blank');
  await page.goto(link);
  await expect(page.getByTestId('chain-step').nth(1)).toBeVisible();
  await expect(range).toHaveText(wantedRange ?? '');
  await expect(page.getByTestId('details')).toContainText('psu_failover');
  expect(consoleErrors).toEqual([]);
});

test('the y-axis of a lane is set by a key, kept over a reload, and let go again', async ({ page }) => {
  const consoleErrors = watch(page);
  await open(page);
  const lane = page.locator('[data-lane="metric:pdu:PDU-B-rack-22:hw.voltage"]');
  const form = page.getByRole('form', { name: /^Y-axis of PDU-B-rack-22/ });
  // A lane has a y-axis as soon as its samples have come, which is after its label.
  const openForm = () =>
    expect(async () => {
      await lane.press('=');
      await expect(form).toBeVisible({ timeout: 500 });
    }).toPass({ timeout: 60_000 });
  await openForm();
  await form.getByRole('textbox', { name: 'least value' }).fill('300');
  await expect(form.getByRole('button', { name: 'Apply' })).toBeDisabled();
  await form.getByRole('textbox', { name: 'least value' }).fill('0');
  await form.getByRole('textbox', { name: 'greatest value' }).fill('260');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await expect(form).toBeHidden();
  await page.reload();
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
  await openForm();
  await expect(form.getByRole('textbox', { name: 'greatest value' })).toHaveValue('260');
  await form.getByRole('button', { name: 'Fit to the data' }).click();
  await expect(form).toBeHidden();
  await openForm();
  await expect(form.getByRole('textbox', { name: 'greatest value' })).not.toHaveValue('260');
  await page.keyboard.press('Escape');
  expect(consoleErrors).toEqual([]);
});

test('lanes have a skeleton until they are loaded; a note has a severity; nodes of the map move unless motion is reduced', async ({
  page,
}) => {
  const consoleErrors = watch(page);
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.routeWebSocket(/./, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage(async (message) => {
      if (String(message).includes('overview')) await held;
      server.send(message);
    });
  });
  await page.goto(await served.reuse(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('lane-skeleton')).toBeVisible();
  release();
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
  await expect(page.getByTestId('lane-skeleton')).toBeHidden();
  await page.getByRole('tab', { name: 'Notes' }).click();
  await page.getByRole('textbox', { name: 'New note' }).fill('Facilities saw a dip.');
  await page.getByRole('combobox', { name: 'Severity of the new note' }).selectOption('high');
  await page.getByRole('button', { name: 'Add note' }).click();
  const severity = page.getByRole('combobox', { name: 'Severity of the note' });
  await expect(severity).toHaveValue('high');
  await severity.selectOption('critical');
  await expect(page.getByTestId('note')).toContainText('critical');
  await page.getByTestId('view-topology').click();
  const motion = () =>
    page
      .locator('.map-node')
      .first()
      .evaluate((node) => getComputedStyle(node).transitionDuration);
  expect(await motion()).toBe('0.24s');
  await page.emulateMedia({ reducedMotion: 'reduce' });
  expect(await motion()).toBe('0s');
  expect(consoleErrors).toEqual([]);
});

test('a metric of a search is a chart with a table', async ({ page }) => {
  const consoleErrors = watch(page);
  await open(page);
  await page.getByTestId('view-traces').click();
  await page.getByTestId('traceql').fill('{ } | rate() by (resource.service.name) | topk(2)');
  await page.keyboard.press('Enter');
  const rows = page.getByRole('table', { name: 'Series of the metric' }).getByRole('row');
  await expect(rows).toHaveCount(3);
  await expect(page.locator('.metric-line')).toHaveCount(2);
  await rows.nth(1).click();
  await expect(page.locator('.metric-line.selected')).toHaveCount(1);
  expect(await violations(page)).toEqual([]);
  expect(consoleErrors).toEqual([]);
});
