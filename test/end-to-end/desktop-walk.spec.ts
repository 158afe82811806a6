import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { demoCase } from '../support/demo-case.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { executable, launch, root, watchTrouble } from './desktop-app.ts';
import { investigate } from './walk.ts';

test(`the same walk in the desktop app, on ${executable.name}: from a case to a saved post-mortem`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'faultline-desktop-'));
  await demoCase(folder);
  const app = await launch(root, {
    FAULTLINE_HOME: join(folder, 'home'),
    FAULTLINE_CASE: join(folder, 'demo.faultline'),
  });
  try {
    const page = await app.firstWindow();
    const trouble = watchTrouble(page);
    await investigate(page);
    const path = join(folder, 'saved.md');
    await app.evaluate(({ dialog }, filePath) => {
      dialog.showSaveDialog = async () => ({ canceled: false, filePath });
    }, path);
    await page.getByRole('button', { name: 'Report' }).first().click();
    await page.getByTestId('export-report').click();
    await expect.poll(() => readFile(path, 'utf8').catch(() => '')).toContain('voltage sag on PDU-B-rack-22');
    const printed = join(folder, 'saved.pdf');
    await app.evaluate(({ dialog }, filePath) => {
      dialog.showSaveDialog = async () => ({ canceled: false, filePath });
    }, printed);
    await page.getByTestId('report-forms').click();
    await page.getByRole('menuitem', { name: 'PDF' }).click();
    // The content is the same as in the HTML test; this checks the printed PDF: complete, tagged, with figures and links.
    const pdf = () => readFile(printed, 'latin1').catch(() => '');
    await expect.poll(pdf).toMatch(/^%PDF-1\.\d[\s\S]*%%EOF\s*$/);
    const pages = (await pdf()).match(/\/Type \/Page\b/g) ?? [];
    expect(pages.length).toBeGreaterThan(3);
    expect(await pdf()).toContain('/StructTreeRoot');
    expect(await pdf()).toContain('/Annot');
    expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
    expect(trouble).toEqual([]);
  } finally {
    await app.close();
    await removeFolder(folder);
  }
});
