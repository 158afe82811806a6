import type { CDPSession, Page } from '@playwright/test';
import { quantile } from '../../src/core/analysis/statistics.ts';
import { type FrameTimes, frameWork } from './frames.ts';
import { LARGE_TRACES, type LargeTrace } from './make-traces.ts';
import { hostTime, pageTime } from './processor-time.ts';

/** One large trace with one that is linked with it, as a window shows it. */
export interface TraceGroupDrive {
  readonly what: string;
  readonly spans: number;
  /** From asking for it to the frame that shows its first rows: the question, its way here, the rows, the bars. */
  readonly first_paint_ms: number;
  /** The median of {@link AGAIN} more: DuckDB and the engine are warm. */
  readonly again_ms: number;
  /** Processor time of opening it again, of the host and of the page, with what is asked about it beside its spans; the median. */
  readonly host_ms: number;
  readonly page_ms: number;
  /** Main-thread work of every frame, milliseconds. */
  readonly scroll: FrameTimes;
  readonly zoom: FrameTimes;
  readonly walk: FrameTimes;
}

const AGAIN = 5;
/** What is asked about a trace beside its spans is answered by then. */
const SETTLED_MS = 1500;

interface Opened {
  readonly ms: number;
  readonly host: number;
  readonly page: number;
}

/** Opens traces of every size in turn, scrolls and zooms them, and walks them by keyboard. */
export async function driveTraceGroups(
  page: Page,
  session: CDPSession,
  host: number | undefined,
): Promise<TraceGroupDrive[]> {
  await page.getByTestId('view-traces').click();
  await page.getByRole('checkbox', { name: 'entire case' }).check();
  const found: TraceGroupDrive[] = [];
  for (const trace of LARGE_TRACES) {
    await find(page, trace);
    const first_paint_ms = await open(page, trace.trace_id);
    const again: Opened[] = [];
    for (let i = 0; i < AGAIN; i++) {
      await page.getByRole('button', { name: 'Close the trace' }).click();
      await page.waitForTimeout(SETTLED_MS);
      const before = [await hostTime(host), await pageTime(page)] as const;
      const ms = await open(page, trace.trace_id);
      await page.waitForTimeout(SETTLED_MS);
      again.push({ ms, host: (await hostTime(host)) - before[0], page: (await pageTime(page)) - before[1] });
    }
    const middle = (of: (opened: Opened) => number): number => quantile(again.map(of), 0.5);
    const box = await page.getByTestId('waterfall-canvas').boundingBox();
    if (!box) throw new Error('no waterfall');
    await page.mouse.move(box.x + box.width / 2, box.y + 100);
    const scroll = await frameWork(session, () => scrollWheel(page, 90, 400));
    await page.keyboard.down('Control');
    const zoom = await frameWork(session, () => scrollWheel(page, 40, -100));
    await page.keyboard.up('Control');
    await page.locator('.waterfall-tree').focus();
    const walk = await frameWork(session, () => press(page, 'ArrowDown', 60));
    await page.getByRole('button', { name: 'Close the trace' }).click();
    found.push({
      ...{ what: trace.what, spans: trace.spans, first_paint_ms, scroll, zoom, walk },
      ...{ again_ms: middle(({ ms }) => ms), host_ms: middle((one) => one.host), page_ms: middle((one) => one.page) },
    });
  }
  return found;
}

async function scrollWheel(page: Page, times: number, by: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    await page.mouse.wheel(0, i > times * 0.7 ? -by : by);
    await page.waitForTimeout(16);
  }
}

async function press(page: Page, key: string, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    await page.keyboard.press(key);
    await page.waitForTimeout(16);
  }
}

const LISTED = '.trace-found tbody tr';

/** Looks for a trace until it is the only one that is listed: of a large case the answer before it stays for seconds. */
async function find(page: Page, { spans, trace_id }: LargeTrace): Promise<void> {
  await page.getByTestId('traceql').fill(`{ trace:id = "${trace_id}" }`);
  await page.keyboard.press('Enter');
  await page.waitForFunction(
    ({ listed, count }) => {
      const [row, ...others] = document.querySelectorAll<HTMLTableRowElement>(listed);
      return (
        others.length === 0 && [...(row?.cells ?? [])].some((cell) => cell.textContent.replace(/\s/g, '') === count)
      );
    },
    { listed: LISTED, count: String(spans) },
    { timeout: 60_000 },
  );
  await page.waitForTimeout(300);
}

/**
 * Opens the trace that is listed and waits until its rows are on screen; answers milliseconds. Some of them are the
 * instrument's: the page hands each message of its socket to Playwright, 50 to 80 ms for the megabytes of the largest.
 */
async function open(page: Page, trace: string): Promise<number> {
  await page.locator(LISTED).first().waitFor();
  return page.evaluate(
    async ({ listed, id }) => {
      const from = performance.now();
      document.querySelector<HTMLElement>(listed)?.click();
      const isThere = () => document.querySelector(`[data-trace="${id}"] [role="treeitem"]`) !== null;
      while (!isThere()) await new Promise((resolve) => requestAnimationFrame(resolve));
      // The frame that paints what is there now.
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      return performance.now() - from;
    },
    { listed: LISTED, id: trace },
  );
}
