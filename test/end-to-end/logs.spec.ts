import { mkdtemp } from 'node:fs/promises';
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

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-logs-'));
  served = new Served(folder);
  await demoCase(folder);
});
test.afterAll(async () => {
  await served.stop();
  await removeFolder(folder);
});

const rows = (page: Page, name: string) => page.getByRole('table', { name, exact: true }).locator('tbody tr');

test('narrows by fields, reads around a line by keyboard, and drags over the volume to set the window', async ({
  page,
}) => {
  const complaints = watch(page);
  await page.goto(await served.reuse(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
  await page.keyboard.press('f');
  await page.getByTestId('view-logs').click();
  const fields = page.getByTestId('log-facets');
  await expect(page.getByRole('img', { name: /^Lines over time: 0 errors, 298 warnings, / })).toBeVisible();
  await fields.getByRole('button', { name: /^warn 298/ }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('log-records-count')).toHaveText('298 records');
  await expect(fields.getByRole('button', { name: /^warn/ })).toHaveAttribute('aria-pressed', 'true');
  // Figures of templates would be those of other lines.
  await expect(page.getByRole('table', { name: 'Log templates' })).toHaveCount(0);
  await fields.getByRole('button', { name: /^gpu-node-05/ }).click();
  await expect(page.getByTestId('log-records-count')).not.toHaveText('298 records');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: /^Remove the filter host\.name = gpu-node-05/ }).click();
  await expect(page.getByTestId('log-records-count')).toHaveText('298 records');

  await rows(page, 'Log records').nth(3).focus();
  const body = await rows(page, 'Log records').nth(3).locator('td').nth(3).textContent();
  await page.keyboard.press('l');
  const around = rows(page, 'Lines around a line');
  await expect(around).toHaveCount(41);
  await expect(page.locator('[data-testid="log-around"] tr[aria-current="true"]')).toContainText(body ?? '');
  // Also lines that the search leaves out.
  await expect(around.filter({ hasText: 'info' }).first()).toBeVisible();
  await page.getByLabel('Lines before and after').selectOption('5 before and after');
  await expect(around).toHaveCount(11);
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Back to the search' }).click();
  await expect(page.getByTestId('log-records-count')).toHaveText('298 records');

  const chart = page.getByTestId('log-volume').locator('svg').last();
  const box = await chart.boundingBox();
  if (!box) throw new Error('no volume');
  const before = await page.getByTestId('window-range').textContent();
  await page.mouse.move(box.x + box.width * 0.2, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.4, box.y + 20, { steps: 3 });
  await page.mouse.up();
  await expect(page.getByTestId('window-range')).not.toHaveText(before ?? '');
  await expect(page.getByText('No record matches.')).toBeVisible();
  expect(complaints).toEqual([]);
});
