import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { faultline } from '../support/command-line.ts';
import { executable, launch, root, watchTrouble } from './desktop-app.ts';
import { investigate } from './walk.ts';

test(`the same walk in the desktop app, on ${executable.name}: from a case to a saved post-mortem`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'faultline-desktop-'));
  await faultline('demo', '--dir', folder);
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
    expect(trouble).toEqual([]);
  } finally {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  }
});
