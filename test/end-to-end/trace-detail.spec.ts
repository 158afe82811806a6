import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Locator, type Page, test } from '@playwright/test';
import { faultline } from '../support/command-line.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { drawnOtlp, drawnTraceId, MAINTENANCE } from '../support/trace-group-otlp.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

let folder: string;
let served: Served;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-trace-detail-'));
  served = new Served(folder);
  const file = join(folder, 'maintenance.json');
  await writeFile(file, JSON.stringify(drawnOtlp(MAINTENANCE, { bmc: -7 })));
  await faultline('import', join(folder, 'trace.faultline'), file);
});
test.afterAll(async () => {
  await served.stop();
  await removeFolder(folder);
});

async function openTraceDetail(page: Page, trace: string): Promise<void> {
  await page.goto(await served.reuse(join(folder, 'trace.faultline')));
  await page.getByTestId('view-traces').click();
  await page.getByTestId('traceql').fill(`{ trace:id = "${trace}" }`);
  await page.keyboard.press('Enter');
  const found = page.getByRole('table', { name: 'Traces found' }).getByRole('row');
  await expect(found).toHaveCount(2);
  await found.nth(1).focus();
  await page.keyboard.press('Enter');
  await expect(page.locator(`[data-trace="${trace}"]`)).toBeVisible();
}

test('by keyboard alone: failures between a detected fault and its repair, and the critical path', async ({ page }) => {
  const consoleErrors = watch(page);
  await openTraceDetail(page, drawnTraceId(1));
  await expect(page.getByTestId('trace-detail-facts')).toContainText(
    '19 spans of 7 services in 4 linked traces, 3 failed',
  );
  await expect(page.getByTestId('waterfall-wait')).toHaveCount(3);
  await expect(page.getByTestId('waterfall-wait').nth(1)).toHaveAccessibleName(
    /^wait 95 s: from the end of quarantine PATCH \/nodes to drainer reconcile/,
  );
  const tree = page.getByRole('tree', { name: '19 spans' });
  /** The active row of the tree. */
  const onRow = (name: RegExp, is: (row: Locator) => Promise<void> = async () => undefined) =>
    expect(async () => {
      const row = page.locator(`[id="${await tree.getAttribute('aria-activedescendant')}"]`);
      await expect(row).toHaveAccessibleName(name, { timeout: 300 });
      await is(row);
    }).toPass();
  await tree.focus();
  await page.keyboard.press('n');
  await onRow(/^drainer reconcile, failed; 40 ms/);
  await page.keyboard.press('n');
  await page.keyboard.press('n');
  await onRow(/^kube POST \/evict, failed; 12 ms/);
  await page.keyboard.press('ArrowLeft');
  await onRow(/^drainer POST \/evict, failed/);
  await page.keyboard.press('ArrowLeft');
  await onRow(/^drainer POST/, (row) => expect(row).toHaveAttribute('aria-expanded', 'false', { timeout: 300 }));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await onRow(/^kube POST/, (row) => expect(row).toHaveAttribute('aria-selected', 'true', { timeout: 300 }));
  await expect(page.getByTestId('details')).toContainText('kube POST /evict');
  await page.keyboard.press('.');
  await expect(page.getByRole('menuitem', { name: /Copy evidence id/ })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.press('End');
  await onRow(/^bmc POST \/reset; 11 ms.*shifted \+7 ms; recorded/);
  await page.keyboard.press('/');
  await page.keyboard.type('patch');
  await expect(page.locator('.trace-detail-found')).toHaveText('2 found');
  await page.keyboard.press('Enter');
  await onRow(/quarantine PATCH|kube PATCH/);
  expect(consoleErrors).toEqual([]);
});

test('the critical path crosses traces and names its waits; a row leads to its span', async ({ page }) => {
  await openTraceDetail(page, drawnTraceId(3));
  await page.getByRole('tab', { name: 'Critical path' }).click();
  await expect(page.getByTestId('path-facts')).toContainText('(>99.9 %) idle');
  const table = page.getByRole('table', { name: 'Critical path' });
  await expect(table).toContainText('from the end of quarantine PATCH /nodes to drainer reconcile');
  await table.getByRole('row', { name: /bmc/ }).first().click();
  await expect(page.getByTestId('waterfall')).toBeVisible();
  await expect(page.getByRole('treeitem', { selected: true })).toHaveAccessibleName(/^bmc POST \/reset/);
});

test('short spans are hidden and counted; traces fold and unfold', async ({ page }) => {
  await openTraceDetail(page, drawnTraceId(0));
  await page.getByLabel('Hide short spans').selectOption('0.05');
  await expect(page.getByTestId('trace-detail-left')).toContainText('4 shorter spans are hidden');
  await page.getByLabel('Hide short spans').selectOption('0');
  await expect(page.getByTestId('waterfall-span')).toHaveCount(19);
  await page.getByRole('button', { name: 'Fold', exact: true }).click();
  await expect(page.getByTestId('waterfall-span')).toHaveCount(4);
});

test('stages show the active service; two traces are compared; the timeline shows the time', async ({ page }) => {
  await openTraceDetail(page, drawnTraceId(2));
  await page.getByRole('tab', { name: 'Stages' }).click();
  await expect(page.getByTestId('stage')).toHaveCount(4);
  await expect(page.getByTestId('pipeline')).toHaveAccessibleName(
    /^Critical path: monitor .* wait 4\.19 s, quarantine/,
  );
  const stage = page.getByTestId('stage').nth(1).getByRole('button');
  const service = (await stage.textContent())?.split(' …')[0];
  await stage.focus();
  await page.keyboard.press('u');
  await expect(page.getByRole('button', { name: 'Remove this region' })).toHaveText(`service:${service} ×`);
  await page.getByTestId('view-traces').click();
  await page.getByRole('tab', { name: 'Compare' }).click();
  await page.getByRole('button', { name: 'Use as baseline' }).click();
  await page.getByRole('textbox', { name: /Compare with trace/ }).fill(drawnTraceId(1));
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('compare-facts')).toContainText(/: .*\. 0 of \d+ calls are new, 0 are missing\./);
  const tree = page.getByRole('tree', { name: /^Spans by call path that appeared/ });
  await expect(tree.getByRole('treeitem').first()).toHaveAccessibleName(/ → .*1 span$/);
  expect(await violations(page)).toEqual([]);
  await tree.getByRole('treeitem').first().focus();
  await page.keyboard.press('ArrowDown');
  await expect(tree.getByRole('treeitem').nth(1)).toBeFocused();
  await page.getByRole('button', { name: 'Table', exact: true }).click();
  await expect(page.getByRole('table', { name: 'Compared calls' })).toBeVisible();
  await page.getByRole('tab', { name: 'Cost' }).click();
  await expect(page.getByTestId('trace-cost')).toContainText(
    'Cost unknown: no recorded link shows which GPUs served this request',
  );
  await page.getByRole('button', { name: 'On the timeline' }).click();
  await expect(page.getByTestId('playhead-time')).toContainText('00:00:00.0');
});

for (const theme of ['dark', 'light'] as const)
  test(`axe finds nothing wrong with a trace, ${theme}`, async ({ page }) => {
    await page.addInitScript(
      (name) => localStorage.setItem('faultline.preferences', JSON.stringify({ theme: name })),
      theme,
    );
    await openTraceDetail(page, drawnTraceId(1));
    for (const tab of ['Waterfall', 'Critical path', 'Stages', 'Flame graph', 'Compare', 'Cost', /^Logs/] as const) {
      await page.getByTestId('trace-detail').getByRole('tab', { name: tab }).click();
      await page.waitForTimeout(100);
      expect(await violations(page), String(tab)).toEqual([]);
    }
  });
