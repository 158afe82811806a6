import { appendFile, mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CDPSession, expect, type Locator, type Page, test } from '@playwright/test';
import { demoCase } from '../support/demo-case.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

/**
 * Ten jobs of an investigation, and how many actions each takes: a key, a click, or a text that is typed is one. More actions than
 * docs/desk-jobs.md states are a defect. FAULTLINE_DESK_JOBS=FILE appends seconds and processor time, to be read beside the machine's load.
 */
let folder: string;
let served: Served;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-desk-'));
  served = new Served(folder);
  await demoCase(folder);
});
test.afterAll(async () => {
  await served.stop();
  await removeFolder(folder);
});

/** Someone at the desk: counts what they do. */
class Desk {
  actions = 0;
  private readonly since = Date.now();
  private readonly page: Page;
  private readonly session: CDPSession;
  private readonly before: number;

  private constructor(page: Page, session: CDPSession, before: number) {
    this.page = page;
    this.session = session;
    this.before = before;
  }

  static async sitDown(page: Page): Promise<Desk> {
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    return new Desk(page, session, await processorTime(session));
  }

  async press(key: string): Promise<void> {
    this.actions++;
    await this.page.keyboard.press(key);
  }

  async type(text: string): Promise<void> {
    this.actions++;
    await this.page.keyboard.type(text);
  }

  async click(target: Locator): Promise<void> {
    this.actions++;
    await target.click();
  }

  /** @param most actions that the job may take */
  async finish(job: string, most: number): Promise<void> {
    const seconds = (Date.now() - this.since) / 1000;
    const busy = (await processorTime(this.session)) - this.before;
    const file = process.env['FAULTLINE_DESK_JOBS'];
    if (file) await appendFile(file, `${job}\t${this.actions}\t${seconds.toFixed(1)} s\t${busy.toFixed(1)} s\n`);
    expect(this.actions, job).toBeLessThanOrEqual(most);
  }
}

/** Seconds that the window's main thread worked. */
async function processorTime(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
}

const headline = (page: Page) => page.getByTestId('headline').first();

/** The demo, with its verdict on screen. */
async function openDemo(page: Page): Promise<void> {
  await page.goto(await served.reuse(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
}

test('first minute', async ({ page }) => {
  const problems = watch(page);
  await page.goto(await served.reuse());
  const desk = await Desk.sitDown(page);
  await desk.click(page.getByRole('button', { name: 'Demo incident' }));
  await expect(headline(page)).toContainText('voltage sag on PDU-B-rack-22');
  await desk.finish('1 first minute: from the first page to the verdict', 1);
  expect(problems).toEqual([]);
});

test('own files', async ({ page }) => {
  const problems = watch(page);
  await served.stop();
  await page.goto(await served.start());
  const desk = await Desk.sitDown(page);
  const chosen = page.waitForEvent('filechooser');
  await desk.click(page.getByTestId('open-files'));
  const incident = join(import.meta.dirname, '../../fixtures/incidents/pdu-sag');
  await (await chosen).setFiles(['events.json', 'topology.json', 'traces.json'].map((name) => join(incident, name)));
  await expect(headline(page)).toContainText('voltage sag');
  await desk.finish('2 own files: three files to a root cause', 1);
  expect(problems).toEqual([]);
});

test('timeline and causes', async ({ page }) => {
  const problems = watch(page);
  await openDemo(page);
  let desk = await Desk.sitDown(page);
  await desk.press(']');
  await desk.press(']');
  await expect(page.getByTestId('playhead-time')).toContainText('02:18:0');
  await desk.press('Enter');
  await expect(page.getByTestId('raw-record')).toBeVisible();
  await desk.finish('3 timeline: along the chain to the record of a step', 3);

  desk = await Desk.sitDown(page);
  await desk.press('2');
  await desk.press('q');
  await expect(page.getByTestId('what-if').getByRole('button', { name: 'power', exact: true })).toBeFocused();
  await desk.press('Enter');
  await expect(page.getByTestId('what-if-sentence')).toContainText('Then the verdict changes');
  await desk.press('Control+z');
  await desk.click(page.getByRole('button', { name: /^Rule out .*PDU-B-rack-22/ }));
  await desk.type('the meter was being calibrated');
  await desk.press('Enter');
  await expect(headline(page)).toContainText(/Ruled out/i);
  await desk.press('Control+z');
  await desk.finish('4 causes: what if a layer had been missing; rule out with a reason; undo', 8);
  expect(problems).toEqual([]);
});

test('topology', async ({ page }) => {
  const problems = watch(page);
  await openDemo(page);
  const desk = await Desk.sitDown(page);
  await desk.press('3');
  await desk.click(page.locator('[data-node="server:gpu-node-05"]'));
  await desk.click(page.getByRole('textbox', { name: /^Text for/ }));
  await desk.type('PSU-B was replaced in May');
  await desk.press('Enter');
  await desk.click(page.getByRole('button', { name: 'Suspect' }));
  await desk.click(page.getByTestId('entity-panel').getByRole('button', { name: 'Edit links' }));
  await desk.click(page.getByRole('combobox', { name: 'New supply' }));
  await desk.type('PDU-A-rack-21');
  await desk.press('Enter');
  const link = page.getByRole('button', { name: 'Remove link: is fed by PDU-A-rack-21' });
  await expect(link).toBeVisible();
  await desk.click(page.getByRole('button', { name: 'Undo' }).first());
  await expect(link).toBeHidden();
  await desk.finish('5 topology: note, suspect, another supply, undo', 11);
  expect(problems).toEqual([]);
});

test('traces: a failed one against a good one, and a group against all others', async ({ page }) => {
  const problems = watch(page);
  await openDemo(page);
  let desk = await Desk.sitDown(page);
  await desk.press('4');
  await desk.click(page.getByTestId('traceql'));
  await desk.type('{ status = error }');
  await desk.press('Enter');
  const rows = page.locator('.trace-found tbody tr');
  await expect(page.getByTestId('trace-count')).toContainText('spans in');
  await desk.click(rows.first());
  await expect(page.getByTestId('trace-resources')).toBeVisible();
  await desk.finish('6a traces: failed ones, the slowest of them opened', 5);

  desk = await Desk.sitDown(page);
  await desk.click(page.getByTestId('trace-detail').getByRole('tab', { name: 'Compare' }));
  await desk.click(page.getByRole('button', { name: 'Use as baseline' }));
  await desk.click(rows.nth(1));
  await expect(page.getByText(/^This trace took .*, the other/)).toBeVisible();
  await desk.finish('6b traces: that one compared with another', 3);

  desk = await Desk.sitDown(page);
  await desk.press('Escape');
  await desk.click(page.getByRole('button', { name: 'Compare with others' }));
  await expect(page.getByTestId('traceql')).toHaveValue('{ } | compare({ status = error })');
  await expect(page.getByText(/By chance\?/i).first()).toBeVisible();
  await desk.finish('6c traces: all failed ones compared with all others', 2);
  expect(problems).toEqual([]);
});

test('GPUs, SQL, report and share', async ({ page }) => {
  const problems = watch(page);
  await openDemo(page);
  let desk = await Desk.sitDown(page);
  await desk.press('5');
  await expect(page.getByText(/^32 GPUs on/).first()).toBeVisible();
  await desk.click(page.getByTestId('view-sql'));
  await desk.click(page.getByRole('button', { name: 'p99 per service and 10 s' }));
  await desk.click(page.getByRole('tab', { name: 'Chart' }));
  await expect(page.getByRole('application').first()).toBeVisible();
  await desk.finish('7 others: the GPUs that differ; a query and its chart', 4);

  desk = await Desk.sitDown(page);
  await desk.click(page.getByTestId('view-report'));
  await desk.click(page.getByRole('button', { name: 'Add text to Summary' }));
  await expect(page.getByRole('textbox', { name: 'Text of Summary' })).toBeFocused();
  await desk.type('One feed sagged, see @161.2');
  await expect(page.getByRole('option', { name: /voltage_sag/ }).first()).toBeVisible();
  await desk.press('Enter');
  await desk.press('Control+Enter');
  await expect(page.getByTestId('report-summary')).toContainText('One feed sagged, see voltage_sag');
  const report = page.waitForEvent('download');
  await desk.click(page.getByTestId('export-report'));
  expect((await report).suggestedFilename()).toContain('post-mortem');
  await desk.finish('8 report: a sentence with its record, saved and exported', 6);

  desk = await Desk.sitDown(page);
  await desk.click(page.getByTestId('share'));
  const bundle = page.waitForEvent('download');
  await desk.press('Control+Enter');
  expect((await bundle).suggestedFilename()).toMatch(/\.flb$/);
  await desk.finish('9 share: a bundle', 2);
  expect(problems).toEqual([]);
});

test('live', async ({ page }) => {
  const problems = watch(page);
  await served.stop();
  await page.goto(await served.start());
  const port = await freePort();
  const desk = await Desk.sitDown(page);
  await desk.click(page.getByTestId('connect-live'));
  await desk.click(page.getByTestId('add-otlp'));
  const http = page.getByTestId('connect-live-dialog').getByRole('textbox', { name: 'http' }).first();
  await desk.click(http);
  await desk.press('Control+a');
  await desk.type(`127.0.0.1:${port}`);
  await desk.press('Control+Enter');
  await expect(page.getByTestId('live')).toContainText('1 up');
  await desk.finish('10 live: an OpenTelemetry receiver that records', 6);
  expect(problems).toEqual([]);
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
