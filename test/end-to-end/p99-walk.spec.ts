import { execFileSync } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { cli } from '../support/command-line.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

/** With motion, as most people have it; the other walks wait for nothing that moves. */
test.use({ contextOptions: { reducedMotion: 'no-preference' } });

let folder: string;
let served: Served;
test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-p99-'));
  served = new Served(folder);
});
test.afterEach(async () => {
  await served.stop();
  await removeFolder(folder);
});

test('why is p99 up: from the incident to the queue, its replica, its GPU and what to change', async ({ page }) => {
  const problems = watch(page);
  execFileSync(process.execPath, [
    cli,
    'demo',
    '--scenario',
    'batching',
    '--minutes',
    '12',
    '--dir',
    join(folder, 'demo'),
  ]);
  await page.goto(await served.start(join(folder, 'demo', 'batching.faultline')));
  // The incident and its cause; the metric that the cause is about is among the first lanes.
  const causes = page.locator('.inspector, .view-causes').first();
  await expect(page.getByText(/Most likely cause: batching limit on llama-70b/).first()).toBeVisible();
  await expect(causes).toContainText(/p99 [\d\s\u202f,.]+ → /);
  await expect(
    page.locator('.lane-label, [data-testid="lane"]').filter({ hasText: 'request.waiting' }).first(),
  ).toBeVisible();
  // The rule, its arithmetic and what to do.
  await page.getByTestId('view-patterns').click();
  await page.getByText('Batches underfilled').first().click();
  await expect(page.getByText(/times the requests in as many batches/)).toBeVisible();
  await expect(page.getByText('Remediation')).toBeVisible();
  // The slowest request: it waited, as no request did before.
  await page.getByTestId('view-traces').click();
  await page.locator('.trace-found tbody tr').first().click();
  const resources = page.getByTestId('trace-resources');
  await expect(resources).toContainText('Measured where this trace ran');
  await expect(resources).toContainText('request waiting');
  await expect(resources.getByRole('button', { name: /^GPU/ }).first()).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('tab', { name: 'Stages' }).click();
  // Where its time went, prefill against decode, above the usual request.
  const shares = page.getByTestId('stage-shares').getByRole('img');
  await expect(shares.first()).toHaveAccessibleName(/queue .+\(\d+ %\), prefill .+\(\d+ %\), decode .+\(\d+ %\)/);
  expect(await shares.count()).toBeGreaterThanOrEqual(2);
  const queue = page.getByTestId('stages-before').getByRole('row').filter({ hasText: 'queue' });
  await expect(queue).toContainText('▲');
  await expect(page.getByTestId('stages-before').getByRole('row').filter({ hasText: 'prefill' })).not.toContainText(
    '▲',
  );
  expect(await violations(page)).toEqual([]);
  // From a lane to what else is known of the GPU.
  await page.getByRole('tab', { name: 'Waterfall' }).click();
  await resources.getByRole('button', { name: /^GPU/ }).first().click();
  await page.getByTestId('view-gpus').click();
  await expect(page.getByText(/no GPU differs from its peers/)).toBeVisible();
  expect(problems).toEqual([]);
});
