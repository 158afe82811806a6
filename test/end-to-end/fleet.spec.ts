import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { type ClickHouseProcess, hasClickHouse, run, startClickHouse } from '../support/clickhouse-process.ts';
import { faultline } from '../support/command-line.ts';
import { fleetPlan, fleetRowStatements, fleetSchemaOptions } from '../support/fleet-statements.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

test.skip(!hasClickHouse(), 'ClickHouse has no build for this system');

let folder: string;
let served: Served;
let archive: ClickHouseProcess;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-fleet-'));
  served = new Served(folder);
  archive = await startClickHouse();
  const { out } = await faultline('archive', 'init', 'clickhouse', ...fleetSchemaOptions);
  const { statements } = JSON.parse(out) as { readonly statements: readonly string[] };
  for (const sql of [...statements, ...fleetRowStatements]) await run(archive.url, sql);
});
test.afterAll(async () => {
  await served.stop();
  archive.end();
  await removeFolder(folder);
});

const dialogOf = (page: Page) => page.getByTestId('fleet-dialog');

/** Opens the page with the plan of the archive and the hour that it has. */
async function openFleet(page: Page): Promise<void> {
  // Home: no case is open.
  await served.stop();
  await page.goto(await served.start('--send-secrets'));
  await expect(page.getByTestId('open-fleet')).toBeEnabled();
  await page.getByTestId('open-fleet').press('Enter');
  const dialog = dialogOf(page);
  await dialog.getByLabel('The plan as the command line reads it').fill(fleetPlan(archive.url));
  await expect(dialog.getByRole('textbox', { name: 'url', exact: true })).toHaveValue(archive.url);
  await dialog.getByLabel('Day, UTC').fill('2026-05-01');
  await expect(dialog.getByLabel('To, UTC').first()).toHaveValue(/^2026-05-02T00:00/);
  await dialog.getByLabel('From, UTC').first().fill('2026-05-01T14:00:00');
  await dialog.getByLabel('To, UTC').first().fill('2026-05-01T15:00:00');
}

test('from a day of the fleet to the verdict of an impact, by keyboard', async ({ page }) => {
  const consoleErrors = watch(page);
  await openFleet(page);
  const dialog = dialogOf(page);
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Show impacts' }).press('Enter');
  await expect(dialog.getByRole('status')).toContainText('3 services with');

  // The table has in words what the heat map has in colours.
  const impacts = dialog.getByTestId('fleet-impact');
  await expect(impacts).toHaveText(['llm', 'llm', 'gateway', 'auth']);
  const heat = dialog.getByTestId('fleet-heat');
  await heat.focus();
  await page.keyboard.press('ArrowRight');
  await expect(dialog.getByTestId('fleet-cell')).toContainText('llm 2026-05-01 14:00:00 no impact');
  for (let tenths = 0; tenths < 4; tenths++) await page.keyboard.press('PageDown');
  for (let cells = 0; cells < 10; cells++) await page.keyboard.press('ArrowRight');
  await expect(dialog.getByTestId('fleet-cell')).toContainText(/llm 2026-05-01 14:2\d:\d\d [\d.]+ times worse/);
  expect(await violations(page)).toEqual([]);
  await page.screenshot({ path: test.info().outputPath('fleet.png') });
  await page.keyboard.press('Enter');

  // An impact with those at the same time, the time before it as its baseline, and what that would be.
  await expect(dialog.getByTestId('fleet-chosen')).toContainText(/^llm: [\d.]+ times worse from 2026-05-01 14:2/);
  await expect(dialog.getByLabel('Services').last()).toHaveValue('llm, gateway');
  await expect(dialog.getByTestId('pull-plan')).toContainText(/about [\d.]+ k rows/);
  await page.screenshot({ path: test.info().outputPath('fleet-chosen.png') });
  await page.keyboard.press('Control+Enter');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByTestId('incident').first()).toContainText(/gateway|llm/);
  await expect(page.getByTestId('hypothesis').first()).toBeVisible();

  // From the palette, with a case open: the answer is still there.
  await page.keyboard.press('Control+K');
  await page.keyboard.type('>fleet');
  await page.keyboard.press('Enter');
  await expect(dialog.getByTestId('fleet-impact')).toHaveCount(4);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  expect(consoleErrors).toEqual([]);
});

test('a time and services are brushed with the mouse; what cannot be asked is stated in words', async ({ page }) => {
  await openFleet(page);
  const dialog = dialogOf(page);
  await dialog.getByRole('button', { name: 'Show impacts' }).click();
  const box = (await dialog.getByTestId('fleet-heat').boundingBox())!;
  await page.mouse.move(box.x + box.width * 0.7, box.y + 5);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.8, box.y + 5 + 18, { steps: 4 });
  await page.mouse.up();
  await expect(dialog.getByTestId('fleet-chosen')).toContainText(
    /^2 services: from 2026-05-01 14:4\d:\d\d UTC, for 6 m/,
  );
  await expect(dialog.getByTestId('pull-plan')).toContainText('rows');

  const text = dialog.getByLabel('The plan as the command line reads it');
  await dialog.getByText(/^Archive: http/).click();
  await text.fill('kind: clickhouse\nurl: http://127.0.0.1:1\nattempts: 1\n');
  await dialog.getByRole('button', { name: 'Show impacts' }).click();
  await expect(dialog.getByRole('alert').first()).toContainText('127.0.0.1:1');
  await text.fill(`${fleetPlan(archive.url)}traces: elsewhere\n`);
  await dialog.getByRole('button', { name: 'Show impacts' }).click();
  await expect(dialog.getByRole('alert').first()).toContainText('the archive has no table of traces');
  await expect(dialog.getByRole('alert').first()).toContainText('set database and the names of tables');
});
