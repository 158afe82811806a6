import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Locator, type Page, test } from '@playwright/test';
import { faultline } from '../support/command-line.ts';
import { drawnOtlp, drawnTraceId, MAINTENANCE } from '../support/story-otlp.ts';
import { expect, type Page, test } from '@playwright/test';
import { event, topology } from '../support/scenario.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

let folder: string;
let served: Served;

test.use({ viewport: { width: 1440, height: 900 }, contextOptions: { reducedMotion: 'reduce' } });
test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-story-'));
  served = new Served(folder);
  const file = join(folder, 'maintenance.json');
  await writeFile(file, JSON.stringify(drawnOtlp(MAINTENANCE, { bmc: -7 })));
  await faultline('import', join(folder, 'story.faultline'), file);
test.use({ permissions: ['clipboard-read', 'clipboard-write'] });
  folder = await mkdtemp(join(tmpdir(), 'faultline-traces-'));
  await faultline('demo', '--dir', folder);
});
test.afterAll(() => rm(folder, { recursive: true, force: true }));
test.afterEach(() => served.stop());

async function openStory(page: Page, trace: string): Promise<void> {
  await page.goto(await served.start(join(folder, 'story.faultline')));
  await page.getByTestId('view-traces').click();
  await page.getByTestId('trace-id').fill(trace);
  await expect(page.locator(`[data-trace="${trace}"]`)).toBeVisible();
}

test('by keyboard alone: what failed on the way from a detected fault to its repair, and what everybody waited for', async ({
  page,
}) => {
  const complaints = watch(page);
  await openStory(page, drawnTraceId(1));
  await expect(page.getByTestId('story-facts')).toContainText('19 spans of 7 services in 4 linked traces, 3 failed');
  await expect(page.getByTestId('story-wait')).toHaveCount(3);
  await expect(page.getByTestId('story-wait').nth(1)).toHaveAccessibleName(
    /^wait 95 s: from the end of quarantine PATCH \/nodes to drainer reconcile/,
  );
  const tree = page.getByRole('tree', { name: '19 spans' });
  /** The row that the tree says is the active one. */
  const onRow = (name: RegExp, is: (row: Locator) => Promise<void> = async () => undefined) =>
    expect(async () => {
      const row = page.locator(`[id="${await tree.getAttribute('aria-activedescendant')}"]`);
      await expect(row).toHaveAccessibleName(name, { timeout: 300 });
      await is(row);
    }).toPass({ timeout: 10_000 });
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
  await expect(page.locator('.story-found')).toHaveText('2 found');
  await page.keyboard.press('Enter');
  await onRow(/quarantine PATCH|kube PATCH/);
  expect(complaints).toEqual([]);
});

test('the critical path crosses traces and names its waits; a row leads to its span', async ({ page }) => {
  await openStory(page, drawnTraceId(3));
  await page.getByRole('tab', { name: 'Critical path' }).click();
  await expect(page.getByTestId('path-facts')).toContainText('(>99.9 %) nobody worked');
  const table = page.getByRole('table', { name: 'Critical path' });
  await expect(table).toContainText('from the end of quarantine PATCH /nodes to drainer reconcile');
  await table.getByRole('row', { name: /bmc/ }).first().click();
  await expect(page.getByTestId('waterfall')).toBeVisible();
  await expect(page.getByRole('treeitem', { selected: true })).toHaveAccessibleName(/^bmc POST \/reset/);
});

test('what is short is hidden and counted; folded traces, and back', async ({ page }) => {
  await openStory(page, drawnTraceId(0));
  await page.getByLabel('Hide short spans').selectOption('0.05');
  await expect(page.getByTestId('story-left')).toContainText('4 shorter spans are hidden');
  await page.getByLabel('Hide short spans').selectOption('0');
  await expect(page.getByTestId('story-span')).toHaveCount(19);
  await page.getByRole('button', { name: 'Fold', exact: true }).click();
  await expect(page.getByTestId('story-span')).toHaveCount(4);
});

test('stages tell who had it in hand; two traces are compared; the timeline shows the time', async ({ page }) => {
  await openStory(page, drawnTraceId(2));
  await page.getByRole('tab', { name: 'Stages' }).click();
  await expect(page.getByTestId('stage')).toHaveCount(4);
  await expect(page.getByTestId('pipeline')).toHaveAccessibleName(
    /^Critical path: monitor .* wait 4\.19 s, quarantine/,
  );
  await page.getByRole('tab', { name: 'Compare' }).click();
  await page.getByRole('button', { name: 'Lay this one aside' }).click();
  await page.getByRole('textbox', { name: /Compare with trace/ }).fill(drawnTraceId(1));
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('compare-facts')).toContainText('0 calls are new, 0 are missing');
  await page.getByRole('button', { name: 'On the timeline' }).click();
  await expect(page.getByTestId('playhead-time')).toContainText('00:00:00.0');
});

test('a trace that is not there says what to do', async ({ page }) => {
  await openStory(page, 'ffff');
  await expect(page.getByTestId('story')).toContainText('holds no spans of trace ffff');
});

for (const theme of ['dark', 'light'] as const)
  test(`axe finds nothing wrong with a trace, ${theme}`, async ({ page }) => {
    await page.addInitScript(
      (name) => localStorage.setItem('faultline.preferences', JSON.stringify({ theme: name })),
      theme,
    );
    await openStory(page, drawnTraceId(1));
    for (const tab of ['Waterfall', 'Critical path', 'Stages', 'Flame graph', 'Compare', /^Logs/] as const) {
      await page.getByRole('tab', { name: tab }).click();
      await page.waitForTimeout(100);
      expect(await violations(page), String(tab)).toEqual([]);
    }
  });
async function open(page: Page): Promise<void> {
  await page.goto(await served.start(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('hypothesis').first()).toBeVisible();
  await page.keyboard.press('4');
  await expect(page.getByTestId('trace-count')).toContainText('traces');
const list = (page: Page) => page.getByRole('table', { name: 'Traces found' });
const rows = (page: Page) =>
  list(page)
    .getByRole('row')
    .filter({ hasNot: page.getByRole('columnheader') });
const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());
test('traces are searched, wrong searches are shown where they are wrong, a trace is opened by keyboard', async ({
  await open(page);
  const input = page.getByTestId('traceql');
  await input.fill('{ status = error && nmae = "x" }');
  await expect(page.locator('.trace-wrong u')).toHaveText('nmae');
  await expect(page.getByText('there is no nmae (character 21)')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Search', exact: true })).toBeDisabled();
  await input.fill('{ name =~ "(" }');
  await input.press('Enter');
  await expect(page.getByText(/this pattern cannot be used: missing \)/)).toBeVisible();
  // Two clicks to what is asked most often.
  await page.getByRole('button', { name: /^Searches/ }).click();
  await page.getByRole('menuitem', { name: 'All errors' }).click();
  await expect(input).toHaveValue('{ status = error }');
  await expect(page.getByTestId('trace-count')).toHaveText('5 spans in 5 traces');
  await expect(rows(page)).toHaveCount(5);
  await page.getByLabel('all of the case').check();
  await expect(page.getByTestId('trace-count')).not.toHaveText('5 spans in 5 traces');
  await page.getByLabel('all of the case').uncheck();
  await expect(page.getByTestId('trace-count')).toHaveText('5 spans in 5 traces');
  expect(await violations(page)).toEqual([]);
  await list(page).getByRole('button', { name: 'Duration' }).click();
  const first = rows(page).first();
  await expect(first).toContainText('embeddings: embed');
  await first.focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByTestId('story')).toBeVisible();
  await expect(page.getByTestId('playhead-time')).toContainText('02:17:59.189');
  await rows(page).nth(1).focus();
  await page.getByRole('menuitem', { name: /Copy evidence id/ }).click();
  expect(await copied(page)).toMatch(/^span:[0-9a-f]{32}\/[0-9a-f]{16}$/);
  await page.getByRole('button', { name: 'Copy JSON' }).click();
  await expect.poll(async () => JSON.parse(await copied(page)).traces).toHaveLength(5);
  await page.getByRole('button', { name: 'Copy Markdown' }).click();
  await expect.poll(() => copied(page)).toContain('| vision-caption: caption | 02:17:59.189 |');
  await page.getByRole('button', { name: 'Close the trace' }).click();
  await expect(page.getByTestId('story')).toHaveCount(0);
  await input.fill('{ name = "nothing of that name" }');
  await input.press('Enter');
  await expect(page.getByText(/No span that begins in this window matches/)).toBeVisible();
test('why is P99 up for this model: from the flame graph to the slow spans and to the cause', async ({ page }) => {
  await open(page);
  await page.getByRole('tab', { name: 'Flame graph' }).click();
  const boxes = page.getByTestId('flame-box');
  await expect(boxes.first()).toBeVisible();
  await page.getByLabel(/incident against before/).check();
  const changes = page.getByRole('complementary', { name: 'Self time that changed most' });
  await expect(changes.getByRole('button').first()).toContainText('llama-70b: generate');
  await expect(changes.getByRole('button').first()).toContainText(/↑ \+.*× 3\.9/);
  for (const theme of ['light', 'dark']) {
    await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme);
    expect(await violations(page)).toEqual([]);
  }
  // The graph by keyboard: down to what the slow request calls, and the words about it.
  await boxes.first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const told = page.getByTestId('flame-told');
  await expect(told).toContainText('llama-70b: generate');
  await expect(told).toContainText(/self .* spans .* failed .* × 3\.9/);
  await page.keyboard.press('z');
  await expect(boxes.first()).toHaveAccessibleName(/^llama-70b: generate/);
  await page.keyboard.press('u');
  await expect(boxes.first()).toHaveAccessibleName(/^chat-api: POST/);
  await page.getByRole('button', { name: 'By self time' }).click();
  await expect(boxes.first()).toHaveAccessibleName(/^llama-70b: generate/);
  await page.getByRole('button', { name: 'Copy JSON' }).click();
  await expect.poll(async () => JSON.parse(await copied(page)).paths[0].name).toBe('generate');
  await boxes.first().focus();
  await page.keyboard.press('y');
  await expect.poll(() => copied(page)).toMatch(/^span:/);
  // Its traces, slowest first; the slowest is opened, and the chain beside it tells why.
  await expect(page.getByTestId('traceql')).toHaveValue('{ resource.service.name = "llama-70b" && name = "generate" }');
  await rows(page).first().click();
  await expect(page.getByTestId('story')).toBeVisible();
  await expect(page.getByTestId('chain-step').first()).toContainText('voltage sag');
test('a case without spans says what would fill the view', async ({ page }) => {
  const path = join(folder, 'no-spans.faultline');
  const file = join(folder, 'events.json');
  const map = join(folder, 'topology.json');
  await writeFile(file, JSON.stringify({ events: [event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B')] }));
  await writeFile(map, JSON.stringify(topology));
  await faultline('import', path, file, map);
  await page.goto(await served.start(path));
  await expect(page.getByText('No spans were recorded in this case.')).toBeVisible();
  expect(await violations(page)).toEqual([]);
