import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { faultline } from '../support/command-line.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

let folder: string;
let served: Served;

test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-map-'));
  served = new Served(folder);
  await faultline('demo', '--dir', folder);
});
test.afterEach(async () => {
  await served.stop();
  await removeFolder(folder);
});

const nodeMark = (page: Page, entityKey: string) => page.locator(`[data-box="${entityKey}"]`);

async function openMap(page: Page): Promise<void> {
  await page.goto(await served.start(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
  await page.keyboard.press('3');
  await expect(page.getByTestId('power-map')).toBeVisible();
}

test('scrubbing plays the failure on the map', async ({ page }) => {
  const consoleErrors = watch(page);
  await openMap(page);
  const pdu = nodeMark(page, 'pdu:PDU-B-rack-22');
  await expect(pdu).toHaveAccessibleName(/voltage sag 7\.6 s ago, step 1 of the chain/);
  await expect(nodeMark(page, 'service:llama-70b')).toHaveAccessibleName(/degraded/);
  await page.getByRole('slider', { name: 'Playhead' }).focus();
  await page.keyboard.press('Home');
  await expect(pdu).toHaveAccessibleName(/^pdu PDU-B-rack-22, PDU, step 1/);
  await expect(nodeMark(page, 'service:llama-70b')).not.toHaveAccessibleName(/degraded/);
  await page.getByRole('button', { name: 'play' }).click();
  await expect(pdu).toHaveAccessibleName(/voltage sag/, { timeout: 15_000 });
  await page.getByRole('button', { name: 'pause' }).click();
  expect(consoleErrors).toEqual([]);
});

test('by keyboard alone: a thing is found, stamped, noted; the words are kept, told in the report, and undone', async ({
  page,
}) => {
  const complaints = watch(page);
  await openMap(page);
  await nodeMark(page, 'pdu:PDU-B-rack-22').focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('[data-box]:focus')).toHaveAttribute('data-box', /^server:gpu-node-0/);
  // The nearest on its left is the other feed, right above.
  await page.keyboard.press('ArrowLeft');
  await expect(page.locator('[data-box]:focus')).toHaveAttribute('data-box', 'pdu:PDU-A-rack-22');
  await page.keyboard.press('ArrowDown');
  await expect(page.locator('[data-box]:focus')).toHaveAttribute('data-box', 'pdu:PDU-B-rack-22');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('thing-panel')).toContainText('PDU-B-rack-22');
  await page.getByRole('textbox', { name: /^Words for/ }).focus();
  await page.keyboard.type('breaker was replaced last week');
  await page.keyboard.press('Enter');
  await expect(nodeMark(page, 'pdu:PDU-B-rack-22')).toHaveAccessibleName(/notes A/);
  const suspect = page.getByRole('button', { name: 'Suspect' });
  await suspect.focus();
  await page.keyboard.press('Enter');
  await expect(nodeMark(page, 'pdu:PDU-B-rack-22')).toHaveAccessibleName(/suspect/);
  await page.keyboard.press('Control+z');
  await expect(nodeMark(page, 'pdu:PDU-B-rack-22')).not.toHaveAccessibleName(/suspect/);
  await page.keyboard.press('Control+Shift+z');
  await expect(nodeMark(page, 'pdu:PDU-B-rack-22')).toHaveAccessibleName(/suspect/);
  await page.reload();
  await expect(nodeMark(page, 'pdu:PDU-B-rack-22')).toHaveAccessibleName(/suspect/);
  await page.getByRole('tab', { name: 'Notes' }).click();
  await expect(page.getByTestId('note')).toHaveCount(2);
  await page.getByRole('button', { name: 'Report' }).first().click();
  await expect(page.getByTestId('report-preview')).toContainText('breaker was replaced last week');
  await expect(page.getByTestId('report-preview')).toContainText('PDU-B-rack-22 suspect');
  expect(complaints).toEqual([]);
});

test('what differs of things selected on the map, beside all others of the time: by key, button and menu', async ({
  page,
}) => {
  const complaints = watch(page);
  await openMap(page);
  const bar = page.locator('.question-bar');
  const leave = page.getByRole('button', { name: 'Leave this region' });
  const servers = page.locator('[data-box^="server:gpu-node-0"]');
  await servers.nth(0).focus();
  await page.keyboard.press('Enter');
  await servers.nth(1).focus();
  await page.keyboard.press('Shift+Enter');
  await expect(page.locator('[data-box][aria-pressed="true"]')).toHaveCount(2);
  await page.keyboard.press('u');
  await expect(leave).toHaveText('2 things ×');
  await expect(leave).toHaveAttribute('title', /^server:gpu-node-0\d\nserver:gpu-node-0\d$/);
  await expect(page.getByLabel('against')).toHaveValue('beside');
  await expect(bar).toContainText('Chosen part of a chart');

  await page.keyboard.press('3');
  await page.getByTestId('thing-panel').getByRole('button', { name: 'What differs here' }).click();
  await expect(leave).toHaveText('2 things ×');

  await page.keyboard.press('3');
  // Of a box that is not among the selected ones it is asked alone.
  await nodeMark(page, 'pdu:PDU-B-rack-22').click({ button: 'right' });
  await page.getByRole('menuitem', { name: /What differs here/ }).click();
  await expect(leave).toHaveText('pdu:PDU-B-rack-22 ×');
  await expect(page.getByText(/attributes? (was|were) left out|Nothing differs/).first()).toBeVisible();
  expect(complaints).toEqual([]);
});

test('a server that is fed from elsewhere is ranked anew at once, and back again', async ({ page }) => {
  const complaints = watch(page);
  await openMap(page);
  await page.getByRole('tab', { name: 'Causes' }).click();
  const first = page.getByTestId('hypothesis').first();
  await expect(first).toContainText('PDU-B-rack-22');
  await nodeMark(page, 'pdu:PDU-B-rack-22').click();
  const panel = page.getByTestId('thing-panel');
  for (const server of ['gpu-node-05', 'gpu-node-06', 'gpu-node-07', 'gpu-node-08']) {
    const takeAway = panel.getByRole('button', { name: `Take away: feeds ${server}` });
    await takeAway.click();
    await expect(takeAway).toBeHidden();
  }
  await page.getByRole('tab', { name: 'Causes' }).click();
  await expect(first).not.toContainText('PDU-B-rack-22');
  for (let i = 0; i < 4; i++) await page.getByRole('button', { name: 'undo' }).click();
  await expect(first).toContainText('PDU-B-rack-22');
  expect(complaints).toEqual([]);
});

test('the map is handed out as SVG and as PNG; racks show the same things', async ({ page }) => {
  await openMap(page);
  const [drawing] = await Promise.all([page.waitForEvent('download'), page.getByTestId('export-svg').click()]);
  expect(drawing.suggestedFilename()).toBe('demo-map.svg');
  const text = await readFile(await drawing.path(), 'utf8');
  expect(text).toContain('PDU-B-rack-22');
  expect(text).toContain('<title>Power map of demo</title>');
  expect(text).not.toMatch(/var\(--|class=/);
  const [picture] = await Promise.all([page.waitForEvent('download'), page.getByTestId('export-png').click()]);
  const bytes = await readFile(await picture.path());
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  expect(bytes.length).toBeGreaterThan(10_000);
  await page.getByRole('button', { name: 'Racks' }).click();
  const rack = page.getByRole('region', { name: 'Rack rack-22' });
  await expect(rack.getByRole('button', { name: /PDU-B-rack-22/ })).toContainText('voltage sag');
  await expect(rack.getByRole('button', { name: /^gpu gpu-node-05\/GPU-/ })).toHaveCount(8);
});
