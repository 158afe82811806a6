import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { removeFolder } from '../support/remove-folder.ts';
import { dumps, gpuOf, LOST, RANKS, type Stop, underneath } from '../support/training-job.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

let folder: string;
let served: Served;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-training-'));
  served = new Served(folder);
});
test.afterAll(() => removeFolder(folder));
test.afterEach(() => served.stop());

async function drop(page: Page, files: Readonly<Record<string, string>>): Promise<void> {
  const transfer = await page.evaluateHandle((dropped) => {
    const data = new DataTransfer();
    for (const [name, text] of dropped) data.items.add(new File([text], name));
    return data;
  }, Object.entries(files));
  for (const type of ['dragenter', 'dragover', 'drop'])
    await page.getByTestId('app-root').dispatchEvent(type, { dataTransfer: transfer });
}

/** The exported post-mortem, without the escapes of Markdown. */
async function exported(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Report' }).first().click();
  await expect(page.getByTestId('report-preview')).toContainText('llm');
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('export-report').click()]);
  return (await readFile(await download.path(), 'utf8')).replaceAll('\\', '');
}

/** Drops the files of a job on an empty window, and shows it once its incident is known. */
async function jobs(page: Page, stop: Stop, more: Readonly<Record<string, string>>): Promise<void> {
  await page.goto(await served.start());
  const files = { ...dumps(stop), ...more };
  await drop(page, files);
  // A kernel log is shown for review before it is imported: its lines state no time zone.
  if ('syslog.log' in files)
    await page.getByRole('button', { name: `Import ${Object.keys(files).length} sources` }).click();
  await expect(page.getByTestId('incident').first()).toContainText('llm');
}

test('16 ranks, a kernel log and power events: from the drop to the rank, what lies under it, and the report', async ({
  page,
}) => {
  const complaints = watch(page);
  await jobs(page, 'missing', underneath());
  await expect(page.getByTestId('hypothesis').first()).toContainText('PDU-B');
  const steps = page.getByTestId('chain-step');
  await expect(steps).toHaveCount(5);
  await expect(steps.nth(2)).toContainText(gpuOf(LOST));
  await expect(steps.nth(3)).toContainText(`llm/rank-${LOST}`);

  await page.getByTestId('view-jobs').click();
  await expect(page.getByTestId('job-state')).toContainText('llm stalled');
  const names = page.locator('.heat-map-row-names');
  await expect(names.locator('span')).toHaveCount(RANKS);
  const waited = page.getByRole('table', { name: 'Ranks that others waited for' });
  await waited
    .getByRole('row')
    .filter({ hasText: `rank ${LOST}` })
    .click();
  await expect(names.locator('.heat-map-named')).toHaveText(`rank ${LOST}`);
  const detail = page.getByRole('region', { name: 'Rank details' });
  await expect(detail).toContainText(gpuOf(LOST));
  await expect(detail).toContainText('did not enter the operation that others wait in');
  await expect(page.locator('.heat-map-mark')).toHaveCount(0);

  const report = await exported(page);
  expect(report).toContain(`rank-${LOST}`);
  expect(report).toContain('PDU-B');
  expect(report).toContain(gpuOf(LOST));
  expect(complaints).toEqual([]);
});

test('a rank that entered another operation is marked in its row, and no device is accused', async ({ page }) => {
  const complaints = watch(page);
  await jobs(page, 'mismatch', {});
  await expect(page.getByTestId('hypothesis').first()).toContainText(`llm/rank-${LOST}`);
  await page.getByTestId('view-jobs').click();
  const text = `rank ${LOST} entered another operation than its peers: all_gather instead of all_reduce`;
  await expect(page.locator('.heat-map-cells .heat-map-mark')).toHaveAttribute('title', new RegExp(text));
  await page.getByTestId('heat-map').focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await expect(page.locator('.heat-map-named')).toHaveText(`rank ${LOST}`);
  await expect(page.getByRole('region', { name: 'Rank details' })).toContainText(text);
  expect(await exported(page)).toContain(text);
  expect(complaints).toEqual([]);
});
