// The picture of docs/images that shows the browser viewer, as `npm run build:viewer` made it, with the demo's bundle.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { serveStatic } from '../test/support/static-server.ts';

const viewer = join(import.meta.dirname, '../out/viewer/');

/**
 * @param {import('@playwright/test').Page} page
 * @param {{ cli: string, folder: string, take: (name: string) => Promise<void> }} options
 */
export async function takeViewerPicture(page, { cli, folder, take }) {
  const run = (...args) =>
    new Promise((resolve) => spawn(process.execPath, [cli, ...args], { stdio: 'ignore' }).once('exit', resolve));
  const home = join(folder, 'viewer');
  await run('demo', '--dir', home);
  await run('export', join(home, 'demo.faultline'), '--bundle', join(home, 'demo.flb'));
  const server = await serveStatic({ '/viewer/': viewer, '/bundles/': home });
  try {
    await page.goto(`${server.origin}/viewer/?bundle=/bundles/demo.flb`);
    await page.getByTestId('chain-step').first().waitFor();
    await page.keyboard.press('2');
    await page.getByRole('button', { name: /^Accept .*PDU-B-rack-22/ }).click();
    await page.getByTestId('share').click();
    await page.getByTestId('share-dialog').waitFor();
    await take('viewer');
  } finally {
    await server.close();
  }
}
