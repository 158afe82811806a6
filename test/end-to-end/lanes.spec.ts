import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { faultline } from '../support/command-line.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

let folder: string;
let served: Served;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-lanes-'));
  served = new Served(folder);
  await faultline('demo', '--dir', folder);
});
test.afterAll(() => rm(folder, { recursive: true, force: true }));
test.afterEach(() => served.stop());

async function open(page: Page, name: string): Promise<void> {
  await page.goto(await served.start(join(folder, name)));
  await expect(page.getByTestId('lane').first()).toBeVisible();
}

test('lanes stand in rack, server and GPU, with counts, and fold by keyboard', async ({ page }) => {
  const complaints = watch(page);
  await open(page, 'demo.faultline');
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
  const group = (name: string | RegExp) => page.getByTestId('lane-group').filter({ hasText: name });
  const gpus = page.locator('[data-layer="gpu"]');
  await gpus.focus();
  const inRack = page.locator('[data-testid="lane"][data-lane^="metric:gpu:"]');
  await expect(group(/gpu-node-05.*of/)).toHaveCount(1);
  const before = await inRack.count();
  expect(before).toBeGreaterThan(0);
  await page.keyboard.press('ArrowDown');
  await expect(group('rack-22').last()).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(group('rack-22').last()).toHaveAttribute('aria-expanded', 'false');
  await expect(inRack).toHaveCount(0);
  await page.keyboard.press('ArrowRight');
  await expect(inRack).toHaveCount(before);
  await page.keyboard.press('.');
  await expect(page.getByTestId('action-menu')).toContainText('Focus the thing');
  await page.keyboard.press('Escape');
  expect(await violations(page)).toEqual([]);
  expect(complaints).toEqual([]);
});
