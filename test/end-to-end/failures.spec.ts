import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { demoCase } from '../support/demo-case.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';

let folder: string;
let served: Served;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-failures-'));
  served = new Served(folder);
  await demoCase(folder);
});
test.afterAll(async () => {
  await served.stop();
  await removeFolder(folder);
});

/** Fails calls whose address starts with one of `failing`, in the error format of the host. */
async function failCalls(page: Page, failing: ReadonlySet<string>): Promise<void> {
  const fault = { defined: false, code: 'INTERNAL_SERVER_ERROR', status: 500, message: 'made to fail' };
  await page.routeWebSocket(/./, (window) => {
    const host = window.connectToServer();
    window.onMessage((message) => {
      const text = String(message);
      const address = /"u":"\/([^"]*)"/.exec(text)?.[1] ?? '';
      if (![...failing].some((start) => address.startsWith(start))) return host.send(message);
      const { i } = JSON.parse(text) as { i: string };
      window.send(JSON.stringify({ i, t: 2, p: { s: 500, b: { json: fault, meta: [] } } }));
    });
    host.onMessage((message) => window.send(message));
  });
}

test('a view with a failed query shows the reason in its place and retries by keyboard', async ({ page }) => {
  const failing = new Set<string>();
  await failCalls(page, failing);
  await page.goto(await served.start(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('hypothesis').first()).toBeVisible();
  const views = [
    ['traces', 'Traces', 'traces.search', page.getByRole('table', { name: 'Traces found' })],
    ['gpus', 'GPUs', 'gpus.', page.getByTestId('heat-map')],
    ['logs', 'Logs', 'logs.', page.getByRole('table', { name: 'Log templates' })],
    ['lifecycle', 'Lifecycle', 'lifecycle.', page.getByRole('main').getByText(/No node repairs in this case/)],
    ['differences', 'Compare', 'differences.', page.getByRole('table', { name: 'Differences' })],
    ['sql', 'SQL', 'sql.', page.getByRole('button', { name: 'Run' })],
  ] as const;
  for (const [view, title, calls, content] of views) {
    failing.add(calls);
    await page.getByTestId(`view-${view}`).click();
    const alert = page.getByRole('main').getByRole('alert');
    await expect(alert).toContainText(`${title}: made to fail`);
    await expect(content).toHaveCount(0);
    expect(await violations(page)).toEqual([]);
    failing.clear();
    await alert.getByRole('button', { name: 'Try again' }).focus();
    await page.keyboard.press('Enter');
    await expect(content).toBeVisible();
    await expect(alert).toHaveCount(0);
  }
});
