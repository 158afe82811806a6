import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { faultline } from '../support/command-line.ts';
import { demoCase } from '../support/demo-case.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

let folder: string;
let served: Served;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-share-'));
  served = new Served(folder);
  await demoCase(folder);
});
test.afterAll(() => removeFolder(folder));
test.afterEach(() => served.stop());

test('a case is shared by keyboard, and its recipient sees the same verdict', async ({ page }) => {
  const consoleErrors = watch(page);
  await page.goto(await served.start(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('hypothesis').first()).toContainText('PDU-B-rack-22');
  await page.getByTestId('share').focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByTestId('share-dialog');
  await expect(dialog).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await expect(page.getByTestId('share-preview')).toContainText('rows');
  const downloaded = page.waitForEvent('download');
  await page.keyboard.press('Control+Enter');
  const bundle = join(folder, 'shared.flb');
  await (await downloaded).saveAs(bundle);
  await expect(page.getByTestId('share-done')).toContainText('Not signed');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  expect(consoleErrors).toEqual([]);

  expect(await faultline('verify', bundle)).toMatchObject({ code: 0 });
  // Opened in a window without the original case.
  await served.stop();
  await page.goto(await served.start());
  const chooser = page.waitForEvent('filechooser');
  await page.getByTestId('open-files').click();
  await (await chooser).setFiles(bundle);
  await expect(page.getByTestId('hypothesis').first()).toContainText('PDU-B-rack-22');
  await expect(page.getByTestId('case-name')).toHaveText('demo');
});

test('replacement names are previewed; wrong rules and a missing key are reported in place', async ({ page }) => {
  await page.goto(await served.start(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('hypothesis').first()).toContainText('PDU-B-rack-22');
  await page.getByTestId('share').click();
  const dialog = page.getByTestId('share-dialog');
  await dialog.getByRole('checkbox', { name: /Replace names/ }).check();
  await dialog.getByRole('radio', { name: /Current focus/ }).check();
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await expect(page.getByTestId('share-preview')).toContainText('pdu-b-rack-22');
  expect(await violations(page)).toEqual([]);
  const downloaded = page.waitForEvent('download');
  await dialog.getByRole('button', { name: /Save the bundle/ }).click();
  const bundle = join(folder, 'redacted.flb');
  await (await downloaded).saveAs(bundle);
  const report = await faultline('report', bundle);
  expect(report.out).toContain('names were replaced');
  expect(report.out.toLowerCase()).not.toContain('pdu-b-rack-22');
  await dialog.getByRole('textbox', { name: 'Rules' }).fill('nonsense: [');
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await expect(dialog.getByRole('alert')).toContainText('no YAML');
});
