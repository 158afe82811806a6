import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from '@playwright/test';
import { quantile } from '../../src/core/analysis/statistics.ts';
import { serve } from './drive.ts';
import { type FrameTimes, frameWork } from './frames.ts';
import { type JobSize, makeJobCase } from './make-job.ts';
import { hostTime, pageTime } from './processor-time.ts';

/** The view of a training job, as a window shows it. */
export interface JobDrive extends JobSize {
  /** Milliseconds from the press to the frame that shows the ranks, right after the causes are on screen; median. */
  readonly first_ms: number;
  /** The same a second later. */
  readonly later_ms: number;
  /** Processor time of the first opening, of the host and of the page; median. */
  readonly host_ms: number;
  readonly page_ms: number;
  /** With the answers of another view between. */
  readonly again_ms: number;
  readonly scroll: FrameTimes;
}

const ROUNDS = 3;
const AGAIN = 5;

export async function driveJob(executablePath: string | undefined, size: JobSize): Promise<JobDrive> {
  const parent = await mkdtemp(join(tmpdir(), 'faultline-job-bench-'));
  const browser = await chromium.launch({ ...(executablePath ? { executablePath } : {}), args: ['--no-sandbox'] });
  try {
    const folder = join(parent, 'job.faultline');
    await makeJobCase(folder, size);
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round++)
      rounds.push(await openJob(await browser.newPage(), folder, round === 0));
    const middle = (of: (round: Round) => number): number => quantile(rounds.map(of), 0.5);
    return {
      ...size,
      first_ms: middle(({ first }) => first),
      later_ms: middle(({ later }) => later),
      host_ms: middle(({ host }) => host),
      page_ms: middle(({ page }) => page),
      again_ms: middle(({ again }) => again),
      scroll: rounds[0]!.scroll,
    };
  } finally {
    await browser.close();
    await rm(parent, { recursive: true, force: true });
  }
}

interface Round {
  readonly first: number;
  readonly later: number;
  readonly host: number;
  readonly page: number;
  readonly again: number;
  readonly scroll: FrameTimes;
}

/** A new host for each opening, so that nothing is known of the case. */
async function openJob(page: Page, folder: string, isScrolled: boolean): Promise<Round> {
  await page.setViewportSize({ width: 1600, height: 1000 });
  const first = await opened(page, folder, 0);
  const later = await opened(page, folder, 1000, async () => {
    const again: number[] = [];
    for (let i = 0; i < AGAIN; i++) {
      await page.getByTestId('view-sources').click();
      await page.locator('.jobs canvas').first().waitFor({ state: 'detached' });
      again.push(await show(page));
    }
    return { again: quantile(again, 0.5), scroll: isScrolled ? await scroll(page) : { work: [], wall: [] } };
  });
  await page.close();
  return { first: first.ms, host: first.host, page: first.page, later: later.ms, ...later.more! };
}

async function opened<T>(page: Page, folder: string, wait_ms: number, more?: () => Promise<T>) {
  const { child, url } = await serve(folder);
  try {
    await page.goto(url);
    await page.locator('[data-testid="chain-step"], .view-causes .empty').first().waitFor({ timeout: 300_000 });
    await page.waitForTimeout(wait_ms);
    const before = [await hostTime(child.pid), await pageTime(page)] as const;
    const ms = await show(page);
    const [host, own] = [(await hostTime(child.pid)) - before[0], (await pageTime(page)) - before[1]];
    return { ms, host, page: own, more: await more?.() };
  } finally {
    child.kill('SIGTERM');
  }
}

const show = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const from = performance.now();
    document.querySelector<HTMLElement>('[data-testid="view-jobs"]')?.click();
    while (!document.querySelector('.jobs canvas')) await new Promise((resolve) => requestAnimationFrame(resolve));
    // The frame that paints what is there now.
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return performance.now() - from;
  });

async function scroll(page: Page): Promise<FrameTimes> {
  const session = await page.context().newCDPSession(page);
  const box = await page.getByTestId('heat-map').boundingBox();
  if (!box) throw new Error('no heat map');
  await page.mouse.move(box.x + box.width / 2, box.y + 100);
  const frames = await frameWork(session, async () => {
    for (let i = 0; i < 90; i++) {
      await page.mouse.wheel(0, i > 60 ? -60 : 60);
      await page.waitForTimeout(16);
    }
  });
  await session.detach();
  return frames;
}
