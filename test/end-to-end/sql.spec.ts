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
  folder = await mkdtemp(join(tmpdir(), 'faultline-sql-'));
  served = new Served(folder);
  await demoCase(folder);
});
test.afterAll(async () => {
  await served.stop();
  await removeFolder(folder);
});

const editor = (page: Page) => page.getByRole('textbox', { name: 'SQL' });

async function open(page: Page): Promise<string[]> {
  const consoleErrors = watch(page);
  await page.goto(await served.reuse(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
  await page.getByTestId('view-sql').focus();
  await page.keyboard.press('Enter');
  await expect(editor(page)).toBeVisible();
  return consoleErrors;
}

/** Replaces the text in the editor by keyboard. */
async function write(page: Page, sql: string): Promise<void> {
  await editor(page).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(sql);
}

async function runQuery(page: Page, sql: string): Promise<void> {
  await write(page, sql);
  await page.keyboard.press('Control+Enter');
}

const answer = (page: Page) => page.getByRole('table', { name: 'Result rows' });

test('a query is typed with completion, run, drawn, and added as a lane until undone', async ({ page }) => {
  const complaints = await open(page);
  await write(page, 'select severity, count(*) as n from events group by all order by sev');
  await page.keyboard.type('e');
  await expect(page.getByRole('option', { name: /severity.*events/ })).toBeVisible();
  // The editor ignores Enter right after the completion list appears.
  await page.waitForTimeout(200);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByTestId('sql-count')).toContainText('4 rows');
  await expect(answer(page)).toContainText('critical');
  expect(await violations(page)).toEqual([]);

  await runQuery(
    page,
    `select time_bucket(interval 10 seconds, start_utc::timestamp) as time, quantile_cont(duration_ms, 0.5) as p50
     from spans where service = 'llama-70b' group by all order by time`,
  );
  await expect(answer(page)).toContainText('02:00:00');
  await page.keyboard.press('Escape');
  await page.getByRole('tab', { name: 'Chart' }).click();
  const chart = page.getByRole('application');
  await chart.focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('.chart-legend')).toContainText(/p50 [\d.,\s]+at 02:00:00.000/);
  const box = (await chart.boundingBox()) as { x: number; y: number; width: number };
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + 0.3 * box.width, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.6 * box.width, box.y + 40);
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await expect(page.locator('.chart-brush')).toHaveCount(1);
  expect(await violations(page)).toEqual([]);
  await chart.focus();
  await page.keyboard.press('u');
  await expect(page.getByRole('heading', { name: 'Brushed window' })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByTestId('view-sql').click();

  await page.getByRole('button', { name: /Save, add/ }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.type('median by hand');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await page.getByLabel('unit').fill('ms');
  await page.keyboard.press('Enter');
  const lane = page.locator('[data-testid="lane"][data-lane^="query:"]');
  await expect(lane).toContainText('median by hand');
  await lane.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toContainText('median by hand');
  expect(await violations(page)).toEqual([]);
  await lane.focus();
  await page.keyboard.press('g');
  await expect(page.getByRole('navigation', { name: 'Queries and tables' })).toContainText('median by hand lane');
  await page.keyboard.press('1');
  await expect(lane).toHaveCount(1);
  await page.keyboard.press('Control+z');
  await expect(lane).toHaveCount(0);
  expect(complaints).toEqual([]);
});

test('a result row leads to its record; rejected or wrong queries show the reason in place', async ({ page }) => {
  await open(page);
  await runQuery(page, "select time_utc, type, event_id from events where type = 'voltage_sag' limit 1");
  await answer(page).getByRole('row').nth(1).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toContainText(/voltage sag on PDU-B-rack-22/);

  await runQuery(page, 'delete from event');
  await expect(page.getByRole('alert')).toContainText('only SELECT');
  await runQuery(page, "select * from read_csv('/etc/passwd')");
  await expect(page.getByRole('alert')).toContainText('read_csv looks beyond the rows of the case');
  await runQuery(page, 'select nonsense from spans');
  await expect(page.getByRole('alert')).toContainText('nonsense');
  expect(await violations(page)).toEqual([]);
});

test('a long query can be cancelled, and the previous result stays', async ({ page }) => {
  await open(page);
  await runQuery(page, 'select 42 as answer');
  await expect(answer(page)).toContainText('42');
  await runQuery(
    page,
    'select count(*) from spans a, spans b, spans c where a.duration_ms * b.duration_ms > c.duration_ms',
  );
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('button', { name: 'Run', exact: true })).toBeEnabled();
  await expect(answer(page)).toContainText('42');
});

test('a query that came with the case must be read before it runs, and is known afterwards', async ({ page }) => {
  await open(page);
  await runQuery(page, 'select start_utc, duration_ms from spans');
  await expect(page.getByTestId('sql-count')).toContainText('rows');
  await page.getByRole('button', { name: /Save, add/ }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.type('from a colleague');
  await page.keyboard.press('Enter');
  const saved = page.getByRole('navigation', { name: 'Queries and tables' }).getByText('from a colleague');
  await expect(saved).toBeVisible();
  await served.stop();

  const elsewhere = new Served(join(folder, 'elsewhere'));
  try {
    await page.goto(await elsewhere.start(join(folder, 'demo.faultline')));
    await page.getByTestId('view-sql').click();
    await saved.focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('alert')).toContainText('came with the case and was never run on this machine');
    await expect(editor(page)).toContainText('duration_ms');
    expect(await violations(page)).toEqual([]);
    await editor(page).focus();
    await page.keyboard.press('Control+Enter');
    await expect(answer(page)).toBeVisible();
    await saved.focus();
    await page.keyboard.press('Enter');
    await expect(answer(page)).toBeVisible();
    await expect(page.getByRole('alert')).toHaveCount(0);
  } finally {
    await elsewhere.stop();
  }
});
