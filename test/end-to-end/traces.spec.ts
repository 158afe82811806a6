import { cp, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { addSpans } from '../support/add-spans.ts';
import { faultline } from '../support/command-line.ts';
import { demoCase } from '../support/demo-case.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { event, topology } from '../support/scenario.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

let folder: string;
let served: Served;

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });
test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-traces-'));
  served = new Served(folder);
  await demoCase(folder);
});
test.afterAll(async () => {
  await served.stop();
  await removeFolder(folder);
});

async function open(page: Page): Promise<void> {
  await page.goto(await served.reuse(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('hypothesis').first()).toBeVisible();
  await page.keyboard.press('4');
  await expect(page.getByTestId('trace-count')).toContainText('traces');
}

const list = (page: Page) => page.getByRole('table', { name: 'Traces found' });
const rows = (page: Page) =>
  list(page)
    .getByRole('row')
    .filter({ hasNot: page.getByRole('columnheader') });
const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

test('traces are searched, wrong queries show where they are wrong, a trace is opened by keyboard', async ({
  page,
}) => {
  const consoleErrors = watch(page);
  await open(page);
  const input = page.getByTestId('traceql');
  await input.fill('{ status = error && nmae = "x" }');
  await expect(page.locator('.trace-wrong u')).toHaveText('nmae');
  await expect(page.getByText('unknown field nmae (character 21)')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Search', exact: true })).toBeDisabled();
  await input.fill('{ name =~ "(" }');
  await input.press('Enter');
  await expect(page.getByText(/this pattern cannot be used: missing \)/)).toBeVisible();
  // Two clicks to a common search.
  await page.getByRole('button', { name: /^Searches/ }).click();
  await page.getByRole('menuitem', { name: 'All errors' }).click();
  await expect(input).toHaveValue('{ status = error }');
  await expect(page.getByTestId('trace-count')).toHaveText('5 spans in 5 traces');
  await expect(rows(page)).toHaveCount(5);
  await page.getByLabel('entire case').check();
  await expect(page.getByTestId('trace-count')).not.toHaveText('5 spans in 5 traces');
  await page.getByLabel('entire case').uncheck();
  await expect(page.getByTestId('trace-count')).toHaveText('5 spans in 5 traces');
  expect(await violations(page)).toEqual([]);

  await list(page).getByRole('button', { name: 'Duration' }).click();
  const first = rows(page).first();
  await expect(first).toContainText('embeddings: embed');
  await first.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('trace-detail')).toBeVisible();
  await expect(page.getByTestId('playhead-time')).toContainText('02:17:59.189');
  await rows(page).nth(1).focus();
  await page.keyboard.press('.');
  await page.getByRole('menuitem', { name: /Copy evidence id/ }).click();
  expect(await copied(page)).toMatch(/^span:[0-9a-f]{32}\/[0-9a-f]{16}$/);
  await page.getByRole('button', { name: 'Copy JSON' }).click();
  await expect.poll(async () => JSON.parse(await copied(page)).traces).toHaveLength(5);
  await page.getByRole('button', { name: 'Copy Markdown' }).click();
  await expect.poll(() => copied(page)).toContain('| vision-caption: caption | 02:17:59.189 |');
  await page.getByRole('button', { name: 'Close the trace' }).click();
  await expect(page.getByTestId('trace-detail')).toHaveCount(0);

  await input.fill('{ name = "nothing of that name" }');
  await input.press('Enter');
  await expect(page.getByText(/No matching span starts in this window/)).toBeVisible();
  expect(consoleErrors).toEqual([]);
});

test('P99 of a model rises: from the flame graph to the slow spans and to the cause', async ({ page }) => {
  const complaints = watch(page);
  await open(page);
  await page.getByRole('tab', { name: 'Flame graph' }).click();
  const frames = page.getByTestId('flame-frame');
  await expect(frames.first()).toBeVisible();
  await page.getByLabel(/compare incident with before/).check();
  const changes = page.getByRole('complementary', { name: 'Largest changes of self time' });
  await expect(changes.getByRole('button').first()).toContainText('llama-70b: generate');
  await expect(changes.getByRole('button').first()).toContainText(/↑ \+.*× 3\.9/);
  for (const theme of ['light', 'dark']) {
    await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme);
    expect(await violations(page)).toEqual([]);
  }

  await page.getByRole('button', { name: 'Changes', exact: true }).click();
  const tree = page.getByRole('tree', { name: /^Spans by call path that appeared/ });
  await expect(tree.getByRole('treeitem', { name: /longer, generate llama-70b/ }).first()).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'By time', exact: true }).click();

  // The graph by keyboard: to the callees of the slow request, and its text.
  await frames.first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const flameText = page.getByTestId('flame-status');
  await expect(flameText).toContainText('llama-70b: generate');
  await expect(flameText).toContainText(/self .* spans .* failed .* × 3\.9/);
  await page.keyboard.press('z');
  await expect(frames.first()).toHaveAccessibleName(/^llama-70b: generate/);
  await page.keyboard.press('a');
  await expect(frames.first()).toHaveAccessibleName(/^chat-api: POST/);
  await page.getByRole('button', { name: 'By self time' }).click();
  await expect(page.getByTestId('flame-window')).toContainText('Width of a frame: its self time');
  await expect(frames.first()).toHaveAccessibleName(/^llama-70b: generate/);
  await page.getByRole('button', { name: 'Copy JSON' }).click();
  await expect.poll(async () => JSON.parse(await copied(page)).paths[0].name).toBe('generate');
  await frames.first().focus();
  await page.keyboard.press('y');
  await expect.poll(() => copied(page)).toMatch(/^span:/);

  // Its traces, slowest first; the slowest is opened, and the chain shows the cause.
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('traceql')).toHaveValue('{ resource.service.name = "llama-70b" && name = "generate" }');
  await rows(page).first().click();
  await expect(page.getByTestId('trace-detail')).toBeVisible();
  await expect(page.getByRole('treeitem').filter({ hasText: 'generate' }).first()).toContainText(/\d s$/);
  const cause = page.getByTestId('chain-step').first();
  await expect(cause).toContainText('voltage sag');
  await cause.click();
  await expect(page.getByTestId('details')).toContainText('Input voltage 161.2 V below threshold');
  expect(complaints).toEqual([]);
});

test('differences of a flame graph frame: its spans in the incident compared with before, by key and by menu', async ({
  page,
}) => {
  const complaints = watch(page);
  await open(page);
  await page.getByRole('tab', { name: 'Flame graph' }).click();
  await page.getByLabel(/compare incident with before/).check();
  // From all traces of both windows: until then frames may still move under the focus.
  await expect(page.getByTestId('flame-window')).toContainText(/^All spans that start .* compared with /);
  await page.getByTestId('flame-frame').first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(page.getByTestId('flame-status')).toContainText('llama-70b: generate');
  await page.keyboard.press('u');
  const leave = page.getByRole('button', { name: 'Remove this region' });
  await expect(leave).toHaveText('generate of service:llama-70b ×');
  await expect(page.getByLabel('baseline')).toHaveValue('quiet');
  const differences = page.getByRole('table', { name: 'Differences', exact: true }).locator('tbody tr');
  await expect(differences.first()).toContainText('generate of llama-70b');
  await expect(page.getByRole('tab', { name: /^(Logs|Metrics|Events)/ })).toHaveCount(0);
  await differences.first().focus();
  await page.keyboard.press('Enter');
  const examples = page.getByRole('table', { name: 'Examples', exact: true }).locator('tbody tr');
  await expect(examples.first()).toContainText('llama-70b generate');
  expect(await violations(page)).toEqual([]);
  await leave.click();
  await expect(page.getByRole('heading', { name: /^Incident/ })).toBeVisible();

  await page.getByTestId('view-traces').click();
  await page
    .getByRole('treeitem', { name: /chat-api: POST/ })
    .first()
    .click({ button: 'right' });
  await page.getByRole('menuitem', { name: /Show differences/ }).click();
  await expect(leave).toHaveText(/^POST .* of service:chat-api ×$/);
  expect(complaints).toEqual([]);
});

test('a flame graph of many spans is estimated from a sample first, marked so until all traces are read', async ({
  page,
}) => {
  const path = join(folder, 'many.faultline');
  await served.stop();
  await cp(join(folder, 'demo.faultline'), path, { recursive: true });
  await addSpans(path, { base_ns: 1_773_453_700_000_000_000n, requests: 400_000 });
  await page.goto(await served.reuse(path));
  await expect(page.getByTestId('hypothesis').first()).toBeVisible();
  await page.getByTestId('timeline-canvas').click({ position: { x: 400, y: 300 } });
  await page.keyboard.press('f');
  await page.getByTestId('view-traces').click();
  await page.getByRole('tab', { name: 'Flame graph' }).click();
  const words = page.getByTestId('flame-window');
  await expect(words).toContainText(/Estimated from 1 in \d+ of its traces/);
  await expect(page.getByTestId('flame-frame').first()).toBeVisible();
  await page.getByRole('button', { name: 'Keep the estimate' }).click();
  await expect(page.getByText('This is an estimate from a sample of the traces.')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Copy JSON' }).click();
  await expect.poll(async () => JSON.parse(await copied(page)).estimated_from).toMatch(/^1 in \d+ of its traces$/);
  await page.getByRole('button', { name: 'Read all traces' }).click();
  await expect(words).toContainText('All spans that start');
});

test('a case without spans shows what to import', async ({ page }) => {
  const path = join(folder, 'no-spans.faultline');
  const file = join(folder, 'events.json');
  const map = join(folder, 'topology.json');
  await writeFile(file, JSON.stringify({ events: [event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B')] }));
  await writeFile(map, JSON.stringify(topology));
  await faultline('import', path, file, map);
  await page.goto(await served.reuse(path));
  await page.getByTestId('view-traces').click();
  await expect(page.getByText('No spans in this case.')).toBeVisible();
  expect(await violations(page)).toEqual([]);
});
