import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { faultline } from '../support/command-line.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { sharedData } from '../support/shared-data.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

const fixtures = join(import.meta.dirname, '../../fixtures');
let folder: string;
let served: Served;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-jobs-'));
  served = new Served(folder);
});
test.afterAll(() => removeFolder(folder));
test.afterEach(() => served.stop());

async function open(page: Page, made: string): Promise<string[]> {
  const complaints = watch(page);
  await page.goto(await served.start(made));
  await page.getByTestId('view-jobs').click();
  return complaints;
}

test('leads from a job that hangs to the rank that the others wait for, and to its lanes, by keyboard', async ({
  page,
}) => {
  const made = join(folder, 'hang.faultline');
  const hang = (name: string): string => sharedData(`defects/hang/${name}`);
  await faultline(
    'import',
    made,
    hang('topo.csv'),
    hang('ev5.json'),
    join(fixtures, 'flight-recorder/hang-rank5-protocol4'),
  );
  const complaints = await open(page, made);
  await expect(page.getByTestId('job-state')).toContainText(
    /hang-rank5-protocol4 stalled .*nothing shows that they went on/,
  );
  const waited = page.getByRole('table', { name: 'Ranks that others waited for' });
  const culprit = waited.getByRole('row').filter({ hasText: 'rank 5' });
  await expect(culprit).toContainText(/did not enter the operation .*2 ranks: 0, 7/);
  expect(await violations(page)).toEqual([]);
  await culprit.focus();
  await page.keyboard.press('Enter');
  const detail = page.getByRole('region', { name: 'Rank details' });
  await expect(detail).toContainText('node-5');

  const map = page.getByTestId('heat-map');
  await map.focus();
  await page.keyboard.press('Home');
  await expect(detail).toContainText('rank 0');
  await page.keyboard.press('ArrowDown');
  await expect(page.locator('.heat-map-words')).toContainText(/rank 1 .*machine not recorded/);
  await page.getByRole('tab', { name: 'Ranks' }).click();
  await expect(page.getByRole('table', { name: 'Ranks of the job' }).getByRole('row')).toHaveCount(9);
  await page.getByRole('tab', { name: 'Waited for' }).click();
  await culprit.focus();
  await page.keyboard.press('Enter');
  await detail.getByRole('button', { name: 'In the timeline' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('lane').filter({ hasText: 'GPU-0' }).first()).toBeVisible();
  expect(complaints).toEqual([]);
});

test('a case without training jobs shows what to import', async ({ page }) => {
  const made = join(folder, 'none.faultline');
  await faultline('import', made, join(fixtures, 'aws-health/drive-degraded.json'));
  await open(page, made);
  await expect(page.getByRole('main')).toContainText(/No training job in this case/);
  expect(await violations(page)).toEqual([]);
});
