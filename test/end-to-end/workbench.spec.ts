import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { faultline } from '../support/command-line.ts';
import { demoCase } from '../support/demo-case.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { event, service, topology } from '../support/scenario.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

let folder: string;
let served: Served;

/** GPU faults from two data sources, one of them with its clock an hour and half a second off. */
const faults = (source: string, ahead: number) => ({
  events: [130, 310.5, 440.25, 562, 871.125].map((seconds, i) =>
    event(`${source}-${i}`, seconds + ahead, source, 'xid_error', `GPU-${i}`, 'high'),
  ),
});

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-desk-'));
  served = new Served(folder);
  const files = {
    'kernel.json': faults('kernel', 0),
    'dcgm.json': faults('dcgm', 3600.5),
    'power.json': {
      events: [
        event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B'),
        event('e2', 691, 'redfish', 'psu_failover', 'server-1'),
      ],
    },
    'service.json': { service_metrics: service('inference') },
    'topology.json': topology,
  };
  for (const [name, document] of Object.entries(files)) await writeFile(join(folder, name), JSON.stringify(document));
  await faultline('import', join(folder, 'zone.faultline'), ...Object.keys(files).map((name) => join(folder, name)));
  await demoCase(folder);
});
test.afterAll(async () => {
  await served.stop();
  await removeFolder(folder);
});

async function open(page: Page, name: string): Promise<void> {
  await page.goto(await served.reuse(join(folder, name)));
  await expect(page.getByTestId('hypothesis').first()).toBeVisible();
}

const menu = (page: Page) => page.getByTestId('action-menu');

test('clocks show offset, uncertainty, evidence and a wrong time zone; a what-if starts there', async ({ page }) => {
  const consoleErrors = watch(page);
  await open(page, 'zone.faultline');
  const status = page.getByRole('button', { name: /^clock: / });
  await expect(status).toHaveText(/1 h 0\.5 s ± 0\.10 s/);
  await status.press('Enter');
  const clocks = page.getByRole('table', { name: 'Clocks' });
  const off = clocks.getByRole('row').filter({ hasText: 'time zone' });
  await expect(off).toContainText('estimated');
  await expect(off).toContainText('1 h 0.5 s ± 0.10 s');
  await expect(off).toContainText('looks like a time zone');
  await expect(off.getByRole('cell').nth(3)).toHaveText('5');
  await expect(clocks.getByRole('row').filter({ hasText: 'reference' })).toHaveCount(1);
  const unknown = clocks.getByRole('row').filter({ hasText: 'power.json' });
  await expect(unknown).toContainText('unknown');
  await expect(unknown).toContainText('assumed 0 s ± 1.00 s');
  await expect(clocks).not.toContainText('topology.json');
  await expect(page.getByRole('tab', { name: 'Clocks (1 off)' })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await unknown.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^0 s ± 1 s, not estimated: no linked event pairs/)).toBeVisible();
  await clocks.getByRole('button', { name: 'What if the clock of power.json had been set differently' }).press('Enter');
  const form = page.getByRole('form', { name: /clock.* had been set differently/ });
  await expect(form.getByLabel('Clock of').locator('option:checked')).toHaveText('power.json');
  await expect(form.getByLabel('Shift by')).toBeFocused();
  await page.keyboard.type('+1 h');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('supposition')).toHaveText([/power\.json 1 h later/]);
  await expect(page.getByTestId('what-if-sentence')).toContainText('the verdict changes to');
  expect(consoleErrors).toEqual([]);
});

test('shows which causal rules are in use, the problems of the own file, and its path', async ({ page }) => {
  const bundled = await faultline('mechanisms', '--json');
  expect(bundled.code).toBe(0);
  await open(page, 'zone.faultline');
  await page.getByRole('button', { name: 'Sources' }).click();
  await page.getByRole('tab', { name: 'Mechanisms' }).click();
  await expect(page.getByText('Using the built-in causal rules.')).toBeVisible();
  await expect(page.getByText(/save your own file as \$FAULTLINE_HOME.mechanisms\.yaml/)).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export the built-in rules' }).click(),
  ]);
  const text = await readFile(await download.path(), 'utf8');
  expect(text).toContain('voltage_sag');
  const own = join(folder, 'home/mechanisms.yaml');
  await mkdir(join(folder, 'home'), { recursive: true });
  await writeFile(own, text.replace('strength: 0.8', 'strength: 80'));
  try {
    await page.reload();
    await page.getByRole('button', { name: 'Sources' }).click();
    await page.getByRole('tab', { name: 'Mechanisms ▲' }).click();
    await expect(page.getByText(/your own file is not valid/)).toBeVisible();
    const wrong = page.getByRole('table', { name: 'Problems of the file' });
    await expect(wrong).toContainText('strength');
    await expect(wrong.getByRole('row').nth(1).getByRole('cell').first()).toHaveText(/^\d+$/);
    expect(await violations(page)).toEqual([]);
    // An unreadable file is reported without a path.
    await rm(own);
    await mkdir(own);
    await page.reload();
    await page.getByRole('button', { name: 'Sources' }).click();
    await page.getByRole('tab', { name: 'Mechanisms ▲' }).click();
    await expect(page.getByRole('alert')).toContainText('mechanisms.yaml cannot be read (EISDIR)');
    expect(await page.content()).not.toContain(folder);
    await rm(own, { recursive: true });
    await writeFile(own, text);
    await page.reload();
    await page.getByRole('button', { name: 'Sources' }).click();
    await page.getByRole('tab', { name: 'Mechanisms (own)' }).click();
    await expect(page.getByText('Using your own causal rules.')).toBeVisible();
    expect(await page.content()).not.toContain(folder);
  } finally {
    await rm(own, { recursive: true });
  }
});

test('rows: columns are selected and saved, filters apply, and copies match the screen, with units', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await open(page, 'demo.faultline');
  await page.keyboard.press('r');
  await page.getByRole('tab', { name: 'Spans' }).click();
  const table = page.getByRole('table', { name: 'span rows' });
  await expect(table.getByRole('row').nth(1)).toContainText(/ms|s/);
  await page.getByRole('button', { name: 'Columns' }).press('Enter');
  const choices = page.getByRole('group', { name: 'Columns shown' });
  await choices.getByLabel('status message').press('Space');
  await choices.getByLabel('source').press('Space');
  await page.keyboard.press('Escape');
  await expect(choices).toBeHidden();
  await expect(page.getByRole('button', { name: 'Columns (7 of 9)' })).toBeFocused();
  await expect(table.getByRole('columnheader', { name: 'source' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Filter', exact: true }).press('Enter');
  await table.getByLabel('Filter by duration').fill('> 1 s');
  await expect(page.getByTestId('rows-count')).toContainText('match the filter');
  const durations = () =>
    table
      .getByRole('row')
      .filter({ hasNot: page.getByRole('textbox') })
      .getByRole('cell', { name: / (s|ms|µs)$/ })
      .allTextContents();
  await expect
    .poll(async () => [...new Set((await durations()).map((text) => text.replace(/^[\d.]+ /, '')))])
    .toEqual(['s']);
  await table.getByLabel('Filter by service').fill('!llama');
  await expect(table.getByRole('cell', { name: 'llama-70b', exact: true })).toHaveCount(0);
  await table.getByLabel('Filter by service').fill('');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Copy Markdown' }).press('Enter');
  await expect.poll(clipboard).toMatch(/^\| ref \| start \(UTC\) \| service \| name \| duration \| kind \| status \|/);
  const lines = (await clipboard()).split('\n').slice(2);
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.every((line) => /\| \d+(\.\d+)? s \|/.test(line))).toBe(true);
  await page.getByRole('button', { name: 'Copy JSON' }).press('Enter');
  await expect.poll(clipboard).toContain('"duration_ms"');
  const records = JSON.parse(await clipboard()) as Record<string, unknown>[];
  expect(records).toHaveLength(lines.length);
  expect(Object.keys(records[0] ?? {})).not.toContain('source');
  expect(records.every(({ duration_ms }) => Number(duration_ms) > 1000)).toBe(true);
  // The columns are saved; filters are not, because they would hide rows unnoticed.
  await page.reload();
  await page.getByRole('tab', { name: 'Spans' }).click();
  await expect(page.getByRole('button', { name: 'Columns (7 of 9)' })).toBeVisible();
  await expect(table.getByLabel('Filter by duration')).toHaveValue('');
  await expect(page.getByTestId('rows-count')).not.toContainText('match the filter');
});

test('similar steps of a long chain are folded; the fold opens by key, and for a selected step', async ({ page }) => {
  const complaints = watch(page);
  await open(page, 'demo.faultline');
  const steps = page.getByTestId('chain-step');
  const fold = page.getByTestId('chain-fold').first();
  await expect(fold).toHaveText('and 2 more: gpu-node-06, gpu-node-07 (steps 3, 4)');
  await expect(steps).toHaveCount(6);
  await fold.focus();
  await page.keyboard.press('Enter');
  await expect(steps).toHaveCount(8);
  await expect(steps.nth(2)).toContainText('gpu-node-06');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('.');
  await expect(menu(page)).toContainText('What if: ignore these 2 events');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await expect(steps).toHaveCount(6);
  // A step that is selected elsewhere is always visible here.
  await steps.nth(1).click();
  await page.getByTestId('timeline-canvas').first().focus();
  await page.keyboard.press(']');
  await page.getByRole('tab', { name: 'Causes' }).click();
  await expect(page.locator('[data-testid="chain-step"][aria-current="step"]')).toContainText('gpu-node-06');
  expect(complaints).toEqual([]);
});

test('every item lists its actions, by right-click and by the dot key', async ({ page, context }) => {
  const complaints = watch(page);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await open(page, 'demo.faultline');
  // A chain step: the menu opens on it, moves, and returns the focus.
  const step = page.getByTestId('chain-step').nth(1);
  await step.focus();
  await page.keyboard.press('.');
  await expect(menu(page)).toContainText('psu failover on gpu-node-05');
  await expect(menu(page).getByRole('menuitem')).toHaveText([
    /^Show detailsEnter$/,
    /^Focus on this entityE$/,
    /^Zoom to itZ$/,
    /^Show its repairR$/,
    /^Copy as JSONJ$/,
    /^Copy as MarkdownK$/,
    /^Copy evidence idevent:8Y$/,
    /^What if: ignore this eventX$/,
    /^What if: ignore this layerL$/,
  ]);
  await page.keyboard.press('ArrowUp');
  await expect(menu(page).getByRole('menuitem').last()).toBeFocused();
  const playhead = await page.getByTestId('playhead-time').textContent();
  await page.keyboard.press('Escape');
  await expect(menu(page)).toBeHidden();
  await expect(step).toBeFocused();
  // The key belongs to the menu alone: the window would have removed the playhead.
  await expect(page.getByTestId('playhead-time')).toHaveText(playhead ?? '');
  // Shortcuts work without the menu.
  await page.keyboard.press('y');
  await expect.poll(clipboard).toBe('event:8');
  await page.keyboard.press('j');
  await expect.poll(clipboard).toContain('"device_id": "gpu-node-05"');
  await page.keyboard.press('k');
  await expect.poll(clipboard).toMatch(/^\*\*psu_failover on gpu-node-05.*\*\* \(`event:8`/);
  // A mark on the timeline, by mouse.
  await page.keyboard.press('z');
  await expect(page.getByTestId('details')).toBeHidden();
  await page.keyboard.press('i');
  const lane = page.locator('[data-lane="events:pdu:PDU-B-rack-22"]');
  // The mark exists once the lanes of the new window are loaded.
  await expect(async () => {
    const [label, ground] = [await lane.boundingBox(), await page.getByTestId('timeline-canvas').boundingBox()];
    const y = (label?.y ?? 0) + 12 - (ground?.y ?? 0);
    await page.getByTestId('timeline-canvas').click({ button: 'right', position: { x: 177, y } });
    await expect(menu(page)).toBeVisible({ timeout: 500 });
  }).toPass();
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('timeline-canvas')).toBeFocused();
  // A lane with its own shortcuts; a selected event of it comes first.
  await lane.focus();
  await page.keyboard.press('.');
  await expect(menu(page)).toContainText('pdu PDU-B-rack-22');
  await expect(menu(page).getByRole('menuitem', { name: /^Next event/ })).toContainText('N');
  await page.keyboard.press('p');
  await expect(page.getByTestId('details')).toContainText('voltage sag on PDU-B-rack-22');
  await lane.focus();
  await page.keyboard.press('.');
  await expect(menu(page).getByRole('menuitem', { name: /^What if: ignore this event/ })).toBeEnabled();
  await page.keyboard.press('Escape');
  // The selected record, wherever the focus is.
  for (const key of ['.', 'ContextMenu']) {
    await page.getByTestId('timeline-canvas').focus();
    await page.keyboard.press(key);
    await expect(menu(page)).toContainText('event:24');
    await page.keyboard.press('Escape');
    await expect(page.getByTestId('timeline-canvas')).toBeFocused();
  }
  // A card, a row, a data source.
  await page.keyboard.press('c');
  await page.getByTestId('hypothesis').first().getByRole('button').first().click({ button: 'right' });
  await expect(menu(page).getByRole('menuitem', { name: /^Compare with another/ })).toContainText('V');
  await page.keyboard.press('k');
  await expect.poll(clipboard).toMatch(/^\*\*1\. voltage sag on PDU-B-rack-22\*\*: 0\.98, likely/);
  await page.keyboard.press('r');
  const row = page
    .getByRole('table', { name: 'event rows' })
    .getByRole('row')
    .filter({ hasText: 'cpu_power_cap' })
    .first();
  await row.focus();
  await page.keyboard.press('e');
  await expect(page.getByRole('button', { name: /^Remove the filter for server:gpu-node/ })).toBeVisible();
  await page.getByRole('button', { name: 'Sources' }).click();
  await page
    .getByRole('table', { name: 'Sources' })
    .getByRole('row')
    .filter({ hasText: 'physical-events' })
    .click({ button: 'right' });
  await expect(menu(page).getByRole('menuitem', { name: /^What if its clock/ })).toBeEnabled();
  expect(await violations(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

for (const theme of ['dark', 'light'] as const)
  test(`axe finds nothing wrong with any view, ${theme}`, async ({ page }) => {
    await page.addInitScript(
      (name) => localStorage.setItem('faultline.preferences', JSON.stringify({ theme: name })),
      theme,
    );
    await open(page, 'demo.faultline');
    expect(await violations(page)).toEqual([]);
    await page.getByTestId('chain-step').first().click();
    await expect(page.getByTestId('raw-record')).toBeVisible();
    await page.keyboard.press('r');
    await expect(page.getByRole('table', { name: 'event rows' })).toBeVisible();
    expect(await violations(page)).toEqual([]);
    const shows = [
      ['causes', page.getByRole('heading', { name: 'Hypotheses' })],
      ['report', page.getByTestId('report-preview')],
      ['sources', page.getByRole('table', { name: 'Sources' })],
    ] as const;
    for (const [view, content] of shows) {
      await page.getByTestId(`view-${view}`).click();
      await expect(content).toBeVisible();
      expect(await violations(page)).toEqual([]);
    }
    await page.keyboard.press('?');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByTestId('view-topology').click();
    await page.locator('[data-node="pdu:PDU-B-rack-22"]').click();
    await expect(page.getByTestId('entity-panel')).toBeVisible();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Racks' }).click();
    await page.getByRole('tab', { name: 'Notes' }).click();
    await page.getByRole('textbox', { name: 'New note' }).fill('as reported on the phone');
    await page.keyboard.press('Control+Enter');
    await expect(page.getByTestId('note').last()).toContainText('as reported on the phone');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Control+k');
    await page.getByTestId('palette').fill('gpu');
    await expect(page.getByRole('listbox', { name: 'Results' }).getByRole('option').first()).toBeVisible();
    expect(await violations(page)).toEqual([]);
    // The next key may come before the dialog reports that it is closed.
    await page.evaluate(() => {
      document.querySelector<HTMLDialogElement>('dialog.palette')?.close();
      window.dispatchEvent(new KeyboardEvent('keydown', { key: '>' }));
    });
    await expect(page.getByTestId('palette')).toHaveValue('>');
    await page.keyboard.press('Control+k');
    await expect(page.getByTestId('palette')).toHaveValue('>');
    await page.keyboard.press('Escape');
    await expect(page.getByTestId('palette')).toBeHidden();
  });
