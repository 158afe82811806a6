import { copyFile, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect, type Page, test } from '@playwright/test';
import { hasSecretService } from '../support/keychain-session.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { hasSnmpd, type Snmpd, snmpd } from '../support/snmpd.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { lanes, watch } from './walk.ts';

const APC = '1.3.6.1.4.1.318';
const CURRENT = 'metric:pdu:rack-7-pdu-a:hw.current';
process.env['FAULTLINE_LIVE_COMMUNITY'] = 'hall-b-monitor';
process.env['FAULTLINE_LIVE_WRONG'] = 'not the community';

let folder: string;
let served: Served;
let agent: Snmpd;

/** With motion, as most people have it; the other walks wait for nothing that moves. */
test.use({ contextOptions: { reducedMotion: 'no-preference' } });
test.skip(!hasSnmpd, 'snmpd is not installed');
test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-live-'));
  served = new Served(folder);
  const recording = join(folder, 'pdu.snmprec');
  await copyFile(join(import.meta.dirname, '../../fixtures/snmp-walk/rack-pdu2.snmprec'), recording);
  agent = await snmpd(recording, APC, [], folder);
});
test.afterEach(async () => {
  await served.stop();
  await agent.stop();
  await removeFolder(folder);
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Spans of a service, sent by the official SDK. */
async function sendSpans(port: number, service: string): Promise<void> {
  const exporter = new OTLPTraceExporter({ url: `http://127.0.0.1:${port}/v1/traces` });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    spanProcessors: [new BatchSpanProcessor({ exporter } as never)],
  });
  const tracer = provider.getTracer('test');
  for (let at = 0; at < 50; at++) tracer.startSpan(`step ${at % 3}`).end();
  await provider.forceFlush();
  await provider.shutdown();
}

/** Axe violations in either theme; the page is restored afterwards. */
async function inBothThemes(page: Page): Promise<string[]> {
  const show = (theme: string) =>
    page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme);
  const found: string[] = [];
  for (const theme of ['light', 'dark']) {
    await show(theme);
    found.push(...(await violations(page)));
  }
  return found;
}

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: false }).first();
const plan = (page: Page) => page.getByLabel('The plan as the command line reads it');

test('a plan is made, tested and started in the window, and continues after a reload', async ({ page }) => {
  const consoleErrors = watch(page);
  await page.goto(await served.start('--send-secrets'));
  await page.getByTestId('connect-live').click();
  const dialog = page.getByTestId('connect-live-dialog');
  await expect(dialog.getByRole('heading', { name: 'Select a feed to record' })).toBeVisible();
  expect(await inBothThemes(page)).toEqual([]);

  // By keyboard alone: the kind, its fields, the test.
  await page.getByTestId('add-snmp').press('Enter');
  // An empty field is no mistake until it is left.
  await expect(field(page, 'host')).toHaveAttribute('aria-invalid', 'false');
  await field(page, 'host').focus();
  await page.keyboard.press('Tab');
  await expect(field(page, 'host')).toHaveAttribute('aria-invalid', 'true');
  await expect(field(page, 'host')).toHaveAccessibleDescription(/Required/);
  await expect(dialog.getByRole('button', { name: /Start recording/ })).toBeDisabled();
  await field(page, 'host').fill('127.0.0.1');
  await field(page, 'port').fill('70000');
  await expect(field(page, 'port')).toHaveAccessibleDescription(/65535/);
  await field(page, 'port').fill(String(agent.port));
  await expect(field(page, 'port')).toHaveAttribute('aria-invalid', 'false');
  await field(page, 'community').fill('env:FAULTLINE_LIVE_WRONG');
  await field(page, 'timeout').fill('0.5');
  await dialog.getByRole('button', { name: 'Test', exact: true }).press('Enter');
  const steps = dialog.getByRole('list', { name: 'Steps of the test' });
  await expect(steps).toContainText('auth failed');
  await expect(steps).toContainText('does not answer this community');
  expect(await inBothThemes(page)).toEqual([]);
  await field(page, 'community').fill('env:FAULTLINE_LIVE_COMMUNITY');
  // A busy machine may take longer to answer than the half second above, which lets the wrong community fail soon.
  await field(page, 'timeout').fill('30');
  await expect(steps).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Test', exact: true }).press('Enter');
  await expect(steps).toContainText(/values ok/);

  // The plan file of the command line: text edits appear in the form, and form edits in the text.
  const port = await freePort();
  await expect(plan(page)).toHaveValue(/kind: snmp\n {4}host: 127\.0\.0\.1\n/);
  const text = await plan(page).inputValue();
  await plan(page).fill(`${text}  - kind: otlp\n    name: traces\n    grpc: null\n    http: nowhere\n`);
  await dialog
    .getByRole('navigation')
    .getByRole('button', { name: /traces/ })
    .press('Enter');
  await expect(field(page, 'http')).toHaveAccessibleDescription(/is written host:port/);
  await field(page, 'http').fill(`127.0.0.1:${port}`);
  await expect(plan(page)).toHaveValue(new RegExp(`http: 127.0.0.1:${port}\n`));
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: /Save the plan/ }).click(),
  ]);
  expect(await readFile(await download.path(), 'utf8')).toBe(await plan(page).inputValue());
  await page.keyboard.press('Control+Enter');

  const live = page.getByTestId('live');
  await expect(live).toContainText('2 up');
  await expect.poll(() => lanes(page)).toContainEqual(expect.stringContaining(CURRENT));
  await sendSpans(port, 'checkout-api');
  await expect.poll(() => lanes(page)).toContainEqual(expect.stringContaining('checkout-api'));
  expect(await inBothThemes(page)).toEqual([]);

  await page.reload();
  await expect(live).toContainText('2 up');
  const other = await page.context().newPage();
  await other.goto(page.url());
  await expect(other.getByTestId('live')).toContainText('2 up');
  await other.close();

  // Closing the case asks for confirmation.
  await page.getByTestId('case-name').click();
  await page.getByRole('menuitem', { name: /Close case/ }).click();
  const endsDialog = page.getByTestId('capture-ends-dialog');
  await expect(endsDialog).toContainText('2 up');
  await page.keyboard.press('Escape');
  await expect(live).toContainText('2 up');
  await page.getByTestId('case-name').click();
  await page.getByRole('menuitem', { name: /Close case/ }).click();
  await endsDialog.getByRole('button', { name: /End capture/ }).click();
  await expect(page.getByTestId('drop-zone')).toBeVisible();
  expect(consoleErrors).toEqual([]);
});

/** Starts a capture of the agent by a plan file. */
async function record(page: Page): Promise<void> {
  await page.goto(await served.start('--send-secrets'));
  await page.getByTestId('connect-live').click();
  const settings = `host: 127.0.0.1, port: ${agent.port}, community: "env:FAULTLINE_LIVE_COMMUNITY", every_s: 0.5, timeout_s: 0.4`;
  const file = join(folder, 'plan.yaml');
  await writeFile(file, `feeds:\n  - {kind: snmp, name: pdu, ${settings}}\n`);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: /Open a plan/ }).click();
  await (await chooser).setFiles(file);
  await expect(field(page, 'name')).toHaveValue('pdu');
  await expect(page.getByRole('button', { name: /Start recording/ })).toBeEnabled();
  await page.keyboard.press('Control+Enter');
  await expect(page.getByTestId('live')).toContainText('up');
  await expect.poll(() => lanes(page)).toContainEqual(expect.stringContaining(CURRENT));
}

/** Time of day at the end of the window, in seconds. */
async function rightEnd(page: Page): Promise<number> {
  const text = (await page.getByTestId('window-range').textContent()) ?? '';
  const [, hours, minutes, seconds] = / - (?:.*\s)?(\d+):(\d+):([\d.]+) /.exec(text) ?? [];
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

test('the timeline follows, pauses, catches up, and hatches the outage of a feed', async ({ page }) => {
  const complaints = watch(page);
  await record(page);
  const pause = page.getByTestId('live').getByRole('button', { name: 'Pause' });
  const catchUp = page.getByTestId('live').getByRole('button', { name: 'Catch up' });
  await expect(pause).toBeVisible();

  // It follows real time, not faster (smoothness: `npm run bench:ui -- --only live`).
  const first = await rightEnd(page);
  const began = Date.now();
  await expect.poll(() => rightEnd(page)).toBeGreaterThan(first + 3);
  const [followed, passed] = [(await rightEnd(page)) - first, (Date.now() - began) / 1000];
  expect(followed).toBeLessThan(passed + 1);

  // Moving the window elsewhere stops following.
  await page.getByTestId('timeline-canvas').first().focus();
  await page.keyboard.press('a');
  await expect(catchUp).toBeVisible();
  const paused = await rightEnd(page);
  await page.waitForTimeout(1500);
  expect(await rightEnd(page)).toBe(paused);
  await page.keyboard.press('Space');
  await expect(pause).toBeVisible();
  await expect.poll(() => rightEnd(page)).toBeGreaterThan(paused + 1);
  await page.keyboard.press('Space');
  await expect(catchUp).toBeVisible();
  await page.keyboard.press('Space');
  // Zooming in keeps following.
  for (let at = 0; at < 4; at++) await page.keyboard.press('w');
  await expect(pause).toBeVisible();

  // A feed that stops: named, hatched, and without a line across.
  await agent.stop();
  const live = page.getByTestId('live');
  await expect(live).toContainText('1 down');
  const row = page.locator(`[data-lane^="${CURRENT}"]`).first();
  const box = await row.boundingBox();
  const canvas = await page.getByTestId('timeline-canvas').first().boundingBox();
  if (!box || !canvas) throw new Error('there is no lane');
  const at = { x: canvas.x + canvas.width * 0.87, y: box.y + box.height / 2 };
  // The hatching arrives there with time.
  await expect(async () => {
    await page.mouse.move(at.x, at.y);
    await page.mouse.move(at.x + 1, at.y);
    await expect(page.getByRole('tooltip')).toContainText('its feed was down', { timeout: 500 });
  }).toPass();
  await expect(page.getByRole('tooltip')).toContainText('no answer from 127.0.0.1');
  expect(await inBothThemes(page)).toEqual([]);
  await agent.start();
  await expect(live).toContainText('1 up');
  await live.getByRole('button', { name: /live/ }).click();
  await expect(page.getByRole('table', { name: 'Live feeds' })).toContainText('pdu');
  await page.getByRole('tab', { name: /^Gaps/ }).click();
  await expect(page.getByRole('table', { name: 'Gaps' })).toContainText('no answer from 127.0.0.1');
  expect(await inBothThemes(page)).toEqual([]);
  await page.getByRole('tab', { name: /^Live feeds/ }).click();
  await page.getByRole('button', { name: 'End the capture' }).click();
  await expect(live).toHaveCount(0);
  expect(complaints).toEqual([]);
});

test('a secret is stored in the keychain and nowhere else', async ({ page }) => {
  test.skip(!hasSecretService, 'gnome-keyring or dbus-run-session is not installed');
  served = new Served(folder, { keychain: true });
  const sent: string[] = [];
  page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => void sent.push(String(payload))));
  await page.goto(await served.start('--send-secrets'));
  await page.getByTestId('connect-live').click();
  await page.getByTestId('add-snmp').click();
  await field(page, 'host').fill('127.0.0.1');
  await field(page, 'port').fill(String(agent.port));
  await page.getByRole('button', { name: 'Store in keychain' }).first().click();
  const form = page.getByRole('form', { name: 'Store a secret in the keychain' });
  await form.getByLabel('name in the keychain').fill('hall-b');
  await form.getByLabel('secret').fill('hall-b-monitor');
  expect(await inBothThemes(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await expect(form).toHaveCount(0);
  await expect(field(page, 'community')).toHaveValue('keychain:hall-b');
  await expect(plan(page)).toHaveValue(/community: keychain:hall-b\n/);
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  const steps = page.getByRole('list', { name: 'Steps of the test' });
  await expect(steps).toContainText('keychain:hall-b can be read');
  await expect(steps).toContainText('values ok');
  expect(await page.content()).not.toContain('hall-b-monitor');
  expect(sent.length).toBeGreaterThan(3);
  expect(sent.join('\n')).not.toContain('hall-b-monitor');
});
