// `node scripts/first-picture.mjs [COMMAND]`: the time from the start of an installed `faultline serve` to the first picture of the demo incident
// with its verdict, three times. COMMAND: the installed program; left out: the one that was built here.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '@playwright/test';

const [command] = process.argv.slice(2);
const own = [process.execPath, join(import.meta.dirname, '../out/main/cli.js')];
const [program = '', ...before] = command ? [command] : own;
const folder = mkdtempSync(join(tmpdir(), 'first-picture-'));
const env = { ...process.env, FAULTLINE_HOME: join(folder, 'home') };
spawnSync(program, [...before, 'demo', '--dir', folder], { stdio: 'ignore', env });
const executablePath = process.env.CHROMIUM_PATH;
const browser = await chromium.launch({ ...(executablePath ? { executablePath } : {}), args: ['--no-sandbox'] });
for (let i = 0; i < 3; i++) {
  const from = performance.now();
  const seconds = () => ((performance.now() - from) / 1000).toFixed(2);
  const served = spawn(program, [...before, 'serve', join(folder, 'demo.faultline')], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env,
  });
  const address = await new Promise((resolve) => served.stdout.once('data', (chunk) => resolve(String(chunk).trim())));
  const listens = seconds();
  const page = await browser.newPage();
  await page.goto(address);
  await page.locator('canvas').first().waitFor();
  const picture = seconds();
  await page.getByTestId('chain-step').first().waitFor();
  process.stdout.write(`address ${listens} s, first picture ${picture} s, with its verdict ${seconds()} s\n`);
  await page.close();
  served.kill('SIGTERM');
  await new Promise((resolve) => served.once('exit', resolve));
}
await browser.close();
rmSync(folder, { recursive: true });
