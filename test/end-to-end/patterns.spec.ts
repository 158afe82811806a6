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
  folder = await mkdtemp(join(tmpdir(), 'faultline-patterns-'));
  served = new Served(folder);
  await demoCase(folder);
});
test.afterAll(async () => {
  await served.stop();
  await removeFolder(folder);
});

async function open(page: Page): Promise<string[]> {
  const consoleErrors = watch(page);
  await page.goto(await served.reuse(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
  await page.keyboard.press('>');
  await page.keyboard.type('Show Patterns');
  await page.keyboard.press('Enter');
  return consoleErrors;
}

test('a finding by keyboard: evidence, missing data, record, timeline and map', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const complaints = await open(page);
  const findings = page.getByRole('table', { name: 'Findings' });
  const sag = findings.getByRole('row').filter({ hasText: 'Power feed sag with failover' });
  await expect(sag).toContainText(/high.*PDU-B-rack-22.*3 of 4 machines.*partial: data missing \(server\)/);
  await sag.focus();
  await page.keyboard.press('Enter');
  const one = page.getByRole('region', { name: 'Finding details' });
  await expect(one).toContainText('no PSU data of gpu-node-08');
  await expect(one).toContainText('test that the redundant supply carries the load alone');
  expect(await violations(page)).toEqual([]);

  await page.keyboard.press('.');
  await expect(page.getByTestId('action-menu')).toContainText('Copy as Markdown');
  await page.keyboard.press('k');
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toMatch(
    /\*\*Power feed sag with failover\*\* \(partial: data missing \(server\).*\n[\s\S]*`event:\d+`/,
  );

  const evidence = one.getByRole('button', { name: /PDU-B-rack-22: Input voltage/ });
  await evidence.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('details')).toContainText('voltage_sag');

  await one.getByRole('button', { name: 'On the map' }).click();
  await expect(page.locator('[data-node="pdu:PDU-B-rack-22"]')).toBeVisible();
  await page.getByTestId('view-patterns').click();
  await one.getByRole('button', { name: 'In the timeline' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('lane').first()).toBeVisible();
  expect(complaints).toEqual([]);
});

test('shows only complete findings, and works in the light theme', async ({ page }) => {
  await open(page);
  const rows = page.getByRole('table', { name: 'Findings' }).getByRole('row');
  await expect(rows.nth(1)).toBeVisible();
  const all = await rows.count();
  await page.getByRole('button', { name: /^Complete/ }).click();
  await expect(rows.filter({ hasText: 'partial' })).toHaveCount(0);
  expect(await rows.count()).toBeLessThan(all);
  await page.evaluate(() => document.documentElement.setAttribute('data-theme', 'light'));
  expect(await violations(page)).toEqual([]);
});

test('a case without findings shows what was checked, and that it proves nothing', async ({ page }) => {
  const made = join(folder, 'none.faultline');
  await faultline('import', made, join(import.meta.dirname, '../../fixtures/jaeger-json/api/otlp2jaeger-out.json'));
  await page.goto(await served.reuse(made));
  await page.getByTestId('view-patterns').click();
  await expect(page.getByRole('main')).toContainText(/None of \d+ known failure patterns was found.*does not prove/);
  expect(await violations(page)).toEqual([]);
});
