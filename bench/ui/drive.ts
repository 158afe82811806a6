import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { type Browser, type CDPSession, chromium, type Page } from '@playwright/test';
import { driveMarks, type MarksDrive } from './drive-marks.ts';
import { driveSpans, type SpansDrive } from './drive-spans.ts';
import { driveTraceGroups, type TraceGroupDrive } from './drive-trace-group.ts';
import { type FrameTimes, frameWork } from './frames.ts';

/** Milliseconds, one a frame or one an input. */
export interface Drive {
  readonly first_paint_ms: number;
  readonly scrub: FrameTimes;
  readonly zoom: FrameTimes;
  readonly pan: FrameTimes;
  readonly answers: readonly number[];
  readonly cached: FrameTimes;
  readonly traceGroups: readonly TraceGroupDrive[];
  /** null: not asked for. */
  readonly marks: MarksDrive | null;
  readonly spans: SpansDrive | null;
  readonly heap_bytes: number;
  readonly renderer_bytes: number;
}

/** What can be driven without the timeline. */
export type Part = 'stories' | 'spans';

/** Opens the case in a real Chromium, as `faultline serve` hands it out, and uses the timeline. */
export async function drive(
  folder: string,
  executablePath: string | undefined,
  only: Part | undefined,
): Promise<Drive> {
  const { child, url } = await serve(folder);
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: ['--no-sandbox', '--enable-precise-memory-info'],
  });
  try {
    return await measure({ browser, url, host: child.pid, only });
  } finally {
    await browser.close();
    child.kill('SIGTERM');
  }
}

/** `faultline serve` of a case. */
export async function serve(folder: string): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(process.execPath, ['out/main/cli.js', 'serve', folder], { stdio: ['ignore', 'pipe', 'ignore'] });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (chunk) => resolve(String(chunk).trim()));
    child.once('exit', (code) => reject(new Error(`serve ended with ${code}`)));
  });
  return { child, url };
}

interface Served {
  readonly browser: Browser;
  readonly url: string;
  /** Process id of the host. */
  readonly host: number | undefined;
  readonly only: Part | undefined;
}

async function measure({ browser, url, host, only }: Served): Promise<Drive> {
  const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
  await page.addInitScript(noteAnswers);
  const session = await page.context().newCDPSession(page);
  const from = performance.now();
  await page.goto(url);
  await page.locator('[data-testid="lane"]').first().waitFor({ timeout: 300_000 });
  await page.waitForFunction(() => (window as never as Noted).faultlineQuiet(150), null, {
    polling: 20,
    timeout: 300_000,
  });
  const first_paint_ms = performance.now() - from - 150;
  await page.locator('[data-testid="chain-step"], .view-causes .empty').first().waitFor({ timeout: 300_000 });
  if (only) {
    const traceGroups = only === 'stories' ? await driveTraceGroups(page, session, host) : [];
    const spans = only === 'spans' ? await driveSpans(page) : null;
    const no: FrameTimes = { work: [], wall: [] };
    const none = { scrub: no, zoom: no, pan: no, answers: [], cached: no, marks: null };
    return { first_paint_ms, ...none, traceGroups, spans, ...(await memoryOf(page, session)) };
  }
  await page.getByTestId('timeline-canvas').click({ position: { x: 400, y: 300 } });
  await page.keyboard.press('f');
  await page.waitForTimeout(2500);
  const scrub = await frameWork(session, () => scrubOver(page));
  const zoom = await frameWork(session, () => press(page, 'wwwwssss', 6));
  const pan = await frameWork(session, () => press(page, 'aaaadddd', 6));
  const answers = await inputToAnswer(page);
  const cached = await frameWork(session, () => press(page, 'adad', 2));
  const marks = await driveMarks(page, session);
  const stories = await driveTraceGroups(page, session, host);
  const spans = await driveSpans(page);
  const memory = await memoryOf(page, session);
  return { first_paint_ms, scrub, zoom, pan, answers, cached, marks, traceGroups: stories, spans, ...memory };
}

interface Noted {
  faultlineQuiet(ms: number): boolean;
  faultlineLast: number;
}

/** Notes when answers come in, so that the last one before silence is known. Runs in the page. */
function noteAnswers(): void {
  const noted = window as unknown as Noted;
  noted.faultlineLast = performance.now();
  const Native = window.WebSocket;
  window.WebSocket = class extends Native {
    constructor(address: string | URL, protocols?: string | string[]) {
      super(address, protocols);
      this.addEventListener('message', () => {
        noted.faultlineLast = performance.now();
      });
    }
  };
  noted.faultlineQuiet = (ms) => performance.now() - noted.faultlineLast > ms;
}

async function scrubOver(page: Page): Promise<void> {
  const box = await page.getByTestId('timeline-canvas').boundingBox();
  if (!box) throw new Error('no timeline');
  for (let i = 0; i < 240; i++) {
    const share = Math.abs(((i * 7) % 240) - 120) / 120;
    await page.mouse.move(box.x + 20 + share * (box.width - 40), box.y + 200 + (i % 200));
    await page.waitForTimeout(8);
  }
}

async function press(page: Page, keys: string, times: number): Promise<void> {
  for (let round = 0; round < times; round++)
    for (const key of keys) {
      await page.keyboard.press(key);
      await page.waitForTimeout(24);
    }
}

/** From a key to the frame that shows the last answer it asked for; keys that ask nothing are left out. */
async function inputToAnswer(page: Page): Promise<number[]> {
  const found: number[] = [];
  for (const key of 'wwwdwaswwddsaasswwdwsafwwwwddfwwwwwdddwwaaassswwwdddssswwwwwaaaaf') {
    const waited = await page.evaluate(
      (pressed) =>
        new Promise<number>((resolve) => {
          const noted = window as unknown as Noted;
          const from = performance.now();
          document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: pressed, bubbles: true }));
          const sampleFrame = () => {
            const now = performance.now();
            if (noted.faultlineLast > from && now - noted.faultlineLast > 250)
              requestAnimationFrame(() => resolve(noted.faultlineLast - from + 16));
            else if (now - from > 1500) resolve(Number.NaN);
            else setTimeout(sampleFrame, 10);
          };
          sampleFrame();
        }),
      key,
    );
    if (!Number.isNaN(waited)) found.push(waited);
  }
  return found;
}

async function memoryOf(page: Page, session: CDPSession): Promise<Pick<Drive, 'heap_bytes' | 'renderer_bytes'>> {
  const heap_bytes = await page.evaluate(
    () => (performance as never as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize,
  );
  await session.detach();
  return { heap_bytes, renderer_bytes: await largestRenderer(page) };
}

/** Resident bytes of the largest process that shows a page. */
export async function largestRenderer(page: Page): Promise<number> {
  const browserSession = await page.context().browser()?.newBrowserCDPSession();
  const info = await browserSession?.send('SystemInfo.getProcessInfo');
  const renderers = (info?.processInfo ?? []).filter(({ type }) => type === 'renderer').map(({ id }) => id);
  return Math.max(0, ...(await Promise.all(renderers.map(residentOf))));
}

async function residentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}
