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
  folder = await mkdtemp(join(tmpdir(), 'faultline-search-'));
  served = new Served(folder);
  await demoCase(folder);
});
test.afterAll(async () => {
  await served.stop();
  await removeFolder(folder);
});

test('a search is completed by keyboard from the names and values of the case', async ({ page }) => {
  const complaints = watch(page);
  await page.goto(await served.reuse(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
  await page.getByTestId('view-traces').click();
  await page.getByRole('checkbox', { name: 'entire case' }).check();
  const field = page.getByTestId('traceql');
  const choices = page.getByRole('listbox', { name: 'Completions' });
  await field.focus();
  await page.keyboard.type('{ host');
  const host = choices.getByRole('option', { name: /^resource\.host\.name .* spans$/ });
  await expect(host).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('ArrowDown');
  await expect(host).toHaveAttribute('data-active-item', 'true');
  await page.keyboard.press('Enter');
  await expect(field).toHaveValue('{ resource.host.name ');
  await page.keyboard.type('= 05');
  await expect(choices.getByRole('option', { name: /^"gpu-node-05" / })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(field).toHaveValue('{ resource.host.name = "gpu-node-05" ');
  await page.keyboard.type('&& sta');
  await expect(choices.getByRole('option').first()).toHaveText(/^status/);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.keyboard.type('= err');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.keyboard.type('}');
  await expect(field).toHaveValue('{ resource.host.name = "gpu-node-05" && status = error }');
  // Without an active choice Enter runs the search.
  await page.keyboard.press('Enter');
  await expect(choices).toBeHidden();
  await expect(page.getByRole('table', { name: 'Traces found' }).locator('tbody tr').first()).toContainText('▲');
  expect(complaints).toEqual([]);
});

test('services of the window: who calls whom, against before, and a call leads to its traces', async ({ page }) => {
  const complaints = watch(page);
  await page.goto(await served.reuse(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
  await page.getByTestId('view-traces').click();
  await page.getByRole('tab', { name: 'Services' }).click();
  const view = page.getByTestId('service-view');
  await expect(view.getByRole('button', { name: /^llama-70b: / })).toBeVisible();
  await view.getByRole('checkbox', { name: 'against as long before' }).check();
  const call = view.getByRole('button', { name: /^chat-api calls llama-70b: / });
  await expect(call).toHaveAccessibleName(/(slower|failing).*p95 .* → .*\. Search these calls$/);
  await expect(
    page
      .getByRole('table', { name: 'Calls between services' })
      .locator('tbody tr')
      .filter({ hasText: 'slower' })
      .first(),
  ).toContainText('llama-70b');
  for (const theme of ['Light theme', 'Dark theme']) {
    await page.keyboard.press('Control+k');
    await expect(page.getByTestId('palette')).toBeVisible();
    await page.keyboard.type(`>${theme}`);
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('palette')).toBeHidden();
    expect(await violations(page)).toEqual([]);
  }
  await call.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('traceql')).toHaveValue(
    '{ resource.service.name = "chat-api" } > { resource.service.name = "llama-70b" }',
  );
  await expect(page.getByRole('table', { name: 'Traces found' }).locator('tbody tr').first()).toContainText('chat-api');
  expect(complaints).toEqual([]);
});

test('a metric is drawn as a lane of the timeline, and compare lists what differs', async ({ page }) => {
  const complaints = watch(page);
  await page.goto(await served.reuse(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
  await page.getByTestId('view-traces').click();
  await page.getByRole('checkbox', { name: 'entire case' }).check();
  const field = page.getByTestId('traceql');
  const ask = async (query: string): Promise<void> => {
    await field.fill(query);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
  };
  await ask('{ } | compare({ status = error })');
  await expect(page.getByTestId('compared-spans')).toContainText(/^[\d,]+ selected spans, [\d,]+ others/);
  const table = page.getByRole('table', { name: 'Values that the selection has' });
  await expect(table.locator('tbody tr').first()).toContainText('hardly');
  expect(await violations(page)).toEqual([]);
  await ask('{ status = error } | rate() by (resource.service.name)');
  const button = page.getByRole('button', { name: 'Draw as a lane' });
  await expect(button).toBeDisabled();
  await page.getByRole('table', { name: 'Series of the metric' }).locator('tbody tr').first().click();
  await button.click();
  await expect(page.getByRole('button', { name: 'Remove the lane' })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.getByTestId('view-timeline').click();
  const lane = page.locator('[data-testid=lane][data-lane^="search:"]');
  await expect(lane).toBeVisible();
  await lane.click({ button: 'right' });
  await page.getByRole('menuitem', { name: /Open its search/ }).click();
  await expect(field).toHaveValue('{ status = error } | rate() by (resource.service.name)');
  await page.getByTestId('view-timeline').click();
  await lane.click({ button: 'right' });
  await page.getByRole('menuitem', { name: /Remove this lane/ }).click();
  await expect(lane).toHaveCount(0);
  expect(complaints).toEqual([]);
});
