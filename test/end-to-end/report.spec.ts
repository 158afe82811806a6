import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { faultline } from '../support/command-line.ts';
import { demoCase } from '../support/demo-case.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

let folder: string;
let served: Served;

test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-report-'));
  served = new Served(folder);
  await demoCase(folder);
});
test.afterEach(async () => {
  await served.stop();
  await removeFolder(folder);
});

async function openReport(page: Page): Promise<void> {
  await page.goto(await served.start(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
  await page.getByTestId('view-report').click();
  await expect(page.getByTestId('report-summary')).toContainText('was degraded for');
}

test('report text is written with a citation by keyboard, saved, exported, undone', async ({ page }) => {
  const consoleErrors = watch(page);
  await openReport(page);
  const summary = page.getByTestId('report-summary');
  await expect(page.getByRole('img', { name: /^The chain in time/ })).toBeVisible();
  const write = page.getByRole('button', { name: 'Add text to Summary' });
  await write.focus();
  await page.keyboard.press('Enter');
  const editor = page.getByRole('textbox', { name: 'Text of Summary' });
  await expect(editor).toBeFocused();
  await page.keyboard.type('One feed sagged, see @161');
  await expect(page.getByRole('listbox').getByRole('option').first()).toBeVisible();
  // Suggestions update synchronously: Enter right after the last letter takes the suggestion.
  await page.keyboard.type('.2');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'Preview of Summary' })).toContainText('voltage_sag on PDU-B-rack-22');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Control+Enter');
  await expect(editor).toBeHidden();
  await expect(summary).toContainText('One feed sagged, see voltage_sag on PDU-B-rack-22');
  await page.reload();
  await page.getByTestId('view-report').click();
  await expect(summary).toContainText('One feed sagged');
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('export-report').click()]);
  expect(await readFile(await download.path(), 'utf8')).toMatch(
    /One feed sagged, see \[voltage_sag on [^\]]+\]\(#e\d+\)/,
  );
  await page.getByRole('button', { name: 'Edit the text of Summary' }).click();
  // A plain field stands there until it is loaded.
  await expect(editor).toHaveAttribute('contenteditable', 'true');
  await editor.press('Control+a');
  // Both keys before the window can render: the last edit is saved too.
  await editor.evaluate((words) => {
    for (const key of [
      { key: 'Delete', keyCode: 46 },
      { key: 'Enter', keyCode: 13, ctrlKey: true },
    ])
      words.dispatchEvent(new KeyboardEvent('keydown', { ...key, bubbles: true, cancelable: true }));
  });
  await expect(page.getByRole('button', { name: 'Add text to Summary' })).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(summary).toContainText('One feed sagged');
  expect(consoleErrors).toEqual([]);
});

test('what is typed while the editor is loading is in the editor', async ({ page }) => {
  let load = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    load = resolve;
  });
  await page.route(/prose-editor/, async (route) => {
    await held;
    await route.continue();
  });
  await openReport(page);
  await page.getByRole('button', { name: 'Add text to Summary' }).press('Enter');
  const editor = page.getByRole('textbox', { name: 'Text of Summary' });
  await expect(editor).toBeFocused();
  await page.keyboard.type('sagged. See @161');
  await page.keyboard.press('Home');
  await page.keyboard.type('One feed ');
  await page.keyboard.press('End');
  load();
  await expect(page.getByRole('region', { name: 'Preview of Summary' })).toContainText('One feed sagged. See @161');
  await expect(editor).toBeFocused();
  await page
    .getByRole('option', { name: /voltage_sag/ })
    .first()
    .click();
  await page.keyboard.press('Control+Enter');
  await expect(page.getByTestId('report-summary')).toContainText('One feed sagged. See voltage_sag on PDU-B-rack-22');
});

test('changed facts are shown next to the text until the investigator decides', async ({ page }) => {
  const complaints = watch(page);
  await openReport(page);
  await page.getByRole('button', { name: 'Add text to What was not recorded' }).click();
  const editor = page.getByRole('textbox', { name: 'Text of What was not recorded' });
  await expect(editor).toBeFocused();
  await page.keyboard.type('We had no traces of the network.');
  await page.keyboard.press('Control+Enter');
  // Its preview has the same text: only a closed editor shows that the text is saved.
  await expect(editor).toBeHidden();
  const part = page.getByTestId('report-not_recorded');
  await expect(part).toContainText('We had no traces');
  await served.stop();
  const event = {
    id: 'n1',
    timestamp: '2026-03-14T02:00:00.000Z',
    source: 'kubernetes',
    type: 'node_ready',
    severity: 'low',
  };
  await faultline(
    'import',
    join(folder, 'demo.faultline'),
    await written({ events: [{ ...event, device_id: 'other-node' }, { broken: true }] }),
  );
  await openReport(page);
  const conflict = part.getByRole('note', { name: 'What was not recorded: the facts changed' });
  await expect(conflict).toContainText('could not be read');
  await expect(part).toContainText('We had no traces');
  expect(await violations(page)).toEqual([]);
  await part.getByRole('button', { name: 'Keep my text' }).click();
  await expect(conflict).toBeHidden();
  await expect(part).toContainText('We had no traces');
  expect(complaints).toEqual([]);
});

async function written(document: unknown): Promise<string> {
  const file = join(folder, 'late.json');
  await writeFile(file, JSON.stringify(document));
  return file;
}

test('other formats: HTML is downloaded, PDF needs the desktop app', async ({ page }) => {
  await openReport(page);
  await page.getByTestId('report-forms').click();
  const item = page.getByRole('menuitem', { name: /^HTML/ });
  const [download] = await Promise.all([page.waitForEvent('download'), item.click()]);
  expect(download.suggestedFilename()).toBe('demo-post-mortem.html');
  await page.getByTestId('report-forms').click();
  const pdf = page.getByRole('menuitem', { name: /^PDF/ });
  await expect(pdf).toBeDisabled();
  await expect(pdf).toContainText('in the desktop app');
});

test('a price catalog is selected, shown, rejected with its line, kept over a restart and removed', async ({
  page,
}) => {
  const complaints = watch(page);
  served = new Served(folder, { own: true });
  await openReport(page);
  const bar = page.getByTestId('rates');
  await expect(bar).toContainText('not set, so costs are unknown');
  const choose = async (name: string, text: string): Promise<void> => {
    const file = join(folder, name);
    await writeFile(file, text);
    const chooser = page.waitForEvent('filechooser');
    await bar.getByRole('button', { name: /catalog|Replace/ }).click();
    await (await chooser).setFiles(file);
  };
  const prices =
    'version: 1\ncurrency: EUR\nrates:\n  - {gpu: "*", per_gpu_hour: 2, bound: upper, as_of: 2026-01-02, source: list}\n';
  await choose('prices.yaml', prices);
  await expect(bar).toContainText('prices.yaml1 price in EUR, as of 2026-01-02upper bound');
  await expect(page.getByTestId('report-impact')).toContainText(/Cost: at most .*EUR/);
  await choose('faulty.yaml', prices.replace('2,', 'two,'));
  await expect(bar.getByRole('alert')).toContainText('line 4, rates.0.per_gpu_hour');
  await expect(bar).toContainText('prices.yaml');
  expect(await violations(page)).toEqual([]);
  await served.stop();
  await openReport(page);
  await expect(bar).toContainText('prices.yaml');
  // Dropped anywhere on the window.
  await page.getByTestId('view-timeline').click();
  const transfer = await page.evaluateHandle((text) => {
    const carried = new DataTransfer();
    carried.items.add(new File([text], 'other.yaml', { type: 'text/yaml' }));
    return carried;
  }, prices);
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
  await expect(bar).toContainText('other.yaml');
  await bar.getByRole('button', { name: 'Remove' }).click();
  await expect(bar).toContainText('not set, so costs are unknown');
  await expect(page.getByTestId('report-impact')).toContainText('Cost: unknown');
  expect(complaints).toEqual([]);
});

test('title, severity, owner and an accepted action are set in the report, by keyboard, and undone', async ({
  page,
}) => {
  const consoleErrors = watch(page);
  await openReport(page);
  const field = (name: string) => page.getByLabel(name, { exact: true }).first();
  await field('Title').focus();
  await page.keyboard.type('Sag of PDU-B slowed llama-70b');
  await page.keyboard.press('Tab');
  await page.keyboard.type('SEV2');
  await page.keyboard.press('Tab');
  await page.keyboard.type('ada');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Post-mortem: Sag of PDU-B slowed llama-70b' })).toBeVisible();
  await expect(page.getByTestId('report-summary').first()).toContainText(/SEV2\s*ada/);

  const items = page.getByTestId('action-items').first();
  await items.getByRole('button', { name: /^Accept: Restore the second supply/ }).press('Enter');
  const action = items.getByRole('group', { name: /^Restore the second supply/ });
  await action.getByLabel('Owner').fill('bob');
  await action.getByLabel('Priority').fill('P1');
  await action.getByLabel('Due').fill('2026-12-24');
  await action.getByLabel('Ticket').fill('OPS-7');
  await action.getByLabel('Done').click();
  await expect(action.getByLabel('Done')).toBeChecked();
  expect(await violations(page)).toEqual([]);
  const exported = async (): Promise<string> => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('export-report').click()]);
    return readFile(await download.path(), 'utf8');
  };
  expect(await exported()).toMatch(/\| ☑ Restore the second supply[^\n]*\| bob \| P1 \| 2026-12-24 \| OPS-7 \|/);
  await items.getByRole('button', { name: /^Remove: Restore the second supply/ }).click();
  await expect(action).toHaveCount(0);
  await page.getByTestId('view-report').focus();
  await page.keyboard.press('Control+z');
  await expect(action.getByLabel('Owner')).toHaveValue('bob');
  expect(consoleErrors).toEqual([]);
});

test('a summary for customers is chosen by keyboard, names nothing internal until it is written, and is exported', async ({
  page,
}) => {
  const complaints = watch(page);
  await openReport(page);
  await page.keyboard.press('>');
  await page.keyboard.type('Report as Customer');
  await page.keyboard.press('Enter');
  const layout = page.getByTestId('report-layout');
  await expect(layout).toHaveValue('customer');
  const preview = page.getByTestId('report-preview');
  await expect(preview).toContainText('Service 1 was impaired from 2026-03-14 02:18 to 02:21 UTC');
  await expect(page.getByTestId('report-customer_done')).toContainText('To be written: what ended the impact?');
  await expect(preview.getByRole('link')).toHaveCount(0);

  const name = page.getByRole('textbox', { name: 'Public name' });
  await name.fill('Chat API');
  await name.press('Enter');
  await expect(preview).toContainText('Chat API was impaired');
  await page.getByRole('button', { name: 'Add text to What happened' }).press('Enter');
  await expect(page.getByRole('textbox', { name: 'Text of What happened' })).toBeFocused();
  await page.keyboard.type('Power was lost at PDU-B-rack-22.');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByTestId('report-leaks')).toContainText('internal names: PDU-B-rack-22');
  expect(await violations(page)).toEqual([]);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('export-report').click()]);
  expect(download.suggestedFilename()).toBe('incident-of-2026-03-14-chat-api.md');
  const text = await readFile(await download.path(), 'utf8');
  expect(text).toContain('Power was lost at PDU-B-rack-22.');
  expect(text.replace('Power was lost at PDU-B-rack-22.', '')).not.toMatch(/PDU|gpu-node|llama|\(#/);

  await layout.selectOption('sre');
  await expect(page.getByTestId('report-trigger')).toContainText('voltage sag on PDU-B-rack-22');
  await page.getByTestId('report-forms').click();
  await expect(page.getByRole('menuitem', { name: /JSON/ })).toBeDisabled();
  await page.keyboard.press('Escape');
  expect(complaints).toEqual([]);
});
