import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { faultline } from '../support/command-line.ts';
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
  // At one instant: the plot is drawn anew when the window of the incident is known.
  const { right, labels } = await page.locator('.trace-scatter-place').evaluate((place) => ({
    right: place.querySelector('.trace-scatter')?.getBoundingClientRect().right ?? Number.NaN,
    labels: [...place.querySelectorAll('.scatter-axis span')].map((label) => label.getBoundingClientRect().toJSON()),
  }));
  expect(labels.length).toBeGreaterThanOrEqual(2);
  expect(Math.min(...labels.map(({ left }) => left))).toBeGreaterThanOrEqual(right);
  const byHeight = labels.toSorted((a, b) => a.top - b.top);
  for (const [at, { top }] of byHeight.entries())
    expect(top).toBeGreaterThanOrEqual((byHeight[at - 1]?.bottom ?? 0) - 1);
});

test('a low window lists the GPUs that differ, and the lanes of one of them below, not over them', async ({ page }) => {
  for (const [width, height] of [
    [900, 600],
    [640, 400],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.goto(await served.reuse(join(folder, 'demo.faultline')));
    await page.getByTestId('view-gpus').click();
    const list = page.getByRole('region', { name: 'GPUs that differ' });
    await expect(list.getByRole('row').nth(1)).toBeVisible();
    const [rows, detail] = [await list.boundingBox(), await page.locator('.gpus-detail').boundingBox()];
    expect((rows?.y ?? 0) + (rows?.height ?? Number.NaN)).toBeLessThanOrEqual(detail?.y ?? 0);
    const row = await list.getByRole('row').nth(1).boundingBox();
    expect((row?.y ?? 0) + (row?.height ?? Number.NaN)).toBeLessThanOrEqual(detail?.y ?? 0);
    expect(rows?.height).toBeGreaterThan(100);
  }
});

test('in a narrow window a repair has its outcome in sight, and the fleet is one page that scrolls', async ({
  page,
}) => {
  await page.setViewportSize({ width: 900, height: 600 });
  await faultline('demo', '--scenario', 'worn-parts', join(folder, 'worn'));
  await page.goto(await served.reuse(join(folder, 'worn', 'worn-parts.faultline')));
  await page.getByTestId('view-lifecycle').click();
  const repair = page.getByRole('table', { name: 'Repairs' }).getByRole('row').nth(1);
  await expect(repair.getByText('node unquarantined')).toBeInViewport({ ratio: 1 });
  await page.getByRole('tab', { name: /^Parts/ }).click();
  await expect(page.getByText('burn-in passed, back in service')).toBeInViewport({ ratio: 1 });

  await page.goto(await served.reuse());
  await page.getByTestId('open-fleet').click();
  const fleet = page.getByTestId('fleet-dialog');
  await expect(fleet.getByLabel('tenant', { exact: true })).toBeVisible();
  const scrolling = await fleet.evaluate((dialog) =>
    [...dialog.querySelectorAll('*:not(textarea, input)')]
      .filter((part) => part.scrollHeight > part.clientHeight + 1 && getComputedStyle(part).overflowY === 'auto')
      .map(({ className }) => className),
  );
  expect(scrolling).toEqual([]);
});

test('in a narrow window names are within their nodes of the map, and sources of several days show their rejects', async ({
  page,
}) => {
  await page.setViewportSize({ width: 900, height: 600 });
  await page.goto(await served.reuse(join(folder, 'demo.faultline')));
  await page.getByTestId('view-topology').click();
  await expect(page.getByTestId('map-node').filter({ hasText: 'GPU-0' }).first()).toBeVisible();
  const overhangs = await page.getByTestId('map-node').evaluateAll((nodes) =>
    nodes.flatMap((node) => {
      const edge = node.querySelector('.face')?.getBoundingClientRect().right ?? Number.NaN;
      return [...node.querySelectorAll('.node-name')]
        .filter((name) => !(name.getBoundingClientRect().right <= edge - 1))
        .map(({ textContent }) => textContent);
    }),
  );
  expect(overhangs).toEqual([]);

  for (const day of ['01', '03']) {
    const lines = Array.from({ length: 20 }, (_, at) => ({
      time: `2026-05-${day}T10:00:${10 + at}Z`,
      message: 'a line',
    }));
    await writeFile(join(folder, `${day}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
  await faultline('import', join(folder, 'days.faultline'), join(folder, '01.jsonl'), join(folder, '03.jsonl'));
  await page.goto(await served.reuse(join(folder, 'days.faultline')));
  await page.getByTestId('view-sources').click();
  const sources = page.getByRole('table', { name: 'Sources' });
  await expect(sources.getByRole('row').nth(1)).toContainText('2026-05-01 10:00:10');
  await expect(sources.getByRole('columnheader', { name: 'rejects' })).toBeInViewport({ ratio: 1 });
});

test('a case without repairs has no searches for their calls', async ({ page }) => {
  await page.goto(await served.reuse(join(folder, 'demo.faultline')));
  await page.getByTestId('view-lifecycle').click();
  await page.getByRole('tab', { name: 'Repairs 0' }).click();
  await expect(page.getByText(/^No node repairs in this case/)).toBeVisible();
  await expect(page.getByRole('button', { name: /Slow database calls/ })).toHaveCount(0);
});
