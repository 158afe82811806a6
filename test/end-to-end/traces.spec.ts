import { cp, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { addSpans } from '../support/add-spans.ts';
import { faultline } from '../support/command-line.ts';
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
  await faultline('demo', '--dir', folder);
});
test.afterAll(() => removeFolder(folder));
test.afterEach(() => served.stop());

async function open(page: Page): Promise<void> {
  await page.goto(await served.start(join(folder, 'demo.faultline')));
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

test('traces are searched, wrong searches are shown where they are wrong, a trace is opened by keyboard', async ({
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
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('story')).toBeVisible();
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
  await expect(page.getByTestId('story')).toHaveCount(0);

  await input.fill('{ name = "nothing of that name" }');
  await input.press('Enter');
  await expect(page.getByText(/No span that begins in this window matches/)).toBeVisible();
  expect(consoleErrors).toEqual([]);
});

test('why is P99 up for this model: from the flame graph to the slow spans and to the cause', async ({ page }) => {
  const complaints = watch(page);
  await open(page);
  await page.getByRole('tab', { name: 'Flame graph' }).click();
  const frames = page.getByTestId('flame-box');
  await expect(frames.first()).toBeVisible();
  await page.getByLabel(/incident against before/).check();
  const changes = page.getByRole('complementary', { name: 'Self time that changed most' });
  await expect(changes.getByRole('button').first()).toContainText('llama-70b: generate');
  await expect(changes.getByRole('button').first()).toContainText(/↑ \+.*× 3\.9/);
  for (const theme of ['light', 'dark']) {
    await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme);
    expect(await violations(page)).toEqual([]);
  }

  // The graph by keyboard: down to what the slow request calls, and the words about it.
  await frames.first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const flameText = page.getByTestId('flame-told');
  await expect(flameText).toContainText('llama-70b: generate');
  await expect(flameText).toContainText(/self .* spans .* failed .* × 3\.9/);
  await page.keyboard.press('z');
  await expect(frames.first()).toHaveAccessibleName(/^llama-70b: generate/);
  await page.keyboard.press('a');
  await expect(frames.first()).toHaveAccessibleName(/^chat-api: POST/);
  await page.getByRole('button', { name: 'By self time' }).click();
  await expect(page.getByTestId('flame-window')).toContainText('a box is as wide as its own time');
  await expect(frames.first()).toHaveAccessibleName(/^llama-70b: generate/);
  await page.getByRole('button', { name: 'Copy JSON' }).click();
  await expect.poll(async () => JSON.parse(await copied(page)).paths[0].name).toBe('generate');
  await frames.first().focus();
  await page.keyboard.press('y');
  await expect.poll(() => copied(page)).toMatch(/^span:/);

  // Its traces, slowest first; the slowest is opened, and the chain beside it tells why.
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('traceql')).toHaveValue('{ resource.service.name = "llama-70b" && name = "generate" }');
  await rows(page).first().click();
  await expect(page.getByTestId('story')).toBeVisible();
  await expect(page.getByRole('treeitem').filter({ hasText: 'generate' }).first()).toContainText(/\d s$/);
  const cause = page.getByTestId('chain-step').first();
  await expect(cause).toContainText('voltage sag');
  await cause.click();
  await expect(page.getByTestId('details')).toContainText('Input voltage 198.6 V below threshold');
  expect(complaints).toEqual([]);
});

test('what differs in a box of the flame graph: its spans of the incident against those before, by key and by menu', async ({
  page,
}) => {
  const complaints = watch(page);
  await open(page);
  await page.getByRole('tab', { name: 'Flame graph' }).click();
  await page.getByLabel(/incident against before/).check();
  // Of all traces, and of both times: until then boxes may still move under the focus.
  await expect(page.getByTestId('flame-window')).toContainText(/^Every span that begins .* beside /);
  await page.getByTestId('flame-box').first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(page.getByTestId('flame-told')).toContainText('llama-70b: generate');
  await page.keyboard.press('u');
  const leave = page.getByRole('button', { name: 'Leave this region' });
  await expect(leave).toHaveText('generate of service:llama-70b ×');
  await expect(page.getByLabel('against')).toHaveValue('quiet');
  const differences = page.getByRole('table', { name: 'What differs', exact: true }).locator('tbody tr');
  await expect(differences.first()).toContainText('generate of llama-70b');
  await expect(page.getByRole('tab', { name: /^(Logs|Metrics|Events)/ })).toHaveCount(0);
  await differences.first().focus();
  await page.keyboard.press('Enter');
  const examples = page.getByRole('table', { name: 'Examples', exact: true }).locator('tbody tr');
  await expect(examples.first()).toContainText('llama-70b generate');
  expect(await violations(page)).toEqual([]);
  await leave.click();
  await expect(page.getByRole('heading', { name: 'The incident' })).toBeVisible();

  await page.getByTestId('view-traces').click();
  await page
    .getByRole('treeitem', { name: /chat-api: POST/ })
    .first()
    .click({ button: 'right' });
  await page.getByRole('menuitem', { name: /What differs here/ }).click();
  await expect(leave).toHaveText(/^POST .* of service:chat-api ×$/);
  expect(complaints).toEqual([]);
});

test('a flame graph of many spans is told from some of the traces first, and says so until it is of all', async ({
  page,
}) => {
  const path = join(folder, 'many.faultline');
  await cp(join(folder, 'demo.faultline'), path, { recursive: true });
  await addSpans(path, { base_ns: 1_773_453_700_000_000_000n, requests: 400_000 });
  await page.goto(await served.start(path));
  await expect(page.getByTestId('hypothesis').first()).toBeVisible();
  await page.getByTestId('timeline-canvas').click({ position: { x: 400, y: 300 } });
  await page.keyboard.press('f');
  await page.getByTestId('view-traces').click();
  await page.getByRole('tab', { name: 'Flame graph' }).click();
  const words = page.getByTestId('flame-window');
  await expect(words).toContainText(/Estimated from 1 in \d+ of its traces/);
  await expect(page.getByTestId('flame-box').first()).toBeVisible();
  await page.getByRole('button', { name: 'Keep the estimate' }).click();
  await expect(page.getByText('This is an estimate from some of the traces.')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Copy JSON' }).click();
  await expect.poll(async () => JSON.parse(await copied(page)).estimated_from).toMatch(/^1 in \d+ of its traces$/);
  await page.getByRole('button', { name: 'Walk over all' }).click();
  await expect(words).toContainText('Every span that begins');
});

test('a case without spans says what would fill the view', async ({ page }) => {
  const path = join(folder, 'no-spans.faultline');
  const file = join(folder, 'events.json');
  const map = join(folder, 'topology.json');
  await writeFile(file, JSON.stringify({ events: [event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B')] }));
  await writeFile(map, JSON.stringify(topology));
  await faultline('import', path, file, map);
  await page.goto(await served.start(path));
  await page.getByTestId('view-traces').click();
  await expect(page.getByText('No spans were recorded in this case.')).toBeVisible();
  expect(await violations(page)).toEqual([]);
});
