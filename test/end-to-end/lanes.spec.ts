import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { faultline } from '../support/command-line.ts';
import { demoCase } from '../support/demo-case.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

let folder: string;
let served: Served;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-lanes-'));
  served = new Served(folder);
  await demoCase(folder);
});
test.afterAll(async () => {
  await served.stop();
  await removeFolder(folder);
});

async function open(page: Page, name: string): Promise<void> {
  await page.goto(await served.reuse(join(folder, name)));
  await expect(page.getByTestId('lane').first()).toBeVisible();
}

test('lanes are grouped by rack, server and GPU, with counts, and fold by keyboard', async ({ page }) => {
  const consoleErrors = watch(page);
  await open(page, 'demo.faultline');
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
  const group = (name: string | RegExp) => page.locator('.group-label.layer-gpu').filter({ hasText: name });
  const gpus = page.locator('[data-layer="gpu"]');
  await gpus.focus();
  const inRack = page.locator('[data-testid="lane"][data-lane^="metric:gpu:"]');
  await expect(group(/gpu-node-05.*of/)).toHaveCount(1);
  const before = await inRack.count();
  expect(before).toBeGreaterThan(0);
  await page.keyboard.press('ArrowDown');
  await expect(group('rack-22')).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(group('rack-22')).toHaveAttribute('aria-expanded', 'false');
  await expect(inRack).toHaveCount(0);
  await page.keyboard.press('ArrowRight');
  await expect(inRack).toHaveCount(before);
  await page.keyboard.press('.');
  await expect(page.getByTestId('action-menu')).toContainText('Focus on this entity');
  await page.keyboard.press('Escape');
  expect(await violations(page)).toEqual([]);
  expect(consoleErrors).toEqual([]);
});

/** Shows every lane of a layer. */
async function unfold(page: Page, layer: string): Promise<void> {
  const head = page.locator(`[data-layer="${layer}"]`);
  if ((await head.getAttribute('aria-expanded')) === 'false') await head.click();
  const more = page.locator(`.more-label.layer-${layer}`).filter({ hasText: /more/ });
  if ((await more.count()) > 0) await more.click();
}

const lane = (page: Page, id: string) => page.locator(`[data-lane="${id}"]`);

/** Position of a lane. */
async function middleOf(page: Page, id: string): Promise<number> {
  const label = lane(page, id);
  await label.scrollIntoViewIfNeeded();
  const [box, canvas] = [await label.boundingBox(), await page.getByTestId('timeline-canvas').boundingBox()];
  if (!box || !canvas) throw new Error(`${id} is not on screen`);
  return box.y + box.height / 2 - canvas.y;
}

const MOST_SWEEPS = 4;

/** Moves over a lane until the tooltip contains a text; returns the position. */
async function hoverUntil(page: Page, id: string, words: RegExp): Promise<{ x: number; y: number }> {
  const canvas = page.getByTestId('timeline-canvas');
  const box = await canvas.boundingBox();
  if (!box) throw new Error('no timeline');
  // Rows that are still being loaded move a lane away from under the pointer.
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    const y = await middleOf(page, id);
    for (let x = 4; x < box.width - 2; x += 6) {
      await canvas.hover({ position: { x, y }, force: true });
      // The tooltip is drawn with the next frame.
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
      const tip = page.getByRole('tooltip');
      const lines = await tip.locator('div').allTextContents();
      if (words.test(lines.join('\n'))) return { x, y };
    }
  }
  throw new Error(`no tooltip on ${id} contains ${words}`);
}

test('a span is a slice: its record opens by click and by key; the brush shows its statistics', async ({ page }) => {
  const complaints = watch(page);
  await open(page, 'demo.faultline');
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
  await unfold(page, 'service');
  const id = 'spans:service:llama-70b';
  const place = await hoverUntil(page, id, /generate.*\nfrom .* for/);
  await page.getByTestId('timeline-canvas').click({ position: place, force: true });
  await expect(page.getByRole('tab', { name: 'Details', selected: true })).toBeVisible();
  await expect(page.locator('.details')).toContainText('llama-70b generate');
  await lane(page, id).focus();
  await page.keyboard.press('n');
  await expect(page.locator('.details')).toContainText('generate');
  await page.keyboard.press('b');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('b');
  const figures = page.getByRole('region', { name: 'Statistics of the brushed window' });
  const row = figures.getByRole('row').filter({ hasText: 'llama-70b spans' });
  await expect(row.getByRole('cell').nth(3)).toHaveText(/(ms|s)$/);
  expect(await violations(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test('log density shows counts, and a click leads to the rows', async ({ page }) => {
  await open(page, 'demo.faultline');
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
  await unfold(page, 'service');
  const place = await hoverUntil(page, 'logs:service:llama-70b', /(warning|error|other).* near /);
  await page.getByTestId('timeline-canvas').click({ position: place, force: true });
  await expect(page.getByRole('tab', { name: 'Logs', selected: true })).toBeVisible();
  await expect(page.getByRole('table', { name: 'log rows' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Remove the filter for service:llama-70b' })).toBeVisible();
});

test('a state shows its name, and that its end was not recorded', async ({ page }) => {
  await open(page, 'demo.faultline');
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
  await unfold(page, 'power');
  const id = 'state:pdu:PDU-B-rack-22:voltage';
  await hoverUntil(page, id, /not recorded/);
  await hoverUntil(page, id, /sag, voltage state of PDU-B-rack-22/);
  await lane(page, id).focus();
  await page.keyboard.press('o');
  // Beside the lane of the impact, which is always there.
  await expect(page.locator('[data-layer="pinned"]')).toContainText('2');
});

test('a hidden lane stays away until it is shown again', async ({ page }) => {
  await open(page, 'demo.faultline');
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
  const power = lane(page, 'metric:pdu:PDU-B-rack-22:hw.power');
  await power.focus();
  await page.keyboard.press('-');
  await expect(power).toHaveCount(0);
  await page.reload();
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
  await expect(power).toHaveCount(0);
  await page.getByRole('button', { name: '1 hidden' }).click();
  await expect(power).toBeVisible();
});

test('the missing rank is visible next to the ranks that wait for it', async ({ page }) => {
  const recording = join(import.meta.dirname, '../../fixtures/flight-recorder/hang-rank5-protocol4');
  await faultline('import', join(folder, 'hang.faultline'), recording);
  await page.goto(await served.reuse(join(folder, 'hang.faultline')));
  // The job that hangs is an incident: of its ranks the one that is waited for is shown, the others on demand.
  await expect(page.getByTestId('lane-group').filter({ hasText: 'hang-rank5' })).toBeVisible();
  const ranks = page.locator('[data-lane^="collectives:rank:"]');
  await expect(ranks.first()).toBeVisible();
  await page.keyboard.press('f');
  await page
    .getByText(/^show \d+ more$/)
    .first()
    .click();
  await hoverUntil(page, 'collectives:rank:hang-rank5-protocol4/rank-5', /no all_reduce #\d+ in its record/);
  const place = await hoverUntil(page, 'collectives:rank:hang-rank5-protocol4/rank-0', /all_reduce #\d+, not through/);
  await page.getByTestId('timeline-canvas').click({ position: place, force: true });
  await expect(page.locator('.details')).toContainText('of rank hang-rank5-protocol4/rank-0');
});

test('a clock is set by moving a lane, by mouse or by key: saving ranks again, discarding or undo restores it', async ({
  page,
}) => {
  const complaints = watch(page);
  await open(page, 'demo.faultline');
  const steps = page.getByTestId('chain-step');
  await expect(steps.first()).toContainText('02:18:02.400');
  const id = 'events:server:gpu-node-05';
  const bar = page.getByRole('form', { name: 'Clock of physical-events.json' });
  // Whose clock a lane has is asked for after it is drawn.
  await expect(async () => {
    await lane(page, id).focus();
    if (await bar.isHidden()) await page.keyboard.press('Alt+ArrowRight');
    await expect(bar).toContainText('+0.10 s', { timeout: 2000 });
  }).toPass();
  await expect(lane(page, id)).toContainText('+0.10 s');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(bar).toBeHidden();
  const y = await middleOf(page, id);
  const canvas = page.getByTestId('timeline-canvas');
  const box = await canvas.boundingBox();
  if (!box) throw new Error('no timeline');
  await page.keyboard.down('Alt');
  await page.mouse.move(box.x + 100, box.y + y);
  await page.mouse.down();
  await page.mouse.move(box.x + 100 + box.width * 0.45, box.y + y, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up('Alt');
  await expect(bar).toContainText('+11.');
  // The clock of its data source alone puts it earlier.
  await hoverUntil(page, id, /recorded at .*clock of physical-events\.json \+11\..* being set/);
  await bar.getByLabel('uncertainty in seconds').fill('0.5');
  await page.keyboard.press('Enter');
  await expect(bar).toBeHidden();
  await expect(steps.filter({ hasText: '02:18:02.400' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Sources' }).click();
  await page.getByRole('tab', { name: /^Clocks/ }).click();
  const clockRow = page
    .getByRole('table', { name: 'Clocks' })
    .getByRole('row')
    .filter({ hasText: 'physical-events.json' });
  await expect(clockRow).toContainText('manual');
  await expect(clockRow).toContainText('± 0.50 s');
  await page.getByRole('button', { name: 'Timeline' }).click();
  await page.getByRole('tab', { name: 'Notes' }).click();
  await expect(page.getByTestId('note')).toContainText(/clock of physical-events\.json set to \+11\.\d+ s ± 0.5 s/);
  await page.keyboard.press('Control+z');
  await expect(page.getByTestId('note')).toHaveCount(0);
  await page.getByRole('tab', { name: 'Causes' }).click();
  await expect(steps.first()).toContainText('02:18:02.400');
  expect(complaints).toEqual([]);
});
