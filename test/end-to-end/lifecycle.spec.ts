import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { faultline } from '../support/command-line.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { repairTraces } from '../support/repair-traces.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

let folder: string;
let served: Served;

/** Five repairs, in both naming conventions of clients. */
test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-lifecycle-'));
  served = new Served(folder);
  const ends = ['repaired', 'drain failed', 'skipped', 'nothing after quarantine', 'repaired'] as const;
  const plans = ends.map((end, at) => ({
    node: `gpu-node-${at + 1}`,
    id: String(at + 1),
    at: at * 400,
    naming: at % 2 === 0 ? ('operation' as const) : ('collection' as const),
    ends: end,
    drainS: 30 + 60 * at,
    writeMs: at === 4 ? 240 : 12,
  }));
  const file = join(folder, 'traces.jsonl');
  await writeFile(file, repairTraces(plans));
  await faultline('import', join(folder, 'repairs.faultline'), file);
});
test.afterAll(() => removeFolder(folder));
test.afterEach(() => served.stop());

async function open(page: Page): Promise<string[]> {
  const consoleErrors = watch(page);
  await page.goto(await served.start(join(folder, 'repairs.faultline')));
  await expect(page.getByTestId('view-lifecycle')).toBeVisible();
  await page.keyboard.press('>');
  await page.keyboard.type('Show Lifecycle');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('table', { name: 'Repairs' })).toContainText('gpu-node-1');
  return consoleErrors;
}

test('a node that was not remediated is found with its reason, and followed to its record', async ({ page }) => {
  const complaints = await open(page);
  const repairs = page.getByRole('table', { name: 'Repairs' });
  await page.getByRole('button', { name: /Not remediated/ }).focus();
  await page.keyboard.press('Enter');
  await expect(repairs.getByRole('row')).toHaveCount(4);
  await expect(repairs.getByRole('row').nth(1)).toContainText(/gpu-node-2.*drain.*failed.*pod training-7 did not end/);
  await expect(repairs.getByRole('row').nth(2)).toContainText(
    /gpu-node-3.*skipped.*a reboot of this node is under way/,
  );
  await expect(repairs.getByRole('row').nth(3)).toContainText(/gpu-node-4.*stopped.*no drain recorded/);
  await repairs.getByRole('row').nth(1).focus();
  await page.keyboard.press('Enter');
  const life = page.getByRole('region', { name: 'Repair', exact: true });
  await expect(life).toContainText(/failed GpuXidError on gpu-node-2/);
  await expect(life).toContainText('waited 2 s from quarantine to drain');
  const drain = life.getByRole('button', { name: /drain_session/ });
  await drain.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toContainText('pod training-7 did not end');
  // To the trace of the span, and from its row back to the repair.
  await page.getByRole('button', { name: 'Open its trace' }).press('Enter');
  await expect(page.getByRole('treeitem', { selected: true })).toContainText('drain_session');
  await page.getByRole('tree').focus();
  await page.keyboard.press('r');
  await expect(life).toContainText('waited 2 s from quarantine to drain');
  await expect(life.locator('[aria-current="true"]')).toContainText('drain_session');
  expect(await violations(page)).toEqual([]);
  await page.evaluate(() => document.documentElement.setAttribute('data-theme', 'light'));
  expect(await violations(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test('completed remediations, longest first, with their waits', async ({ page }) => {
  await open(page);
  await page.getByRole('button', { name: /Slow remediation/ }).click();
  const rows = page.getByRole('table', { name: 'Repairs' }).getByRole('row');
  await expect(rows).toHaveCount(3);
  await expect(rows.nth(1)).toContainText(/gpu-node-5.*10 m.*30 s from drain to remediation.*remediated/);
  await expect(rows.nth(2)).toContainText(/gpu-node-1/);
});

test('a health event without a reaction is listed, and leads to its record', async ({ page }) => {
  const event = join(import.meta.dirname, '../../fixtures/nvsentinel/xid-79-error.json');
  await faultline('import', join(folder, 'event.faultline'), event);
  await page.goto(await served.start(join(folder, 'event.faultline')));
  await page.getByTestId('view-lifecycle').click();
  const untreated = page.getByRole('region', { name: 'Detected, without a recorded reaction' });
  await expect(untreated).toContainText('Detected, without a recorded reaction 1');
  await untreated.getByRole('button').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('details')).toContainText(/health_check_failed|xid_error/);
  expect(await violations(page)).toEqual([]);
});

test('parts with serials, failures, changes and replacements over days, by keyboard to a record', async ({ page }) => {
  const consoleErrors = watch(page);
  await faultline('demo', '--scenario', 'worn-parts', join(folder, 'worn'));
  await page.goto(await served.start(join(folder, 'worn', 'worn-parts.faultline')));
  await page.getByTestId('view-lifecycle').press('Enter');
  await page.getByRole('tab', { name: /^Repairs 3/ }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('region', { name: 'Failures by kind of part' })).toContainText(
    /H100 80GB HBM3 2 failures in 2.297 recorded hours of 17 parts: one in 1.149 h \(95 %: 318 to 9.484 h\)/,
  );
  const parts = page.getByRole('table', { name: 'Parts' });
  await expect(parts.getByRole('row').nth(1)).toContainText(
    /GPU 5.*gpu-node-02.*1650524019105.*2.*\+6.425.*replaced by/,
  );
  const part = page.getByRole('region', { name: 'Part', exact: true });
  await expect(part.getByRole('img', { name: /Error counters/ })).toBeVisible();
  await expect(part).toContainText('replaced by serial 1650526027714');
  const fault = part.getByRole('button', { name: /failure.*Xid 64/ });
  await fault.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toContainText('Xid 64');
  await expect(fault).toHaveAttribute('aria-current', 'true');
  await parts.getByRole('row').nth(2).focus();
  await page.keyboard.press('Enter');
  await expect(part).toContainText(/VBIOS 96\.00\.74\.00\.1A to 96\.00\.89\.00\.01/);
  expect(await violations(page)).toEqual([]);
  await page.evaluate(() => document.documentElement.setAttribute('data-theme', 'light'));
  expect(await violations(page)).toEqual([]);
  expect(consoleErrors).toEqual([]);
});
