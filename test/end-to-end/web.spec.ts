import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { demoCase } from '../support/demo-case.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { event, service, topology } from '../support/scenario.ts';
import { Served } from './served.ts';
import { exportedReport, investigate, lanes, watch } from './walk.ts';

let folder: string;
let served: Served;
const serve = (...args: readonly string[]): Promise<string> => served.start(...args);

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-web-'));
  served = new Served(folder, { own: true });
  await demoCase(folder);
});
test.afterAll(() => removeFolder(folder));
test.afterEach(() => served.stop());

test('from a served case to its post-mortem', async ({ page }) => {
  const consoleErrors = watch(page);
  await page.goto(await serve(join(folder, 'demo.faultline')));
  expect(page.url()).not.toContain('token');
  await investigate(page);
  expect(await lanes(page)).toEqual(
    expect.arrayContaining([
      'events:pdu:PDU-B-rack-22',
      'metric:pdu:PDU-B-rack-22:hw.voltage',
      'metric:service:llama-70b:service.latency.p99',
    ]),
  );
  const { name, text } = await exportedReport(page);
  expect(name).toBe('demo-post-mortem.md');
  expect(text).toContain('voltage sag on PDU-B-rack-22');
  expect(consoleErrors).toEqual([]);
});

test('files dropped on an empty window become a case whose strongest incident is selected', async ({ page }) => {
  const complaints = watch(page);
  await page.goto(await serve());
  await expect(page.getByTestId('drop-zone')).toBeVisible();
  const documents = {
    'events.json': {
      events: [
        event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B'),
        event('e2', 691, 'redfish', 'psu_failover', 'server-1'),
      ],
    },
    'traces.json': { service_metrics: service('inference') },
    'topology.json': topology,
    'diary.txt': 'not telemetry',
  };
  const transfer = await page.evaluateHandle((files) => {
    const data = new DataTransfer();
    for (const [name, content] of Object.entries(files))
      data.items.add(new File([typeof content === 'string' ? content : JSON.stringify(content)], name));
    return data;
  }, documents);
  for (const type of ['dragenter', 'dragover', 'drop'])
    await page.getByTestId('app-root').dispatchEvent(type, { dataTransfer: transfer });
  await expect(page.getByTestId('hypothesis').first()).toContainText('PDU-B');
  await expect(page.getByText('no format that Faultline knows').first()).toBeVisible();
  await expect(page.getByTestId('chain-step')).toHaveCount(3);
  expect(complaints).toEqual([]);
});

test('a page has no privileges: no eval, no inline script, no access to another origin', async ({ page }) => {
  await page.goto(await serve(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('app-root')).toBeVisible();
  const refused = await page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        const script = document.createElement('script');
        script.textContent = "document.title = 'owned'";
        document.head.append(script);
        // From a timer: code that a test runner evaluates is exempt from the policy.
        setTimeout(() => {
          try {
            resolve(String(new Function('return 1')()));
          } catch (error) {
            resolve((error as Error).name);
          }
        }, 0);
      }),
  );
  expect(refused).toBe('EvalError');
  expect(await page.title()).not.toBe('owned');
  expect(
    await page.evaluate(() =>
      fetch('http://127.0.0.1:9/').then(
        () => 'reached',
        () => 'refused',
      ),
    ),
  ).toBe('refused');
});

test('a long import shows progress and can be cancelled', async ({ page }) => {
  await page.goto(await serve());
  const line = (await readFile(join(folder, 'files/topology.csv'), 'utf8')).trim();
  const rows = Array.from({ length: 300_000 }, (_, i) => `server,s${i},contains,gpu,g${i},,`).join('\n');
  const path = join(folder, 'large.csv');
  await writeFile(path, `${line}\n${rows}\n`);
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByTestId('open-files').click()]);
  await chooser.setFiles(path);
  await expect(page.getByTestId('import-progress')).toBeVisible({ timeout: 20_000 });
  await page.getByTestId('import-cancel').click();
  await expect(page.getByTestId('import-progress')).toBeHidden({ timeout: 20_000 });
});

test('the palette finds an entity by its name and runs a command by its words', async ({ page }) => {
  const complaints = watch(page);
  await page.goto(await serve(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('gpu-node-06');
  const results = page.getByRole('listbox', { name: 'Results' });
  await expect(results.getByRole('option', { selected: true })).toContainText('gpu-node-06');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('details')).toContainText('entity:server:gpu-node-06');
  await page.keyboard.press('>');
  await page.keyboard.type('topology');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('power-map')).toBeVisible();
  expect(complaints).toEqual([]);
});

test('a window is brushed by keyboard, and shows statistics', async ({ page }) => {
  const complaints = watch(page);
  await page.goto(await serve(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
  await page.keyboard.press('[');
  await page.keyboard.press('[');
  await page.keyboard.press('b');
  for (let i = 0; i < 3; i++) await page.keyboard.press('Shift+ArrowLeft');
  await page.keyboard.press('b');
  const figures = page.getByRole('region', { name: 'Statistics of the brushed window' });
  await expect(figures.getByRole('row', { name: /^gpu-node-05\/GPU-1 power\b/ })).toContainText(/\d W/);
  await expect(figures.getByRole('row', { name: /^gpu-node-05 events 2/ })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(figures).toBeHidden();
  // Only the brush is removed: the chain step is still selected.
  await expect(page.locator('[data-testid="chain-step"][aria-current="step"]')).toBeVisible();
  expect(complaints).toEqual([]);
});

test('a pinned lane is on top, also after the case is opened again', async ({ page }) => {
  await page.goto(await serve(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('chain-step').first()).toBeVisible();
  // The impact is pinned already.
  const impact = 'metric:service:llama-70b:service.latency.p99';
  const id = 'metric:pdu:PDU-B-rack-22:hw.voltage';
  const top = async () => (await lanes(page)).slice(0, 2);
  await expect.poll(top).toEqual([impact, 'events:pdu:PDU-B-rack-22']);
  await page.locator(`[data-lane="${id}"]`).focus();
  await page.keyboard.press('o');
  await expect.poll(async () => (await top()).toSorted()).toEqual([id, impact].toSorted());
  await page.reload();
  await expect.poll(async () => (await top()).toSorted()).toEqual([id, impact].toSorted());
  await page.locator(`[data-lane="${id}"]`).focus();
  await page.keyboard.press('o');
  await expect.poll(top).toEqual([impact, 'events:pdu:PDU-B-rack-22']);
});
