import { mkdtemp } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { removeFolder } from '../support/remove-folder.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

let folder: string;
let served: Served;
let dashboard: Server;
let link = '';

test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-link-'));
  served = new Served(folder);
  dashboard = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<a href="${link.replaceAll('&', '&amp;')}">Open in Faultline</a>`);
  });
  await new Promise<void>((resolve) => dashboard.listen(0, '127.0.0.1', resolve));
});
test.afterEach(async () => {
  await served.stop();
  dashboard.close();
  await removeFolder(folder);
});

/** Follows a link on a page of another site: `localhost` is not `127.0.0.1`. */
async function follow(page: Page, address: string): Promise<void> {
  link = address;
  await page.goto(`http://localhost:${(dashboard.address() as AddressInfo).port}/`);
  await page.getByRole('link').click();
}

test('a link of a dashboard goes to the time and the entity in the open case, and to no other case', async ({
  page,
  context,
}) => {
  const address = await served.start();
  const own = new URL(address).origin;
  await page.goto(address);
  await page.getByTestId('open-demo').click();
  await expect(page.getByTestId('incident').first()).toContainText('llama-70b');

  const other = await context.newPage();
  const consoleErrors = watch(other);
  const query = new URLSearchParams({
    case: 'demo-incident',
    view: 'topology',
    entity: 'pdu:PDU-B-rack-22',
    time: '2026-03-14T02:18:02Z',
  });
  await follow(other, `${own}/?${query}`);
  await expect(other.getByTestId('playhead-time')).toContainText('02:18:02');
  await expect(other.getByTestId('view-topology')).toHaveAttribute('aria-current', 'page');
  await expect(other.getByRole('region', { name: 'Details' })).toContainText('PDU-B-rack-22');
  // A reload stays where the person went.
  await expect(other).toHaveURL(`${own}/#topology`);

  await follow(other, `${own}/?case=elsewhere&time=2026-03-14T02:18:02Z`);
  await expect(other.getByText('the link is to the case elsewhere, and demo-incident is open')).toBeVisible();
  await follow(other, `${own}/?incident=inc_gone`);
  await expect(other.getByText('the case has no incident inc_gone any more')).toBeVisible();
  expect(consoleErrors).toEqual([]);
});

test('a link is no way in without a session', async ({ browser }) => {
  const own = new URL(await served.start()).origin;
  const context = await browser.newContext();
  const page = await context.newPage();
  await follow(page, `${own}/?case=demo`);
  await expect(page.getByText(/address|token|terminal/i)).toBeVisible();
  await expect(page.getByTestId('app-root')).toHaveCount(0);
  await context.close();
});
