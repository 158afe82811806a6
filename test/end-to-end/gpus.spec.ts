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
  folder = await mkdtemp(join(tmpdir(), 'faultline-gpus-'));
  served = new Served(folder);
  await demoCase(folder);
});
test.afterAll(() => removeFolder(folder));
test.afterEach(() => served.stop());

async function open(page: Page): Promise<string[]> {
  const consoleErrors = watch(page);
  await page.goto(await served.start(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
  await page.keyboard.press('>');
  await page.keyboard.type('Show GPUs');
  await page.keyboard.press('Enter');
  return consoleErrors;
}

test('finds GPUs that differ by keyboard, from the fleet to one GPU and to the timeline', async ({ page }) => {
  const complaints = await open(page);
  const differ = page.getByRole('table', { name: 'GPUs that differ' });
  const clocks = differ.getByRole('row').filter({ hasText: 'clock.sm' });
  await expect(clocks).toContainText(/32 GPUs on gpu-node-0.*9\d\d.*MHz.*usual.*1.9\d\d MHz/);
  await expect(differ.getByRole('row')).toHaveCount(4);
  await clocks.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('gpu-metric')).toHaveValue(/clock\.sm$/);
  const detail = page.getByRole('region', { name: 'GPU details' });
  await expect(detail).toContainText('gpu-node-05');
  await expect(detail).toContainText('llama-70b');
  await expect(detail.getByRole('listitem').filter({ hasText: 'throttle reason' })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  // At this scale the playhead is within reach of a mark, so the value names the event.
  await page.keyboard.press('f');
  await expect(detail.getByRole('listitem').filter({ hasText: 'events' })).toContainText('power cap applied');

  const map = page.getByTestId('heat-map');
  await map.focus();
  await page.keyboard.press('Home');
  await expect(detail).toContainText('gpu-node-01');
  await page.keyboard.press('ArrowDown');
  await expect(page.locator('.heat-map-words')).toContainText(/gpu-node-01 GPU-1 02:18:\d\d.* MHz embeddings/);
  await page.keyboard.press('.');
  await expect(page.getByTestId('action-menu')).toContainText('Focus on this entity');
  await page.keyboard.press('Escape');
  await detail.getByRole('button', { name: 'in the timeline' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('lane').first()).toBeVisible();
  expect(complaints).toEqual([]);
});

test('all GPUs are listed with their errors, sorted, and filtered by what used them, by keyboard', async ({ page }) => {
  const complaints = await open(page);
  await page.keyboard.press('f');
  const tabs = page.getByRole('tablist', { name: 'Lists of GPUs' });
  await tabs.getByRole('tab', { name: 'Different' }).focus();
  await page.keyboard.press('ArrowRight');
  const all = page.getByRole('table', { name: 'GPUs with their errors' });
  await expect(all).toHaveAttribute('aria-rowcount', '129');
  // Twice: the most first.
  const xid = all.getByRole('columnheader', { name: 'Xid' }).getByRole('button');
  await xid.press('Enter');
  await xid.press('Enter');
  await expect(all.getByRole('row').nth(1)).toContainText(/gpu-node-03 GPU-5\s*13/);
  await page.getByTestId('gpu-work').selectOption('service:llama-70b');
  await expect(all).toHaveAttribute('aria-rowcount', '33');
  await expect(tabs.getByRole('tab', { name: 'All 32' })).toBeVisible();
  await all.getByRole('row').nth(1).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'GPU details' })).toContainText('gpu-node-0');
  expect(await violations(page)).toEqual([]);
  await page.getByTestId('gpu-work').selectOption('');
  await tabs.getByRole('tab', { name: 'Different' }).click();
  expect(complaints).toEqual([]);
});

test('a case without GPUs shows what to import', async ({ page }) => {
  const made = join(folder, 'none.faultline');
  await faultline('import', made, join(import.meta.dirname, '../../fixtures/aws-health/drive-degraded.json'));
  await page.goto(await served.start(made));
  await page.getByTestId('view-gpus').click();
  await expect(page.getByRole('main')).toContainText(/No GPUs in this case/);
  expect(await violations(page)).toEqual([]);
});
