import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, type Locator, type Page, test } from '@playwright/test';
import { removeFolder } from '../support/remove-folder.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

/**
 * Complete investigations, by keyboard alone after the import: incidents of the corpus that were not used for tuning, as files for
 * the ordinary importers.
 */
interface Incident {
  readonly files: readonly string[];
  readonly label: {
    readonly root: { readonly kind: string; readonly id: string } | null;
    readonly guilty_service: string | null;
  };
}

let folder: string;
let served: Served;
let consoleErrors: string[];

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-investigations-'));
  served = new Served(folder);
});
test.afterAll(() => removeFolder(folder));
test.beforeEach(async ({ page }) => {
  consoleErrors = watch(page);
  await page.goto(await served.start());
  await expect(page.getByTestId('drop-zone')).toBeVisible();
});
test.afterEach(async () => {
  await served.stop();
  expect(consoleErrors).toEqual([]);
});

async function incident(id: string): Promise<Incident> {
  const script = join(import.meta.dirname, '../support/write-incident.ts');
  const rawText = join(import.meta.dirname, '../../bench/raw-text.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', rawText, script, id, join(folder, id)], {
    maxBuffer: 64e6,
  });
  return JSON.parse(stdout) as Incident;
}

async function drop(page: Page, files: readonly string[]): Promise<void> {
  const texts = await Promise.all(files.map(async (file) => [basename(file), await readFile(file, 'utf8')] as const));
  const transfer = await page.evaluateHandle((dropped) => {
    const data = new DataTransfer();
    for (const [name, text] of dropped) data.items.add(new File([text], name));
    return data;
  }, texts);
  for (const type of ['dragenter', 'dragover', 'drop'])
    await page.getByTestId('app-root').dispatchEvent(type, { dataTransfer: transfer });
}

/** Presses Tab until the element has the focus; fails if Tab does not reach it. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 200; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('not reached by Tab');
}

async function command(page: Page, words: string): Promise<void> {
  await page.keyboard.press('>');
  await page.keyboard.type(words);
  await page.keyboard.press('Enter');
}

/** The exported post-mortem on disk. */
async function exported(page: Page): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), command(page, 'export the report')]);
  return readFile(await download.path(), 'utf8');
}

const first = (page: Page) => page.getByTestId('hypothesis').first();

test('power sag: from dropped files to the exported report', async ({ page }) => {
  const { files, label } = await incident('pdu_sag-e-1001');
  const pdu = label.root?.id ?? '';
  await drop(page, files);
  await expect(first(page)).toContainText(pdu);
  await expect(first(page)).toContainText('voltage sag');

  // Along the chain: each step shows its record and moves the playhead.
  const steps = page.getByTestId('chain-step');
  await expect(steps.first()).toContainText('voltage sag');
  await page.keyboard.press(']');
  await page.keyboard.press('[');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('raw-record')).toContainText(pdu);
  const sag = await page.getByTestId('playhead-time').textContent();

  // The same instant on the map, where the PDU has a problem and its dependents are named.
  await page.keyboard.press('3');
  const nodeMark = page.getByRole('button', { name: new RegExp(`^pdu ${pdu}, voltage sag`) });
  await tabTo(page, nodeMark);
  await page.keyboard.press('Enter');
  expect(await page.getByTestId('playhead-time').textContent()).toBe(sag);

  // The hypothesis is confirmed, and a note is added at the playhead.
  await page.keyboard.press('2');
  await tabTo(page, page.getByRole('button', { name: new RegExp(`^Confirm .*${pdu}`) }));
  await page.keyboard.press('Enter');
  await expect(first(page)).toContainText('confirmed');
  // A reason is asked for; Escape leaves it out, and it can be given later.
  const reason = page.getByRole('textbox', { name: 'Reason' });
  await page.keyboard.press('Escape');
  await expect(reason).toHaveCount(0);
  await expect(first(page)).toContainText('confirmed');
  await tabTo(page, page.getByRole('button', { name: new RegExp(`^Comment on .*${pdu}`) }));
  await page.keyboard.press('Enter');
  await expect(reason).toBeFocused();
  await page.keyboard.type('the PDU logged it');
  await page.keyboard.press('Enter');
  await expect(page.getByText('the PDU logged it').first()).toBeVisible();
  await page.keyboard.press('m');
  await page.keyboard.type('The utility confirmed a dip.');
  await page.keyboard.press('Control+Enter');
  await page.keyboard.press('Escape');

  const report = await exported(page);
  expect(report).toContain(pdu);
  expect(report).toMatch(/voltage sag/i);
  expect(report).toContain('The utility confirmed a dip.');
  expect(report).toMatch(/confirmed .* the PDU logged it/i);
});

test('GPU fault: files are opened, the GPU is found, and a what-if ignores it', async ({ page }) => {
  const { files, label } = await incident('xid_79-e-1000');
  await tabTo(page, page.getByTestId('open-files'));
  const chooser = page.waitForEvent('filechooser');
  // The page must know that its dialog is awaited before the key arrives: the two take different ways into a busy browser.
  await page.evaluate(() => undefined);
  await page.keyboard.press('Enter');
  await (await chooser).setFiles([...files]);
  await expect(first(page)).toContainText('xid error');

  // The GPU has two names: the search finds it by the one in the topology.
  await page.keyboard.press('Control+k');
  await page.keyboard.type(label.root?.id ?? '');
  await expect(page.getByRole('listbox', { name: 'Results' }).getByRole('option').first()).toContainText(/GPU/i);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('tabpanel').or(page.getByTestId('raw-record')).first()).toBeVisible();

  // Without the event the verdict changes; the what-if shows that, and the recorded verdict stays.
  await page.keyboard.press('Escape');
  await page.keyboard.press('2');
  const cause = page.getByTestId('chain-step').first();
  await expect(cause).toContainText('xid error');
  await tabTo(page, cause);
  await page.keyboard.press('x');
  await expect(page.getByTestId('what-if-sentence')).toContainText(/verdict (changes to|stays)/);
  await expect(first(page)).toContainText('xid error');
  await page.keyboard.press('Control+z');
  await expect(page.getByTestId('supposition')).toHaveCount(0);

  const report = await exported(page);
  expect(report).toMatch(/gpu lost/i);
  expect(report).not.toMatch(/supposed/i);
});

test('bad deploy: no device is blamed, and the report names the service', async ({ page }) => {
  const { files, label } = await incident('bad_deploy-e-1000');
  const service = label.guilty_service ?? '';
  await drop(page, files);
  await expect(first(page)).toContainText(service);
  const names = await page.getByTestId('hypothesis').allTextContents();
  expect(names[0]).not.toMatch(/pdu|ups|psu|gpu|fan/i);

  // Compared with the next hypothesis.
  await page.keyboard.press('2');
  await tabTo(page, first(page).getByRole('button').first());
  await page.keyboard.press('v');
  await tabTo(page, page.getByTestId('hypothesis').nth(1).getByRole('button').first());
  await page.keyboard.press('v');
  await expect(page.getByRole('region', { name: 'Two hypotheses side by side' })).toBeVisible();
  await page.keyboard.press('Escape');

  // Statistics from the onset on.
  await page.keyboard.press('1');
  await page.keyboard.press('i');
  await page.keyboard.press('b');
  for (let i = 0; i < 3; i++) await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('b');
  await expect(page.getByRole('region', { name: 'Statistics by lane' })).toContainText(service);

  await page.keyboard.press('>');
  await page.keyboard.type('Show Sources');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('table', { name: 'Sources' })).toContainText('logs.jsonl');
  const report = await exported(page);
  expect(report).toContain(service);
  expect(report).toMatch(/no physical cause|software/i);
});
