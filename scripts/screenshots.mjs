// Takes the pictures of docs/images anew, from the demo incident: `npm run screenshots` after `npm run build`;
// `-- --only live` those of a capture, `-- --only viewer` that of the viewer (after `npm run build:viewer`).
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { repairTraces } from '../test/support/repair-traces.ts';
import { drawnOtlp, drawnTraceId, MAINTENANCE } from '../test/support/trace-group-otlp.ts';
import { dumps, underneath } from '../test/support/training-job.ts';
import { takeLivePictures } from './live-pictures.mjs';
import { takeProposalPicture } from './proposal-picture.mjs';
import { takeViewerPicture } from './viewer-picture.mjs';

const cli = join(import.meta.dirname, '../out/main/cli.js');
const images = join(import.meta.dirname, '../docs/images');

const run = (...args) =>
  new Promise((resolve, reject) => {
    spawn(process.execPath, [cli, ...args], { stdio: 'ignore' }).once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${args[0]} ended with ${code}`)),
    );
  });

async function serve(folder, name) {
  const child = spawn(process.execPath, [cli, 'serve', join(folder, name)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, FAULTLINE_HOME: join(folder, 'home') },
  });
  const address = await new Promise((resolve) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk).trim()));
  });
  return { child, address };
}

/** The demo repairs nothing: a case of a few nodes that were, or were not. */
async function importRepairs(folder) {
  const ends = ['repaired', 'reboot failed', 'skipped', 'drain failed', 'repaired', 'nothing after quarantine'];
  const plan = (end, at) => ({
    node: `gpu-node-${at + 1}`,
    id: `${at + 1}`,
    at: at * 400,
    naming: 'operation',
    ends: end,
    drainS: 30 + 50 * at,
  });
  const file = join(folder, 'repairs.jsonl');
  await writeFile(file, repairTraces(ends.map(plan)));
  await run('import', join(folder, 'repairs.faultline'), file);
  return 'repairs.faultline';
}

async function showRepair(page) {
  await page.getByTestId('view-lifecycle').click();
  await page.getByRole('row').filter({ hasText: 'gpu-node-2' }).click();
}

/** Hardware over days. */
async function makeWornParts(folder) {
  await run('demo', '--scenario', 'worn-parts', '--dir', join(folder, 'worn'));
  return 'worn/worn-parts.faultline';
}

async function showParts(page) {
  await page.getByTestId('view-lifecycle').click();
  await page.getByRole('tab', { name: /^Parts/ }).click();
  await page.getByRole('img', { name: /^Error counters/ }).waitFor();
}

/** Linked traces, which the demo has none of: a repair that four programs did. */
async function importStory(folder) {
  const file = join(folder, 'maintenance.json');
  await writeFile(file, JSON.stringify(drawnOtlp(MAINTENANCE, { bmc: -7 })));
  await run('import', join(folder, 'trace.faultline'), file);
  return 'trace.faultline';
}

async function showStory(page) {
  await page.getByTestId('view-traces').click();
  await page.getByTestId('traceql').fill(`{ trace:id = "${drawnTraceId(0)}" }`);
  await page.keyboard.press('Enter');
  await page.getByRole('table', { name: 'Traces found' }).getByRole('row').nth(1).click();
  await page.getByTestId('waterfall-wait').first().waitFor();
  await page.locator('.waterfall-tree').focus();
  await page.keyboard.press('n');
  await page.keyboard.press('Enter');
}

/** A training job of 16 ranks that hangs, which the demo has none of. */
async function importJob(folder) {
  const job = join(folder, 'job');
  await mkdir(job);
  const files = Object.entries({ ...dumps('missing'), ...underneath() });
  for (const [name, text] of files) await writeFile(join(job, name), text);
  await run('import', join(folder, 'job.faultline'), ...files.map(([name]) => join(job, name)));
  return 'job.faultline';
}

async function showJob(page) {
  await page.getByTestId('view-jobs').click();
  await page.getByRole('row').filter({ hasText: 'did not enter the operation' }).click();
}

/** Each picture: its name, and how the window comes to show it from where the one before left it. */
const pictures = [
  ['timeline', async () => undefined],
  [
    'causes',
    async (page) => {
      await page.getByTestId('view-causes').click();
      await page.getByRole('heading', { name: 'Hypotheses' }).waitFor();
    },
  ],
  [
    'topology',
    async (page) => {
      await page.getByTestId('view-topology').click();
      await page.locator('[data-node="pdu:PDU-B-rack-22"]').click();
      await page.getByRole('textbox', { name: /^Text for/ }).fill('voltage log shows a dip on phase L2');
      await page.getByRole('button', { name: 'Note', exact: true }).click();
      await page.getByRole('button', { name: 'Suspect' }).click();
      await page.locator('[data-node="switch:tor-rack-22"]').click();
      await page.getByRole('button', { name: 'Cleared' }).click();
      await page.locator('.stamp.cleared').waitFor();
    },
  ],
  [
    'one-line',
    async (page) => {
      await page.getByRole('button', { name: 'One-line' }).click();
      await page.keyboard.press('Escape');
      await page.locator('.feed-text', { hasText: 'only supply' }).first().waitFor();
    },
  ],
  [
    'racks',
    async (page) => {
      await page.getByRole('button', { name: 'Racks' }).click();
      await page.getByRole('tab', { name: 'Notes' }).click();
    },
  ],
  [
    'traces',
    async (page) => {
      await page.getByTestId('view-traces').click();
      await page.getByTestId('traceql').fill('{ duration > 500ms }');
      await page.keyboard.press('Enter');
      await page.getByRole('tab', { name: 'Traces' }).click();
      await page.getByRole('table', { name: 'Traces found' }).getByText('llama-70b: generate').first().waitFor();
    },
  ],
  [
    'flame',
    async (page) => {
      await page.getByRole('tab', { name: 'Flame graph' }).click();
      await page.getByLabel(/compare incident with before/).check();
      await page.getByText('Largest changes of self time').waitFor();
    },
  ],
  [
    'logs',
    async (page) => {
      await page.getByTestId('view-logs').click();
      await page.keyboard.press('f');
      await page.getByRole('row', { name: /preempting sequence/ }).click();
      await page.getByTestId('log-records-count').filter({ hasText: 'records' }).waitFor();
    },
  ],
  [
    'patterns',
    async (page) => {
      await page.getByTestId('view-patterns').click();
      await page.getByRole('row').filter({ hasText: 'Feed sag with failover' }).click();
    },
  ],
  [
    'differences',
    async (page) => {
      await page.getByTestId('view-differences').click();
      await page.getByRole('row', { name: /generate of llama-70b/ }).click();
      await page.getByRole('table', { name: 'Examples' }).waitFor();
    },
  ],
  [
    'gpus',
    async (page) => {
      await page.getByTestId('view-gpus').click();
      await page.getByRole('table', { name: 'GPUs that differ' }).getByText('clock.sm').click();
      await page.getByTestId('gpu-metric').waitFor();
    },
  ],
  [
    'sql',
    async (page) => {
      await page.getByTestId('view-sql').click();
      await page.getByRole('button', { name: 'p99 per service and 10 s' }).click();
      await page.getByTestId('sql-count').getByText(/rows/).waitFor();
      await page.getByRole('tab', { name: 'Chart' }).click();
    },
  ],
  [
    'report',
    async (page) => {
      await page.getByTestId('view-report').click();
      await page.getByRole('button', { name: 'Add text to Summary' }).click();
      await page
        .getByRole('textbox', { name: 'Text of Summary' })
        .pressSequentially('One of two feeds sagged. See @161');
      await page
        .getByRole('option', { name: /voltage_sag/ })
        .first()
        .waitFor();
    },
  ],
  [
    'sources',
    async (page) => {
      await page.getByTestId('view-sources').click();
      await page.getByRole('table', { name: 'Sources' }).waitFor();
    },
  ],
  [
    'find',
    async (page) => {
      await page.getByTestId('view-timeline').click();
      await page.keyboard.press('Control+k');
      await page.getByTestId('palette').fill('node-05');
      await page.getByRole('option', { name: /psu failover/ }).waitFor();
    },
  ],
  [
    'home',
    async (page) => {
      await page.keyboard.press('Escape');
      await page.getByTestId('palette').waitFor({ state: 'hidden' });
      await page.keyboard.press('>');
      await page.getByTestId('palette').fill('>close case');
      await page.getByRole('option', { name: 'Close case' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByText('5 sources, 0 rejects').click();
    },
  ],
];

const folder = await mkdtemp(join(tmpdir(), 'faultline-pictures-'));
const executablePath = process.env.CHROMIUM_PATH;
const browser = await chromium.launch({ ...(executablePath ? { executablePath } : {}), args: ['--no-sandbox'] });
let served;
try {
  const only = ['live', 'viewer'].find((part) => process.argv.includes(part));
  if (!only) await takeAll();
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  const options = { cli, folder, take: (/** @type {string} */ name) => take(page, name) };
  if (only !== 'live') await takeViewerPicture(page, options);
  if (only !== 'viewer') {
    await takeProposalPicture(page, options);
    await takeLivePictures(page, options);
  }
} finally {
  await browser.close();
  served?.child.kill('SIGTERM');
  await rm(folder, { recursive: true, force: true });
}

async function take(page, name) {
  await page.waitForFunction(() => document.querySelector('progress, [role="progressbar"]') === null);
  await page.waitForTimeout(1000);
  await page.screenshot({ path: join(images, `${name}.png`) });
  console.log(`docs/images/${name}.png`);
}

async function takeAll() {
  await run('demo', '--dir', folder);
  served = await serve(folder, 'demo.faultline');
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  await page.goto(served.address);
  await page.getByTestId('chain-step').first().waitFor();
  for (const [name, show] of pictures) {
    await show(page);
    await take(page, name);
  }
  for (const [name, make, show] of [
    ['lifecycle', importRepairs, showRepair],
    ['parts', makeWornParts, showParts],
    ['trace', importStory, showStory],
    ['jobs', importJob, showJob],
  ]) {
    served.child.kill('SIGTERM');
    served = await serve(folder, await make(folder));
    await page.goto(served.address);
    await show(page);
    await take(page, name);
  }
}
