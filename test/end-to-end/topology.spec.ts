import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { demoCase } from '../support/demo-case.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

let folder: string;
let served: Served;

test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-map-'));
  served = new Served(folder);
  await demoCase(folder);
});
test.afterEach(async () => {
  await served.stop();
  await removeFolder(folder);
});

const nodeMark = (page: Page, entityKey: string) => page.locator(`[data-node="${entityKey}"]`);

async function openMap(page: Page): Promise<void> {
  await page.goto(await served.start(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
  await page.keyboard.press('3');
  await expect(page.getByTestId('power-map')).toBeVisible();
}

test('the scrubber replays the failure on the map', async ({ page }) => {
  const consoleErrors = watch(page);
  await openMap(page);
  const pdu = nodeMark(page, 'pdu:PDU-B-rack-22');
  await expect(pdu).toHaveAccessibleName(/voltage sag 7\.6 s ago, step 1 of the chain/);
  await expect(nodeMark(page, 'service:llama-70b')).toHaveAccessibleName(/degraded/);
  await page.getByRole('slider', { name: 'Playhead' }).focus();
  await page.keyboard.press('Home');
  // Nothing has happened yet: the step has no number.
  await expect(pdu).toHaveAccessibleName(/^pdu PDU-B-rack-22, PDU$/);
  await expect(nodeMark(page, 'service:llama-70b')).not.toHaveAccessibleName(/degraded/);
  await page.getByRole('button', { name: 'play' }).click();
  await expect(pdu).toHaveAccessibleName(/voltage sag/);
  await page.getByRole('button', { name: 'pause' }).click();
  expect(consoleErrors).toEqual([]);
});

test('by keyboard alone: an entity is found, stamped and noted; the annotations are stored, reported, and undone', async ({
  page,
}) => {
  const complaints = watch(page);
  await openMap(page);
  await nodeMark(page, 'pdu:PDU-B-rack-22').focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('[data-node]:focus')).toHaveAttribute('data-node', /^server:gpu-node-0/);
  // The nearest node on the left is the other PDU, right above.
  await page.keyboard.press('ArrowLeft');
  await expect(page.locator('[data-node]:focus')).toHaveAttribute('data-node', 'pdu:PDU-A-rack-22');
  await page.keyboard.press('ArrowDown');
  await expect(page.locator('[data-node]:focus')).toHaveAttribute('data-node', 'pdu:PDU-B-rack-22');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('entity-panel')).toContainText('PDU-B-rack-22');
  await page.getByRole('textbox', { name: /^Text for/ }).focus();
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

test('compares selected entities with all others at the same time: by key, button and menu', async ({ page }) => {
  const complaints = watch(page);
  await openMap(page);
  const bar = page.locator('.difference-bar');
  const leave = page.getByRole('button', { name: 'Remove this region' });
  const servers = page.locator('[data-node^="server:gpu-node-0"]');
  await servers.nth(0).focus();
  await page.keyboard.press('Enter');
  await servers.nth(1).focus();
  await page.keyboard.press('Shift+Enter');
  await expect(page.locator('[data-node][aria-pressed="true"]')).toHaveCount(2);
  await page.keyboard.press('u');
  await expect(leave).toHaveText('2 entities ×');
  await expect(leave).toHaveAttribute('title', /^server:gpu-node-0\d\nserver:gpu-node-0\d$/);
  await expect(page.getByLabel('baseline')).toHaveValue('beside');
  await expect(bar).toContainText('Chart region');

  await page.keyboard.press('3');
  await page.getByTestId('entity-panel').getByRole('button', { name: 'Show differences' }).click();
  await expect(leave).toHaveText('2 entities ×');

  await page.keyboard.press('3');
  // A node outside of the selection is compared alone.
  await nodeMark(page, 'pdu:PDU-B-rack-22').click({ button: 'right' });
  await page.getByRole('menuitem', { name: /Show differences/ }).click();
  await expect(leave).toHaveText('pdu:PDU-B-rack-22 ×');
  await expect(page.getByText(/attributes? (was|were) left out|No difference beyond chance/).first()).toBeVisible();
  expect(complaints).toEqual([]);
});

test('a server with another supply is ranked again at once, and back', async ({ page }) => {
  const complaints = watch(page);
  await openMap(page);
  await page.getByRole('tab', { name: 'Causes' }).click();
  const first = page.getByTestId('hypothesis').first();
  await expect(first).toContainText('PDU-B-rack-22');
  await nodeMark(page, 'pdu:PDU-B-rack-22').click();
  const panel = page.getByTestId('entity-panel');
  await panel.getByRole('button', { name: 'Edit links' }).click();
  for (const server of ['gpu-node-05', 'gpu-node-06', 'gpu-node-07', 'gpu-node-08']) {
    const removeLink = panel.getByRole('button', { name: `Remove link: feeds ${server}` });
    await removeLink.click();
    await expect(removeLink).toBeHidden();
  }
  await page.getByRole('tab', { name: 'Causes' }).click();
  await expect(first).not.toContainText('PDU-B-rack-22');
  for (let i = 0; i < 4; i++) await page.getByRole('button', { name: 'undo' }).click();
  await expect(first).toContainText('PDU-B-rack-22');
  expect(complaints).toEqual([]);
});

/** Of the visible texts of a node: heights in pixels, and those that leave it at the right. */
const nodeTexts = (page: Page) =>
  page.getByTestId('map-node').evaluateAll((nodes) => {
    const texts = nodes.flatMap((node) =>
      [...node.querySelectorAll<SVGTextElement>('text')].filter((text) => text.getClientRects().length > 0),
    );
    const right = (element: Element | null | undefined) => element?.getBoundingClientRect().right ?? 0;
    return {
      heights: texts.map((text) => Number.parseFloat(getComputedStyle(text).fontSize) * (text.getScreenCTM()?.a ?? 0)),
      outside: texts
        .filter((text) => right(text) > right(text.closest('.map-node')?.querySelector('.face')) + 1)
        .map(({ textContent }) => textContent),
    };
  });

test('text of the map can be read at every width and zoom, and its export has all of it', async ({ page }) => {
  await openMap(page);
  for (const [width, height] of [
    [900, 600],
    [1280, 800],
    [1920, 1080],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expect(nodeMark(page, 'gpu:gpu-node-05/GPU-0')).toContainText('gpu-node-05/GPU-0');
    await expect.poll(async () => Math.min(...(await nodeTexts(page)).heights)).toBeGreaterThanOrEqual(10);
    expect((await nodeTexts(page)).outside).toEqual([]);
  }
  const zoomOut = page.getByRole('button', { name: 'Zoom out' });
  for (let times = 0; times < 5; times++) {
    await zoomOut.click();
    expect(Math.min(...(await nodeTexts(page)).heights)).toBeGreaterThanOrEqual(10);
  }
  await zoomOut.click();
  await expect(nodeMark(page, 'gpu:gpu-node-05/GPU-0').locator('.node-name')).toHaveCount(0);
  const [drawing] = await Promise.all([page.waitForEvent('download'), page.getByTestId('export-svg').click()]);
  expect(await readFile(await drawing.path(), 'utf8')).toMatch(/>gpu-node-05\/GPU-0<.*>4\.2 s ago</);
});

test('the map is exported as SVG and PNG; racks show the same entities', async ({ page }) => {
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

test('the one-line diagram states redundancy and power at the playhead, by keyboard; racks show both', async ({
  page,
}) => {
  const complaints = watch(page);
  await openMap(page);
  await page.getByRole('button', { name: 'One-line' }).press('Enter');
  const diagram = page.getByTestId('one-line');
  await expect(diagram).toContainText(/PDU-B-rack-22 feeds gpu-node-05: voltage sag/);
  await expect(diagram).toContainText(/PDU-A-rack-22 feeds gpu-node-05: alone, 3.8\d\d W/);
  await expect(diagram).toContainText('PDU-A-rack-22 feeds gpu-node-08: 1 of 2');
  await expect(diagram).toContainText(/UPS-A feeds PDU-A-rack-22: only supply, 1\d(\.\d)? kW/);
  const first = diagram.getByRole('button').first();
  await first.focus();
  await page.keyboard.press('ArrowDown');
  await expect(diagram.locator(':focus')).toHaveAccessibleName(/^pdu PDU-/);
  await page.keyboard.press('Enter');
  await expect(diagram.locator('[aria-pressed="true"]')).toHaveCount(1);
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Racks' }).press('Enter');
  const rack = page.getByRole('region', { name: 'Rack rack-22' });
  await expect(rack).toContainText(/1\d(\.\d+)? kW by its PDUs/);
  await expect(rack.getByRole('button', { name: /PDU-A-rack-22/ })).toContainText(/1\d(\.\d)? kW/);
  expect(complaints).toEqual([]);
});
