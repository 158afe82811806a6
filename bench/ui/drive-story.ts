import type { CDPSession, Page } from '@playwright/test';
import { type FrameTimes, frameWork } from './frames.ts';
import { STORY_SIZES, storyTraceId } from './make-story.ts';

/** One large trace with one that is linked with it, as a window shows it. */
export interface StoryDrive {
  readonly spans: number;
  /** From asking for it to the frame that shows its first rows: the question, its way here, the rows, the bars. */
  readonly first_paint_ms: number;
  /** The same once it was asked before: DuckDB and the engine are warm. */
  readonly again_ms: number;
  /** Main-thread work of every frame, milliseconds. */
  readonly scroll: FrameTimes;
  readonly zoom: FrameTimes;
  readonly walk: FrameTimes;
}

/** Opens traces of every size in turn, scrolls and zooms them, and walks them by keyboard. */
export async function driveStories(page: Page, session: CDPSession): Promise<StoryDrive[]> {
  await page.getByTestId('view-traces').click();
  await page.getByTestId('trace-id').waitFor({ timeout: 60_000 });
  const found: StoryDrive[] = [];
  for (const spans of STORY_SIZES) {
    await open(page, 'ffffffff');
    const first_paint_ms = await open(page, storyTraceId(spans));
    await open(page, 'ffffffff');
    const again_ms = await open(page, storyTraceId(spans));
    const box = await page.getByTestId('waterfall-canvas').boundingBox();
    if (!box) throw new Error('no waterfall');
    await page.mouse.move(box.x + box.width / 2, box.y + 100);
    const scroll = await frameWork(session, () => turn(page, 90, 400));
    await page.keyboard.down('Control');
    const zoom = await frameWork(session, () => turn(page, 40, -100));
    await page.keyboard.up('Control');
    await page.locator('.waterfall-tree').focus();
    const walk = await frameWork(session, () => press(page, 'ArrowDown', 60));
    found.push({ spans, first_paint_ms, again_ms, scroll, zoom, walk });
  }
  return found;
}

async function turn(page: Page, times: number, by: number): Promise<void> {
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

/** Asks for a trace and waits until its rows, or that it is not there, are on screen; answers milliseconds. */
async function open(page: Page, trace: string): Promise<number> {
  return page.evaluate(async (id) => {
    const input = document.querySelector<HTMLInputElement>('[data-testid="trace-id"]');
    if (!input) throw new Error('no place for a trace id');
    const from = performance.now();
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, id);
    input.dispatchEvent(new Event('input', { bubbles: true }));
    const isThere = () =>
      document.querySelector(`[data-trace="${id}"] [role="treeitem"], [data-trace="${id}"] .empty`) !== null;
    while (!isThere()) await new Promise((resolve) => requestAnimationFrame(resolve));
    // The frame that paints what is there now.
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return performance.now() - from;
  }, trace);
}
