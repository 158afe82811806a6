import type { CDPSession, Page } from '@playwright/test';
import { type FrameTimes, frameWork } from './frames.ts';

/** Every event of the case in view at once. A mark is one event: a glyph, or its part of a stack or of a column. */
export interface MarksDrive {
  readonly lanes: number;
  /** Of the lanes that are wholly within the window, over all of its time. */
  readonly events: number;
  readonly scrub: FrameTimes;
  readonly zoom: FrameTimes;
  readonly pan: FrameTimes;
}

/** Narrows the lanes to events, in a window that is tall enough for all of them, and looks at the whole hour. */
export async function driveMarks(page: Page, session: CDPSession): Promise<MarksDrive> {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 1600, height: 2600 });
  const search = page.getByTestId('search');
  await search.fill('events');
  await page.waitForTimeout(500);
  await page.getByTestId('timeline-canvas').click({ position: { x: 400, y: 8 } });
  await page.keyboard.press('f');
  await page.waitForTimeout(3000);
  const { lanes, events } = await eventsInView(page);
  const scrub = await frameWork(session, () => scrubOver(page));
  const zoom = await frameWork(session, () => press(page, 'wsws', 32));
  const pan = await frameWork(session, () => press(page, 'adad', 32));
  await search.fill('');
  if (before) await page.setViewportSize(before);
  return { lanes, events, scrub, zoom, pan };
}

/** Lane labels contain event counts: `node-1 events, server: 25.0 k events, worst critical`. */
async function eventsInView(page: Page): Promise<Pick<MarksDrive, 'lanes' | 'events'>> {
  return page.evaluate(() => {
    const scroller = document.querySelector('.lane-scroll')?.getBoundingClientRect();
    const own = [...document.querySelectorAll('[data-lane^="events:"]')].filter((lane) => {
      const box = lane.getBoundingClientRect();
      return scroller && box.top >= scroller.top && box.bottom <= scroller.bottom;
    });
    const powers: Record<string, number> = { k: 1e3, M: 1e6 };
    const events = own.reduce((sum, lane) => {
      const found = /: ([\d.\s]+?)([kM]?)\s?events/.exec(lane.getAttribute('aria-label') ?? '');
      return sum + Number((found?.[1] ?? '0').replace(/\s/g, '')) * (powers[found?.[2] ?? ''] ?? 1);
    }, 0);
    return { lanes: own.length, events };
  });
}

async function scrubOver(page: Page): Promise<void> {
  const box = await page.getByTestId('timeline-canvas').boundingBox();
  if (!box) throw new Error('no timeline');
  for (let i = 0; i < 120; i++) {
    const share = Math.abs(((i * 7) % 240) - 120) / 120;
    await page.mouse.move(box.x + 20 + share * (box.width - 40), box.y + 100 + ((i * 13) % 1200));
    await page.waitForTimeout(16);
  }
}

async function press(page: Page, keys: string, times: number): Promise<void> {
  for (let round = 0; round < times; round++)
    for (const key of keys) {
      await page.keyboard.press(key);
      await page.waitForTimeout(24);
    }
}
