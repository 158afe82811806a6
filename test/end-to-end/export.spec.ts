import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Download, expect, type Page, test } from '@playwright/test';
import { faultline } from '../support/command-line.ts';
import { demoCase } from '../support/demo-case.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { violations } from './axe.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

let folder: string;
let served: Served;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-export-'));
  served = new Served(folder);
  await demoCase(folder);
});
test.afterAll(async () => {
  await served.stop();
  await removeFolder(folder);
});

async function textOf(download: Download): Promise<string> {
  const file = join(folder, download.suggestedFilename());
  await download.saveAs(file);
  return readFile(file, 'utf8');
}

const command = async (page: Page, text: string): Promise<void> => {
  await page.keyboard.press('>');
  await page.getByTestId('palette').fill(`>${text}`);
  await page.keyboard.press('Enter');
};

/** Texts of cells and sort buttons under the export menu of a table that is scrolled to its end: [] if it covers none. */
const besideSheetMenu = (page: Page, label: string): Promise<readonly string[]> =>
  page.getByRole('table', { name: label, exact: true }).evaluate((table) => {
    const scroll = table.closest('.table-scroll')!;
    scroll.scrollLeft = scroll.scrollWidth;
    const menu = scroll.querySelector('.table-sheet button')!.getBoundingClientRect();
    const covered = [...table.querySelectorAll('td, th, th button')].filter((each) => {
      const { left, right, top, bottom } = each.getBoundingClientRect();
      return left < menu.right && right > menu.left && top < menu.bottom && bottom > menu.top;
    });
    return covered.map(({ textContent }) => textContent ?? '');
  });

test('exports every table as CSV, by mouse and by command, with full times and raw numbers', async ({ page }) => {
  const consoleErrors = watch(page);
  await page.goto(await served.reuse(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('hypothesis').first()).toContainText('PDU-B-rack-22');
  await page.getByRole('button', { name: /Rows$/ }).click();
  const rows = page.getByRole('table', { name: 'event rows' });
  await expect(rows.getByRole('row').nth(3)).toBeVisible();
  expect(await besideSheetMenu(page, 'event rows')).toEqual([]);
  const out = page.locator('.rows .table-sheet button').first();
  await expect(out).toHaveCSS('opacity', '1');
  await out.click();
  expect(await violations(page)).toEqual([]);
  const saved = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Save as CSV' }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toBe('demo-event-rows.csv');
  const lines = (await textOf(download)).split('\r\n');
  expect(lines[0]).toMatch(/^ref,time,/);
  expect(lines[1]).toMatch(/^event:\d+,\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z,/);
  expect(lines.length - 1).toBe(Number(await rows.getAttribute('aria-rowcount')));

  for (const [view, label, head] of [
    ['Logs', 'Log templates', 'novelty,lines,severity,template,from,lines by part of the window,first seen'],
    ['GPUs', 'GPUs that differ', 'GPU,metric,observed,expected,since'],
    ['Sources', 'Sources', 'source,format,first,last'],
  ] as const) {
    await command(page, `Show ${view}`);
    await expect(page.getByRole('table', { name: label }).getByRole('row').nth(1)).toBeVisible();
    expect(await besideSheetMenu(page, label)).toEqual([]);
    const named = page.waitForEvent('download');
    await command(page, `Save as CSV: ${label}`);
    expect(await textOf(await named)).toContain(head);
  }
  expect(consoleErrors).toEqual([]);
});

test('exports the window for Perfetto and reads it back', async ({ page }) => {
  const complaints = watch(page);
  await page.goto(await served.reuse(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('hypothesis').first()).toContainText('PDU-B-rack-22');
  const made = page.waitForEvent('download');
  await command(page, 'Export this window for Perfetto');
  const download = await made;
  expect(download.suggestedFilename()).toBe('demo.trace.json');
  const { traceEvents } = JSON.parse(await textOf(download)) as {
    readonly traceEvents: readonly { readonly ph: string }[];
  };
  expect(new Set(traceEvents.map(({ ph }) => ph))).toEqual(new Set(['M', 'X', 'i', 'C']));
  await expect(page.getByText(/spans, .* events, .* points/)).toBeVisible();
  const again = join(folder, 'again.faultline');
  expect(await faultline('import', again, join(folder, 'demo.trace.json'))).toMatchObject({ code: 0 });
  expect(complaints).toEqual([]);
});

// At the end, for it closes the case.
test('exports the cost of a request, the statistics of a brushed window and recent cases', async ({ page }) => {
  const complaints = watch(page);
  await page.goto(await served.reuse(join(folder, 'demo.faultline')));
  await expect(page.getByTestId('hypothesis').first()).toContainText('PDU-B-rack-22');
  const csv = async (label: string): Promise<string[]> => {
    const saved = page.waitForEvent('download');
    await command(page, `Save as CSV: ${label}`);
    return (await textOf(await saved)).split('\r\n');
  };
  await command(page, 'Show Traces');
  await page.getByTestId('traceql').fill('{ resource.service.name = "llama-70b" }');
  await page.keyboard.press('Enter');
  await page.getByRole('table', { name: 'Traces found' }).getByRole('row').nth(1).click();
  await page.getByTestId('trace-detail').getByRole('tab', { name: 'Cost' }).click();
  await expect(page.getByTestId('trace-cost')).toContainText(/took \d+ GPU-seconds\. Cost unknown/);
  const cost = await csv('Cost of this trace');
  expect(cost[0]).toBe('service,GPU time,cost,"per 1,000 tokens",tokens,time in service,in flight,served by');
  expect(cost[1]).toMatch(/^llama-70b,\d+ s,unknown,unknown,\d+ out,.*,32 GPUs$/);

  await command(page, 'Show Timeline');
  for (const key of ['b', 'Shift+ArrowRight', 'b']) await page.keyboard.press(key);
  const figures = page.getByRole('region', { name: 'Statistics of the brushed window' });
  await expect(figures.locator('header .table-sheet button')).toBeVisible();
  await expect(figures.getByRole('row').nth(1)).not.toContainText('…');
  const brushed = await csv('Statistics of the brushed window');
  expect(brushed[0]).toBe('lane,kind,what,unit,count,a second,min,mean,p95,max');
  expect(brushed.length - 1).toBe(await figures.getByRole('row').count());

  await command(page, 'Close case');
  await page.locator('.recent .table-sheet button').click();
  const saved = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Save as CSV' }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toBe('recent-cases.csv');
  expect((await textOf(download)).split('\r\n')[1]).toMatch(/^demo,.*,llama-70b,voltage_sag,PDU-B-rack-22,0\.9\d+,/);
  expect(complaints).toEqual([]);
});
