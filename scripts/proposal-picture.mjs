// The picture of docs/images that shows proposed links: the demo incident, and a cluster that knows two pods more of its service.
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { demoCluster } from '../test/support/demo-cluster.ts';

/**
 * @param {import('@playwright/test').Page} page
 * @param {{ cli: string, folder: string, take: (name: string) => Promise<void> }} options
 */
export async function takeProposalPicture(page, { cli, folder, take }) {
  const run = (...args) =>
    new Promise((resolve) => spawn(process.execPath, [cli, ...args], { stdio: 'ignore' }).once('exit', resolve));
  const home = join(folder, 'proposals');
  await run('demo', '--dir', home);
  const cluster = await demoCluster();
  const plan = join(home, 'plan.yaml');
  await writeFile(plan, cluster.plan);
  await run('capture', plan, '--case', join(home, 'demo.faultline'), '--duration', '3s');
  cluster.close();
  const child = spawn(process.execPath, [cli, 'serve', join(home, 'demo.faultline')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, FAULTLINE_HOME: join(home, 'home') },
  });
  try {
    await page.goto(
      await new Promise((resolve) => child.stdout.once('data', (chunk) => resolve(String(chunk).trim()))),
    );
    await page.getByTestId('chain-step').first().waitFor();
    await page.getByTestId('view-topology').click();
    await page.getByTestId('proposals').locator('summary').click();
    await page.locator('.proposed-link').first().waitFor();
    await take('proposals');
  } finally {
    child.kill('SIGTERM');
  }
}
