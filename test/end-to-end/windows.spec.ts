import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { demoCase } from '../support/demo-case.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { event } from '../support/scenario.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

let folder: string;
let served: Served;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-windows-'));
  served = new Served(folder, { own: true });
  await demoCase(folder);
});
test.afterAll(() => removeFolder(folder));
test.afterEach(() => served.stop());

const ready = (page: Page) => expect(page.getByTestId('hypothesis').first()).toBeVisible();

/** Opens one more window by its shortcut. */
async function another(page: Page): Promise<Page> {
  const [opened] = await Promise.all([page.context().waitForEvent('page'), page.keyboard.press('Alt+n')]);
  await ready(opened);
  return opened;
}

test('two windows on one case: each has its own focus, and both show new annotations', async ({ page }) => {
  const consoleErrors = watch(page);
  await page.goto(await served.start(join(folder, 'demo.faultline')));
  await ready(page);
  const other = await another(page);
  consoleErrors.push(...watch(other));
  await other.keyboard.press('3');
  await expect(other.getByRole('main')).toBeVisible();
  await expect(page.getByTestId('timeline-canvas').first()).toBeVisible();

  await page.bringToFront();
  await page.keyboard.press('m');
  await page.keyboard.type('seen in both windows');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText('seen in both windows').first()).toBeVisible();
  await other.getByRole('tab', { name: /^Notes/ }).click();
  await expect(other.getByText('seen in both windows').first()).toBeVisible();

  // Annotations of another window cannot be undone here.
  await other.keyboard.press('Escape');
  await other.keyboard.press('Control+z');
  await expect(other.getByText('nothing to undo')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+z');
  await expect(other.getByText('seen in both windows')).toHaveCount(0);
  expect(consoleErrors).toEqual([]);
});

test('closing the case in one window returns the other to Home; opening it there brings it back', async ({ page }) => {
  await page.goto(await served.start(join(folder, 'demo.faultline')));
  await ready(page);
  const other = await another(page);
  await page.keyboard.press('>');
  await page.keyboard.type('close case');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('drop-zone')).toBeVisible();
  await expect(other.getByTestId('drop-zone')).toBeVisible();
  // Home shows the case, its verdict, and its data sources.
  const recent = page.getByRole('region', { name: 'Recent cases' }).getByRole('listitem').first();
  await expect(recent).toContainText('voltage sag on PDU-B-rack-22');
  await recent.getByText('5 sources, 0 rejects').click();
  await expect(recent.getByRole('row', { name: /metrics\.jsonl\.gz otlp-json .* samples 0/ })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await other.getByTestId('open-demo').click();
  await ready(other);
  await ready(page);
});

test('the place is restored after a restart: view, time, incident', async ({ page, context }) => {
  // The same port is the same origin, which a browser needs to restore state.
  const start = () => served.start(join(folder, 'demo.faultline'), '--port', '27611');
  await page.goto(await start());
  await ready(page);
  await page.keyboard.press('w');
  await page.keyboard.press('d');
  await page.keyboard.press('3');
  await expect(page.getByTestId('timeline-canvas')).toHaveCount(0);
  const range = (await page.getByTestId('window-range').textContent()) ?? '';
  await page.close();
  await served.stop();
  const later = await context.newPage();
  await later.goto(await start());
  await ready(later);
  await expect(later.getByTestId('window-range')).toHaveText(range);
  await expect(later.getByTestId('incident').first()).toHaveAttribute('aria-pressed', 'true');
  await expect(later.getByTestId('timeline-canvas')).toHaveCount(0);
  await later.keyboard.press('1');
  await expect(later.getByTestId('window-range')).toHaveText(range);
});

test('a window that closes during an import leaves the others able to import', async ({ page, context }) => {
  const mostlyBroken = join(folder, 'events.jsonl');
  await writeFile(mostlyBroken, `{"resourceLogs":[]}\n${'{"resourceLogs": broken\n'.repeat(40)}`);
  await page.goto(await served.start(join(folder, 'demo.faultline')));
  await ready(page);
  const other = await another(page);
  const choose = async (on: Page, file: string) => {
    await on.getByTestId('case-name').click();
    const files = on.getByRole('menuitem', { name: /Import files/ });
    const [chooser] = await Promise.all([on.waitForEvent('filechooser'), files.click()]);
    await chooser.setFiles(file);
    await on.getByRole('radio', { name: /the open case/ }).check();
    await on.getByRole('button', { name: 'Import 1 source' }).click();
  };
  // The import waits for a decision that never comes.
  await choose(other, mostlyBroken);
  await expect(other.getByRole('dialog')).toContainText('could not be read');
  const whole = join(folder, 'whole.json');
  await writeFile(whole, JSON.stringify({ events: [event('e1', 1, 'redfish', 'fan_failure', 'server-9')] }));
  await page.bringToFront();
  await choose(page, whole);
  await expect(page.getByText('an import is running').first()).toBeVisible();
  await other.close();
  await choose(page, whole);
  await expect(page.getByText(/, 6 data sources/)).toBeVisible();
  await page.getByRole('button', { name: 'Sources' }).click();
  await expect(page.getByRole('table', { name: 'Sources' })).toContainText('whole.json');
  await expect(page.getByRole('table', { name: 'Sources' })).not.toContainText('events.jsonl');
  expect(context.pages()).toHaveLength(1);
});
