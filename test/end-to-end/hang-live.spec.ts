import { appendFile, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { LiveJob } from '../support/live-job.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

let folder: string;
let served: Served;
test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-hang-'));
  for (const name of ['logs', 'dumps']) await mkdir(join(folder, name));
  served = new Served(folder);
});
test.afterEach(async () => {
  await served.stop();
  await removeFolder(folder);
});

/** Adds a feed in the form and chooses its folder. */
async function addFolder(page: Page, kind: string, name: string): Promise<void> {
  const more = page.getByRole('button', { name: /Add a feed/ });
  const add = page.getByTestId(`add-${kind}`);
  await expect(more.or(add).first()).toBeVisible();
  if (!(await add.isVisible())) await more.click();
  await add.click();
  await page.getByLabel(/^folder/).selectOption(`watch:${name}`);
}

test('a job that hangs is shown while it hangs: for how long, and who waits for whom', async ({ page }) => {
  const problems = watch(page);
  await page.goto(await served.start('--watch', join(folder, 'logs'), '--watch', join(folder, 'dumps')));
  await page.getByTestId('connect-live').click();
  await addFolder(page, 'log-tail', 'logs');
  await addFolder(page, 'flight-recorder', 'dumps');
  await page.getByLabel(/^job/).fill('llm');
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(page.getByText('there is no dump yet')).toBeVisible();
  await expect(page.locator('.connect-live')).not.toContainText(folder);
  await page.getByRole('button', { name: /Start recording/ }).click();
  await expect(page.getByTestId('live')).toContainText('2 up');
  await page.getByTestId('view-jobs').click();
  const job = new LiveJob(8);
  for (let step = 0; step < 12; step++) {
    for (const [rank, line] of job.step().entries()) await appendFile(join(folder, 'logs', `rank-${rank}.log`), line);
    await page.waitForTimeout(250);
  }
  await expect(page.getByTestId('job-state')).toContainText('running');
  await expect(page.getByTestId('hangs')).toBeHidden();
  job.hang(5);
  for (let rank = 0; rank < 8; rank++)
    await writeFile(join(folder, 'dumps', `nccl_trace_rank_${rank}`), job.dump(rank));
  await expect(page.getByTestId('job-hangs')).toContainText(/It hangs now, for .+: ranks 0–4, 6–7 wait for rank 5/);
  const text = await page.getByTestId('job-hangs').textContent();
  await expect(page.getByTestId('job-hangs')).not.toHaveText(text ?? '');
  // On every view, until it goes on.
  await page.getByTestId('view-timeline').click();
  await expect(page.getByTestId('hangs')).toHaveText(/llm hangs/);
  await page.getByTestId('hangs').click();
  await expect(page.getByTestId('job-hangs')).toBeVisible();
  expect(problems).toEqual([]);
});
