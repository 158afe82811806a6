// The pictures of docs/images that show a capture: two exporters on loopback, one of which is away for a while.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';

/** As dcgm-exporter names them: [metric, lowest, highest]. */
const METRICS = [
  ['DCGM_FI_DEV_POWER_USAGE', 310, 690],
  ['DCGM_FI_DEV_GPU_TEMP', 48, 67],
  ['DCGM_FI_DEV_SM_CLOCK', 1500, 1980],
];

/** A GPU whose work comes and goes. */
async function exporter(host) {
  const answer = (_request, response) => {
    const share = 0.5 + 0.5 * Math.sin(Date.now() / 2500 + host.length);
    const labels = `gpu="0",UUID="GPU-${host}",device="nvidia0",modelName="NVIDIA H100 80GB HBM3",Hostname="${host}"`;
    const lines = METRICS.flatMap(([metric, low, high]) => [
      `# TYPE ${metric} gauge`,
      `${metric}{${labels}} ${Math.round(low + (high - low) * share)}`,
    ]);
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(`${lines.join('\n')}\n`);
  };
  let server;
  let port = 0;
  const start = () =>
    new Promise((resolve) => {
      server = createServer(answer).listen(port, '127.0.0.1', () => {
        ({ port } = server.address());
        resolve(undefined);
      });
    });
  const stop = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  await start();
  return { start, stop, url: `http://127.0.0.1:${port}/metrics` };
}

/**
 * @param {import('@playwright/test').Page} page
 * @param {{ cli: string, folder: string, take: (name: string) => Promise<void> }} options
 */
export async function takeLivePictures(page, { cli, folder, take }) {
  const [one, other] = [await exporter('node-1'), await exporter('node-2')];
  const child = spawn(process.execPath, [cli, 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, FAULTLINE_HOME: join(folder, 'live-home') },
  });
  try {
    const address = await new Promise((resolve) => child.stdout.once('data', (chunk) => resolve(String(chunk).trim())));
    await page.goto(address);
    await page.getByTestId('connect-live').click();
    await page
      .getByLabel('The plan as the command line reads it')
      .fill(
        `feeds:\n  - kind: prometheus\n    name: GPUs of node-1\n    url: ${one.url}\n    every_s: 1\n` +
          `  - kind: prometheus\n    name: GPUs of node-2\n    url: ${other.url}\n    every_s: 1\n`,
      );
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText(/\d+ values/).waitFor();
    await page.getByRole('navigation', { name: 'Feeds of the plan' }).getByText('✓ reached').nth(1).waitFor();
    await take('connect-live');
    await page.keyboard.press('Control+Enter');
    await page.getByTestId('lane').first().waitFor();
    await page.waitForTimeout(25_000);
    await other.stop();
    await page.waitForTimeout(15_000);
    await other.start();
    await page.waitForTimeout(10_000);
    await other.stop();
    await page.getByTestId('live').getByText('1 down').waitFor();
    await page.waitForTimeout(6000);
    await take('live');
    await page.getByTestId('live').getByRole('button', { name: /live/ }).click();
    await page.getByRole('table', { name: 'Live feeds' }).waitFor();
    await take('live-sources');
  } finally {
    child.kill('SIGTERM');
    await one.stop();
    await other.stop().catch(() => undefined);
  }
}
