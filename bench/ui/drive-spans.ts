import type { Page } from '@playwright/test';
import { median } from '../../src/core/analysis/statistics.ts';

/** Questions over all spans of the case, from the press that asks to the frame that shows the answer; milliseconds. */
export interface SpansDrive {
  /** The flame graph, estimated from a sample of the traces. */
  readonly flame_first_ms: number;
  /** Time from then until it is exact: one walk over all traces of a case, and its sums. */
  readonly flame_walk_ms: number;
  /** The same, asked again: sums alone. Median of several. */
  readonly flame_again_ms: number;
  /** What differs in five minutes of the hour from the rest of it. */
  readonly differs_first_ms: number;
  readonly differs_again_ms: number;
}

const AGAIN = 5;
/** Walking over traces takes longest: 5 M spans a third of a minute, on a busy machine a whole one. */
const PATIENCE_MS = 300_000;

export async function driveSpans(page: Page): Promise<SpansDrive> {
  await page.getByTestId('view-timeline').click();
  await page.getByTestId('timeline-canvas').click({ position: { x: 400, y: 300 } });
  await page.keyboard.press('f');
  await page.getByTestId('view-traces').click();
  const flame = () => pressAndSee(page, '.traces [data-tab="flame"]', '[data-testid="flame-frame"]');
  const flame_first_ms = await flame();
  const shown = performance.now();
  await page.getByTestId('flame-window').filter({ hasNotText: 'Estimated' }).waitFor({ timeout: PATIENCE_MS });
  const flame_walk_ms = performance.now() - shown;
  const flames: number[] = [];
  for (let i = 0; i < AGAIN; i++) {
    await page.getByRole('tab', { name: 'Flame graph' }).press('ArrowLeft');
    await page.locator('[data-testid="flame-frame"]').first().waitFor({ state: 'detached' });
    flames.push(await flame());
  }
  const differs: number[] = [];
  for (let i = 0; i <= AGAIN; i++) {
    // Another five minutes every time: what is asked was not asked before.
    await brush(page, 0.3 + i * 0.05);
    differs.push(
      await pressAndSee(page, '[data-testid="view-differences"]', '.differences table, .differences .empty'),
    );
  }
  const [differs_first_ms = Number.NaN, ...later] = differs;
  return {
    flame_first_ms,
    flame_walk_ms,
    flame_again_ms: median(flames),
    differs_first_ms,
    differs_again_ms: median(later),
  };
}

/** A twelfth of the hour, from a share of the timeline's width on. */
async function brush(page: Page, from: number): Promise<void> {
  await page.getByTestId('view-timeline').click();
  const box = await page.getByTestId('timeline-canvas').boundingBox();
  if (!box) throw new Error('no timeline');
  const y = box.y + box.height - 60;
  await page.mouse.move(box.x + from * box.width, y);
  await page.keyboard.down('Shift');
  await page.mouse.down();
  await page.mouse.move(box.x + (from + 1 / 12) * box.width, y, { steps: 3 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
}

/** Both in the page, so that nothing of the driver is in the time. */
async function pressAndSee(page: Page, control: string, sign: string): Promise<number> {
  await page.locator(control).first().waitFor();
  return page.evaluate(
    async ({ pressed, seen, patience }) => {
      const from = performance.now();
      document.querySelector<HTMLElement>(pressed)?.click();
      while (!document.querySelector(seen)) {
        if (performance.now() - from > patience) throw new Error(`${seen} did not appear`);
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      // The frame that paints what is there now.
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      return performance.now() - from;
    },
    { pressed: control, seen: sign, patience: PATIENCE_MS },
  );
}
