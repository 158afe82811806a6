// `node scripts/first-picture.mjs [COMMAND]`: the time from the start of an installed `faultline serve` to the first picture of the demo incident
// and to its verdict, three times, in a tab that is open already; and the processor time that it took, which other work on the machine
// hardly changes. COMMAND: the installed program; left out: the one that was built here.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '@playwright/test';

const [command] = process.argv.slice(2);
const own = [process.execPath, join(import.meta.dirname, '../out/main/cli.js')];
const [program = '', ...before] = command ? [command] : own;
const folder = mkdtempSync(join(tmpdir(), 'first-picture-'));
const env = { ...process.env, FAULTLINE_HOME: join(folder, 'home') };
const TICKS_PER_S = 100;

/** Processor time of a process so far, its threads included, in seconds; NaN where the system has no /proc. @param {number | undefined} pid */
function processorSeconds(pid) {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return Number.NaN;
  const text = readFileSync(file, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
}

/** @param {import('@playwright/test').Browser} browser */
async function measure(browser) {
  const page = await browser.newPage();
  const tools = await page.context().newCDPSession(page);
  await tools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const mainThread = async () => {
    const { metrics } = await tools.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  };
  const idle = await mainThread();
  const from = performance.now();
  const seconds = () => ((performance.now() - from) / 1000).toFixed(2);
  const served = spawn(program, [...before, 'serve', join(folder, 'demo.faultline')], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env,
  });
  const address = await new Promise((resolve) => served.stdout.once('data', (chunk) => resolve(String(chunk).trim())));
  const listens = `address ${seconds()} s (processor ${processorSeconds(served.pid).toFixed(2)} s)`;
  await page.goto(address);
  await page.locator('canvas').first().waitFor();
  const picture = seconds();
  const used = async () =>
    `processor: command ${processorSeconds(served.pid).toFixed(2)} s, main thread of the page ${((await mainThread()) - idle).toFixed(2)} s`;
  const untilPicture = await used();
  await page.getByTestId('chain-step').first().waitFor();
  const verdict = seconds();
  process.stdout.write(
    `${listens}, first picture ${picture} s (${untilPicture}), with its verdict ${verdict} s (${await used()})\n`,
  );
  await page.close();
  served.kill('SIGTERM');
  await new Promise((resolve) => served.once('exit', resolve));
}

spawnSync(program, [...before, 'demo', '--dir', folder], { stdio: 'ignore', env });
const executablePath = process.env.CHROMIUM_PATH;
const browser = await chromium.launch({ ...(executablePath ? { executablePath } : {}), args: ['--no-sandbox'] });
for (let i = 0; i < 3; i++) await measure(browser);
await browser.close();
rmSync(folder, { recursive: true });
