import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { removeFolder } from '../support/remove-folder.ts';
import { event, topology } from '../support/scenario.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

const fixtures = join(import.meta.dirname, '../../fixtures');
let folder: string;
let served: Served;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-import-walk-'));
  served = new Served(folder);
  const bundle = join(folder, 'bundle');
  await mkdir(join(bundle, 'node-3'), { recursive: true });
  await writeFile(join(bundle, 'topology.json'), JSON.stringify(topology));
  await writeFile(
    join(bundle, 'events.json'),
    JSON.stringify({ events: [event('e1', 1, 'ups', 'ups_transfer', 'UPS-1')] }),
  );
  await writeFile(
    join(bundle, 'node-3', 'dmesg.txt'),
    await readFile(join(fixtures, 'kernel-log/dmesg-with-xid-119.log')),
  );
  await writeFile(join(bundle, 'NOTES.md'), '# what happened\n');
  execFileSync('tar', ['czf', 'bundle.tar.gz', 'bundle'], { cwd: folder });
});
test.afterAll(() => removeFolder(folder));
test.afterEach(() => served.stop());

async function choose(page: Page, path: string | string[]): Promise<void> {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByTestId('open-files').click()]);
  await chooser.setFiles(path);
}

/** As `choose`, with an open case. */
async function chooseMore(page: Page, path: string | string[]): Promise<void> {
  await page.getByTestId('case-name').click();
  const files = page.getByRole('menuitem', { name: /Import files/ });
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), files.click()]);
  await chooser.setFiles(path);
}

const preview = (page: Page) => page.getByTestId('import-preview');
const openSources = (page: Page) => page.getByRole('button', { name: 'Sources' }).click();

test('an archive is previewed, detected values are corrected, and Sources shows the result', async ({ page }) => {
  const consoleErrors = watch(page);
  await page.goto(await served.start());
  await choose(page, join(folder, 'bundle.tar.gz'));
  await expect(preview(page)).toContainText('3 recognised, 1 not');
  await expect(preview(page)).toContainText('node-3/dmesg.txt');
  await preview(page)
    .getByLabel(/^device of .*dmesg/)
    .fill('node-3');
  const zone = preview(page).getByLabel(/^time zone of .*dmesg/);
  await zone.fill('Mars/Olympus');
  await expect(preview(page)).toContainText('is not a time zone');
  await expect(preview(page).getByRole('button', { name: /^Import/ })).toBeDisabled();
  await zone.fill('America/Los_Angeles');
  await preview(page)
    .getByLabel(/^import .*events\.json/)
    .uncheck();
  await preview(page).getByRole('button', { name: 'Import 2 sources' }).click();
  await expect(page.getByTestId('import-progress')).toContainText('1 file was not recognised');
  await openSources(page);
  await expect(page.getByRole('table', { name: 'Sources' })).toContainText('kernel-log');
  await expect(page.getByRole('table', { name: 'Sources' })).not.toContainText('events.json');
  // 16:24:18 local time in Los Angeles in February.
  await expect(page.getByRole('table', { name: 'Sources' })).toContainText('00:24:18');
  await expect(page.getByRole('table', { name: 'Assumptions and omissions' })).not.toContainText('read as UTC');
  expect(consoleErrors).toEqual([]);
});

test('nothing is imported if Escape closes the preview', async ({ page }) => {
  await page.goto(await served.start());
  await choose(page, join(folder, 'bundle.tar.gz'));
  await expect(preview(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(preview(page)).toBeHidden();
  await expect(page.getByTestId('open-files')).toBeVisible();
});

test('a dropped folder is imported with its paths', async ({ page }) => {
  await page.goto(await served.start());
  await page.getByTestId('open-files').waitFor();
  const files = {
    'events.json': await readFile(join(folder, 'bundle/events.json'), 'utf8'),
    'topology.json': await readFile(join(folder, 'bundle/topology.json'), 'utf8'),
  };
  // Browsers expose dropped folders only as entries, which a script cannot create.
  await page.evaluate((texts) => {
    const list = Object.entries(texts).map(([name, text]) => ({
      isFile: true,
      isDirectory: false,
      fullPath: `/rack 14/${name}`,
      file: (done: (file: File) => void) => done(new File([text], name)),
    }));
    const portions = [list, []];
    const directory = {
      isFile: false,
      isDirectory: true,
      createReader: () => ({ readEntries: (done: (entries: unknown[]) => void) => done(portions.shift() ?? []) }),
    };
    const drop = new Event('drop', { bubbles: true, cancelable: true });
    const dataTransfer = {
      files: [new File([], 'rack 14')],
      items: [{ webkitGetAsEntry: () => directory }],
      types: ['Files'],
    };
    Object.defineProperty(drop, 'dataTransfer', { value: dataTransfer });
    window.dispatchEvent(drop);
  }, files);
  await expect(preview(page)).toContainText('2 recognised');
  await preview(page).getByRole('button', { name: 'Import 2 sources' }).click();
  await openSources(page);
  await expect(page.getByRole('table', { name: 'Sources' })).toContainText('events.json');
});

test('an unknown table is mapped column by column', async ({ page }) => {
  await page.goto(await served.start());
  await choose(page, join(fixtures, 'parquet-unknown/plain.parquet'));
  await preview(page).getByRole('button', { name: 'view, edit' }).click();
  const form = page.getByRole('region', { name: /^columns of/ });
  await expect(form).toContainText('not recognised');
  await form.getByLabel('column for time, required').selectOption('timestamp_col');
  await form.getByLabel('column for type, required').selectOption('string_col');
  await form.getByLabel('column for entity, required').selectOption('id');
  await preview(page).getByRole('button', { name: 'Import 1 source' }).click();
  await openSources(page);
  await expect(page.getByRole('table', { name: 'Sources' })).toContainText('8 events');
});

const mostlyBad = (id: string) => ({
  events: [event(id, 1, 'ups', 'ups_transfer', 'UPS-1'), { id: 'bad' }, { id: 'worse' }, { id: 'worst' }],
});

async function writeBad(...names: readonly string[]): Promise<string[]> {
  const paths = names.map((name) => join(folder, `${name}.json`));
  for (const [i, path] of paths.entries()) await writeFile(path, JSON.stringify(mostlyBad(names[i]!)));
  return paths;
}

test('a file with mostly rejects needs a decision: Enter skips it, K imports it', async ({ page }) => {
  const complaints = watch(page);
  await page.goto(await served.start());
  await choose(page, await writeBad('one', 'two'));
  const dialog = page.getByRole('dialog', { name: 'Most of one.json could not be read' });
  await expect(dialog).toContainText('3 of 4 records were rejected');
  await expect(dialog).toContainText('Importing it adds 1 valid row');
  await expect(dialog).toContainText('event #: timestamp');
  await expect(dialog).toContainText('{"id":"bad"}');
  await expect(dialog).toContainText('1 left');
  await expect(dialog.getByRole('button', { name: /^Skip/ })).toBeFocused();
  await page.keyboard.press('Enter');
  const second = page.getByRole('dialog', { name: 'Most of two.json could not be read' });
  await expect(second).not.toContainText('rest of this import');
  await page.keyboard.press('k');
  await expect(second).toBeHidden();
  const panel = page.getByTestId('import-progress');
  await expect(panel).toContainText('Imported 1 data source');
  await expect(panel).toContainText('one.json: 3 of 4 records of one.json');
  await openSources(page);
  await expect(page.getByRole('table', { name: 'Sources' })).toContainText('two.json');
  await expect(page.getByRole('table', { name: 'Sources' })).not.toContainText('one.json');
  expect(complaints).toEqual([]);
});

test('one decision can apply to the rest, Escape skips, and a waiting import can be abandoned', async ({ page }) => {
  await page.goto(await served.start());
  await choose(page, await writeBad('three', 'four', 'five'));
  const dialog = page.getByTestId('rejects-dialog');
  await expect(dialog).toContainText('three.json');
  await dialog.getByLabel(/same for the rest/).check();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(page.getByTestId('import-progress')).toContainText('Imported 0 data sources');
  await expect(page.getByTestId('import-progress')).toContainText('five.json: 3 of 4 records');
  await page.getByTestId('import-progress').getByRole('button', { name: 'Close' }).click();
  // Closing the window during the decision leaves no data and no lock.
  await choose(page, await writeBad('six'));
  await expect(dialog).toBeVisible();
  await page.reload();
  await chooseMore(page, await writeBad('seven'));
  await expect(dialog).toContainText('seven.json');
  await page.keyboard.press('k');
  await expect(page.getByTestId('import-progress')).toBeHidden();
  await openSources(page);
  await expect(page.getByRole('table', { name: 'Sources' })).toContainText('seven.json');
  await expect(page.getByRole('table', { name: 'Sources' })).not.toContainText('six.json');
});

test('a duplicate file is rejected, and imported again on request', async ({ page }) => {
  await page.goto(await served.start());
  await choose(page, join(folder, 'bundle/events.json'));
  await openSources(page);
  const sources = page.getByRole('table', { name: 'Sources' });
  await expect(sources).toContainText('events.json');
  await chooseMore(page, join(folder, 'bundle/events.json'));
  // With a case open, the target is asked for first.
  await expect(preview(page).getByRole('radio', { name: /the open case/ })).toBeChecked();
  await preview(page).getByRole('button', { name: 'Import 1 source' }).click();
  const panel = page.getByTestId('import-progress');
  await expect(panel).toContainText('already in this case');
  await panel.getByRole('button', { name: 'Import again' }).click();
  await expect(panel).toBeHidden();
  await openSources(page);
  await expect(page.getByRole('table', { name: 'Assumptions and omissions' })).toContainText(
    'has the same bytes as events.json',
  );
});

test('merged names show their reason, and can be separated and merged again', async ({ page }) => {
  await page.goto(await served.start());
  const path = join(folder, 'names.json');
  const mappings = [{ physical_device_id: 'server-3', cloud_instance_id: 'i-03' }];
  const events = [
    event('e1', 1, 'redfish', 'psu_failover', 'server-3'),
    event('e2', 2, 'aws_health', 'host_degradation', 'i-03'),
  ];
  await writeFile(path, JSON.stringify({ mappings, events }));
  await choose(page, path);
  await openSources(page);
  await page.getByRole('tab', { name: /^Merged names/ }).click();
  const names = page.getByRole('table', { name: 'Merged names' });
  await expect(names).toContainText('cloud_instance_id i-03');
  await names.getByRole('button', { name: 'separate' }).last().click();
  await expect(names).toContainText('two entities, separated by you');
  await names.getByRole('button', { name: 'merge' }).click();
  await expect(names).not.toContainText('two entities, separated by you');
});
