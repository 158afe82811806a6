import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { demoCase } from '../support/demo-case.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { Served } from './served.ts';

/**
 * Compares the four main views with images next to this file; `npx playwright test looks --update-snapshots` renews them after an
 * intended change. Fonts are bundled; small differences in smoothing are tolerated.
 */
let folder: string;
let served: Served;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-looks-'));
  served = new Served(folder);
  await demoCase(folder);
});
test.afterAll(() => removeFolder(folder));
test.afterEach(() => served.stop());

/** Hides what differs between runs: the duration of a query, and when a case was opened. */
async function matchesScreenshot(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.fonts.ready);
  await expect(page).toHaveScreenshot(`${name}.png`, {
    mask: [page.getByText(/^query /), page.getByText(/^opened /)],
    maxDiffPixelRatio: 0.01,
  });
}

async function open(page: Page): Promise<void> {
  await page.goto(await served.start(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('hypothesis').first()).toBeVisible();
  await expect(page.getByTestId('lane').first()).toBeVisible();
}

for (const theme of ['dark', 'light'] as const)
  test(`the main views look as they should, ${theme}`, async ({ page }) => {
    await page.addInitScript(
      (name) => localStorage.setItem('faultline.preferences', JSON.stringify({ theme: name })),
      theme,
    );
    await open(page);
    await matchesScreenshot(page, `timeline-${theme}`);
    await page.keyboard.press('2');
    await expect(page.getByRole('heading', { name: 'Hypotheses' })).toBeVisible();
    await matchesScreenshot(page, `causes-${theme}`);
    await page.keyboard.press('3');
    await expect(page.getByTestId('map-node').first()).toBeVisible();
    await matchesScreenshot(page, `topology-${theme}`);
    await page.keyboard.press('>');
    await page.keyboard.type('close case');
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('drop-zone')).toBeVisible();
    await matchesScreenshot(page, `home-${theme}`);
  });
