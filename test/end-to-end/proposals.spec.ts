import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { faultline } from '../support/command-line.ts';
import { demoCase } from '../support/demo-case.ts';
import { demoCluster } from '../support/demo-cluster.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

let folder: string;
let served: Served;
const casePath = () => join(folder, 'demo.faultline');

test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-proposals-'));
  served = new Served(folder);
  await demoCase(folder);
  const cluster = await demoCluster();
  const plan = join(folder, 'plan.yaml');
  await writeFile(plan, cluster.plan);
  expect((await faultline('capture', plan, '--case', casePath(), '--duration', '3s')).code).toBe(0);
  cluster.close();
});
test.afterEach(async () => {
  await served.stop();
  await removeFolder(folder);
});

async function openMap(page: Page): Promise<void> {
  await page.goto(await served.start(casePath()));
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
  await page.keyboard.press('3');
  await expect(page.getByTestId('power-map')).toBeVisible();
}

/** Axe violations in either theme. */
async function inBothThemes(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const theme of ['light', 'dark']) {
    await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme);
    found.push(...(await violations(page)));
  }
  return found;
}

test('proposed links are decided by keyboard, one by one or all of a feed, and each decision can be undone', async ({
  page,
}) => {
  const consoleErrors = watch(page);
  await openMap(page);
  const panel = page.getByTestId('proposals');
  const summary = panel.locator('summary');
  await expect(summary).toContainText('4 proposed links');
  await summary.focus();
  await page.keyboard.press('Enter');
  const source = page.getByRole('region', { name: 'Links proposed by cluster prod' });
  await expect(source).toContainText('kubernetes pod');
  await expect(page.locator('.proposed-link').first()).toBeVisible();
  expect(await inBothThemes(page)).toEqual([]);

  const accept = source.getByRole('button', { name: 'Accept: inference/llama-70b-09 runs on gpu-node-09' });
  await accept.focus();
  await page.keyboard.press('Enter');
  await expect(summary).toContainText('3 proposed links');
  await source.getByRole('button', { name: 'inference/llama-70b-09', exact: true }).first().click();
  const entityPanel = page.getByTestId('entity-panel');
  await expect(entityPanel).toContainText('kubernetes pod, investigator');
  // Other proposals of the entity are next to its links.
  const own = entityPanel.getByRole('list', { name: 'Proposed links of inference/llama-70b-09' });
  await own.getByRole('button', { name: 'Accept: llama-70b runs on inference/llama-70b-09' }).click();
  await expect(own).toBeHidden();
  await expect(summary).toContainText('2 proposed links');
  for (let steps = 0; steps < 2; steps++) await page.getByRole('button', { name: 'undo' }).click();
  await expect(summary).toContainText('4 proposed links');

  const reject = source.getByRole('button', { name: 'Reject: llama-70b runs on inference/llama-70b-10' });
  await reject.focus();
  await page.keyboard.press('Enter');
  await expect(summary).toContainText('3 proposed links');
  await expect(page.locator('.removed-link')).toHaveCount(1);
  await page.getByRole('button', { name: 'undo' }).click();
  await expect(summary).toContainText('4 proposed links');

  await source.getByRole('button', { name: 'Accept all 4' }).focus();
  await page.keyboard.press('Enter');
  await expect(panel).toBeHidden();
  await page.reload();
  await expect(page.getByTestId('power-map')).toBeVisible();
  await expect(panel).toBeHidden();
  expect(consoleErrors).toEqual([]);
});

test('the command line lists the proposals of a feed, and accepts or rejects them', async () => {
  const listed = await faultline('topology', casePath(), '--proposed');
  expect(listed.out.trim().split('\n')).toHaveLength(4);
  expect(listed.out).toMatch(
    /^\? pod:inference\/llama-70b-09 runs_on server:gpu-node-09 {2}\(cluster prod by kubernetes pod, recorded from \d{4}-/m,
  );
  expect(listed.err).toContain('4 proposed links do not count until accepted');
  const wrong = await faultline('topology', casePath(), '--accept', 'cluster test');
  expect(wrong.code).not.toBe(0);
  expect(wrong.err).toContain('proposed by: cluster prod');
  const both = await faultline('topology', casePath(), '--accept', 'all', '--reject', 'all');
  expect(both.code).toBe(2);
  expect((await faultline('topology', casePath(), '--accept', 'cluster prod')).out).toBe('4 links accepted\n');
  const { proposed, links } = JSON.parse((await faultline('topology', casePath(), '--json')).out) as {
    proposed: unknown[];
    links: { from: string; to: string; provenance: string[] }[];
  };
  expect(proposed).toEqual([]);
  expect(links.find(({ from }) => from === 'pod:inference/llama-70b-10')).toMatchObject({
    to: 'server:gpu-node-10',
    provenance: ['kubernetes pod', 'investigator'],
  });
});
