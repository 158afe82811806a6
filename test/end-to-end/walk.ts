import { readFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';

/** Unexpected page output: errors, and violations of the content security policy. */
export function watch(page: Page): string[] {
  const consoleErrors: string[] = [];
  page.on('pageerror', (error) => consoleErrors.push(`pageerror ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || /content security policy/i.test(message.text()))
      consoleErrors.push(message.text());
  });
  return consoleErrors;
}

/** The part of an investigation that must be the same in every host: from an open demo case to its post-mortem. */
export async function investigate(page: Page): Promise<void> {
  await expect(page.getByTestId('case-name')).toContainText('demo');
  await expect(page.getByTestId('incident').first()).toContainText('llama-70b');
  await expect(page.getByTestId('hypothesis').first()).toContainText('PDU-B-rack-22');
  await expect(page.getByTestId('chain-step')).toHaveCount(6);
  await expect(page.getByTestId('chain-step').first()).toContainText('voltage sag');
  await page.getByTestId('chain-step').first().click();
  await expect(page.getByTestId('raw-record')).toContainText('"device_id": "PDU-B-rack-22"');
  const playhead = page.getByTestId('playhead-time');
  await expect(playhead).toContainText('02:18:02.400');
  await page.getByTestId('timeline-canvas').first().focus();
  await page.keyboard.press(']');
  await expect(playhead).not.toContainText('02:18:02.400');
}

/** Without a save dialog: the browser download of the exported report. */
export async function exportedReport(page: Page): Promise<{ readonly name: string; readonly text: string }> {
  await page.getByRole('button', { name: 'Report' }).first().click();
  await expect(page.getByTestId('report-preview')).toContainText('Post-mortem: demo');
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('export-report').click()]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
}

/** Visible lanes by id. */
export const lanes = (page: Page): Promise<string[]> =>
  page.getByTestId('lane').evaluateAll((found) => found.map((lane) => lane.getAttribute('data-lane') ?? ''));
