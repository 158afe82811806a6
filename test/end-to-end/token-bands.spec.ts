import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { faultline } from '../support/command-line.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { Served } from './served.ts';
import { watch } from './walk.ts';

const TOKENS = 3_000;
const TRACE = '7'.repeat(32);
const T0_NS = 1_777_644_000_000_000_000n;
const at = (ms: number): string => String(T0_NS + BigInt(ms) * 1_000_000n);

let folder: string;
let served: Served;

/** A request, its decode, and 20 ms for each token below that. */
function spans(): object[] {
  const span = (nth: number, parent: number, name: string, from: number, until: number) => ({
    ...{ traceId: TRACE, spanId: nth.toString(16).padStart(16, '0'), name, kind: 1 },
    ...(parent > 0 && { parentSpanId: parent.toString(16).padStart(16, '0') }),
    ...{ startTimeUnixNano: at(from), endTimeUnixNano: at(until) },
  });
  const end = 1_000 + 20 * TOKENS;
  const tokens = Array.from({ length: TOKENS }, (_, i) =>
    span(10 + i, 2, 'decode.token', 1_000 + 20 * i, 1_019 + 20 * i),
  );
  return [span(1, 0, 'llm.request', 0, end), span(2, 1, 'decode', 1_000, end), ...tokens];
}

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-token-bands-'));
  served = new Served(folder);
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'llama' } }] };
  const file = join(folder, 'tokens.json');
  await writeFile(file, JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: spans() }] }] }));
  await faultline('import', join(folder, 'tokens.faultline'), file);
});
test.afterAll(async () => {
  await served.stop();
  await removeFolder(folder);
});

async function openTrace(page: Page): Promise<void> {
  await page.goto(await served.reuse(join(folder, 'tokens.faultline')));
  await page.getByTestId('view-traces').click();
  await page.getByTestId('traceql').fill(`{ trace:id = "${TRACE}" }`);
  await page.keyboard.press('Enter');
  const found = page.getByRole('table', { name: 'Traces found' }).getByRole('row');
  await expect(found).toHaveCount(2);
  await found.nth(1).click();
  await expect(page.locator(`[data-trace="${TRACE}"]`)).toBeVisible();
}

const rows = (page: Page) => page.getByTestId('waterfall-span');

test('thousands of tokens are one row that counts them; by keyboard they unfold', async ({ page }) => {
  const consoleErrors = watch(page);
  await openTrace(page);
  await expect(page.getByTestId('trace-detail-facts')).toContainText('3 002 spans of 1 service');
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).nth(1)).toContainText('3000');
  await page.getByRole('tree', { name: /3002 spans/ }).focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowRight');
  await expect(rows(page).nth(2)).toContainText('decode.token');
  await expect(rows(page).nth(1)).toHaveAttribute('aria-expanded', 'true');
  await page.keyboard.press('End');
  await expect(page.locator('.waterfall-row.current')).toContainText('decode.token');
  expect(consoleErrors).toEqual([]);
});

test('the search finds folded tokens, and leads to the next', async ({ page }) => {
  await openTrace(page);
  await page.locator('[data-trace-search]').fill('token');
  await expect(page.locator('.trace-detail-found')).toHaveText('3 000 found');
  await page.keyboard.press('Enter');
  await expect(page.locator('.waterfall-row.current')).toContainText('decode.token');
});

test('a copy has every span; so has the critical path', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openTrace(page);
  await page.getByTestId('trace-detail-copy').click();
  await page.getByRole('menuitem', { name: 'Copy as JSON' }).click();
  await expect
    .poll(async () => {
      const text = await page.evaluate(() => navigator.clipboard.readText());
      return text.startsWith('{') ? (JSON.parse(text) as { spans: unknown[] }).spans.length : 0;
    })
    .toBe(TOKENS + 2);
  await page.getByRole('tab', { name: 'Critical path' }).click();
  await expect(page.locator('.trace-detail')).toContainText('decode.token');
});
