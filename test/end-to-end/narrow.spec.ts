import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { demoCase } from '../support/demo-case.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

let folder: string;
let served: Served;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-narrow-'));
  served = new Served(folder);
  await demoCase(folder);
});
test.afterAll(async () => {
  await served.stop();
  await removeFolder(folder);
});

test('at 200 % zoom the chart keeps its room, the inspector opens over it, and the address leads back', async ({
  page,
}) => {
  const consoleErrors = watch(page);
  await page.setViewportSize({ width: 720, height: 450 });
  await page.goto(await served.start(join(folder, 'demo.faultline')));
  const toggle = page.getByTestId('side-toggle');
  await expect(toggle).toHaveAttribute('aria-expanded', 'false');
  const chart = await page.locator('.lane-canvas').boundingBox();
  expect(chart?.width).toBeGreaterThan(300);
  const report = await page.getByRole('button', { name: 'Report' }).last().boundingBox();
  expect((report?.x ?? 720) + (report?.width ?? 0)).toBeLessThanOrEqual(720);
  await toggle.press('Enter');
  await expect(page.getByTestId('headline')).toContainText('PDU-B-rack-22');
  await page.getByTestId('chain-step').first().click();
  await expect(page.getByTestId('details')).toContainText('voltage_sag');
  expect(await violations(page)).toEqual([]);
  await toggle.click();
  await expect(page.getByTestId('details')).toBeHidden();

  await page.getByTestId('view-logs').click();
  await expect(page).toHaveURL(/#logs$/);
  await page.getByTestId('view-sources').click();
  await page.goBack();
  await expect(page.getByTestId('view-logs')).toHaveAttribute('aria-current', 'page');
  await page.reload();
  await expect(page.getByTestId('view-logs')).toHaveAttribute('aria-current', 'page');
  expect(consoleErrors).toEqual([]);
});

test('a low window has all views in sight, and no label of the scatter plot lies on a point', async ({ page }) => {
  await page.setViewportSize({ width: 900, height: 600 });
  await page.goto(await served.reuse(join(folder, 'demo.faultline')));
  const views = page.getByRole('navigation').getByRole('button');
  await expect(views.last()).toBeInViewport({ ratio: 1 });
  await expect(views.first()).toBeInViewport({ ratio: 1 });
  await page.getByTestId('view-traces').click();
  const points = page.locator('.trace-scatter');
  await expect(points.locator('circle').first()).toBeVisible();
  const labels = await page.locator('.scatter-axis span').all();
  expect(labels.length).toBeGreaterThanOrEqual(2);
  const plot = await points.boundingBox();
  let below = -1;
  for (const label of labels) {
    const box = await label.boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual((plot?.x ?? 0) + (plot?.width ?? 0));
    expect(box?.y).toBeGreaterThan(below);
    below = (box?.y ?? 0) + (box?.height ?? 0) - 1;
  }
});
