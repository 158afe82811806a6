import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from '@playwright/test';
import { type FrameTimes, frameWork } from './frames.ts';

/** Figures of a timeline that follows a capture. */
export interface LiveDrive {
  readonly gpus: number;
  readonly series: number;
  /** While nobody touches anything; and while the mouse moves over the lanes. */
  readonly following: FrameTimes;
  readonly pointing: FrameTimes;
  /** Between frames, by the clock of the page: what a person sees. */
  readonly steps: readonly number[];
}

const METRICS = ['power_usage_watts', 'temperature_celsius', 'utilization_ratio', 'memory_used_bytes', 'clock_hertz'];
const FOR_MS = 15_000;

/** An exporter of so many GPUs whose values move all the time. */
async function exporter(gpus: number): Promise<Server> {
  const server = createServer((_request, response) => {
    const lines = METRICS.flatMap((metric, at) => [
      `# TYPE gpu_${metric} gauge`,
      ...Array.from({ length: gpus }, (_, gpu) => {
        const value = 100 * (at + 1) + 20 * Math.sin(Date.now() / 3000 + gpu) + gpu;
        return `gpu_${metric}{gpu="${gpu}",Hostname="node-${Math.floor(gpu / 8)}"} ${value}`;
      }),
    ]);
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(`${lines.join('\n')}\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** Records an exporter, one scrape a second, and watches the window follow it. */
export async function driveLive(executablePath: string | undefined, gpus: number): Promise<LiveDrive> {
  const home = await mkdtemp(join(tmpdir(), 'faultline-live-'));
  const server = await exporter(gpus);
  const child = spawn(process.execPath, ['out/main/cli.js', 'serve'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, FAULTLINE_HOME: home },
  });
  const url = await new Promise<string>((resolve) =>
    child.stdout.once('data', (chunk) => resolve(String(chunk).trim())),
  );
  const browser = await chromium.launch({ ...(executablePath ? { executablePath } : {}), args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
    await page.goto(url);
    await start(page, `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`);
    // Until the lanes are full of what moves.
    await page.waitForTimeout(20_000);
    const session = await page.context().newCDPSession(page);
    const steps = await stepsOf(page);
    const following = await frameWork(session, () => page.waitForTimeout(FOR_MS));
    const pointing = await frameWork(session, () => point(page));
    return { gpus, series: gpus * METRICS.length, following, pointing, steps };
  } finally {
    await browser.close();
    child.kill('SIGTERM');
    server.close();
    await new Promise((resolve) => child.once('exit', resolve));
    await rm(home, { recursive: true, force: true });
  }
}

async function start(page: Page, url: string): Promise<void> {
  await page.getByTestId('connect-live').click();
  const text = `feeds: [{kind: prometheus, url: "${url}", every_s: 1}]`;
  await page.getByLabel('The plan, as the command line reads it').fill(text);
  const button = page.getByRole('button', { name: /Start recording/ });
  await button.click();
  await page.getByTestId('lane').first().waitFor();
}

const stepsOf = (page: Page): Promise<number[]> =>
  page.evaluate(
    (length) =>
      new Promise<number[]>((resolve) => {
        const steps: number[] = [];
        const from = performance.now();
        let before = from;
        const next = (now: number) => {
          steps.push(now - before);
          before = now;
          if (now - from < length) requestAnimationFrame(next);
          else resolve(steps.slice(1));
        };
        requestAnimationFrame(next);
      }),
    FOR_MS,
  );

async function point(page: Page): Promise<void> {
  const box = await page.getByTestId('timeline-canvas').first().boundingBox();
  if (!box) throw new Error('the timeline is not on screen');
  for (let at = 0; at < 300; at++) {
    await page.mouse.move(box.x + 200 + at * 2, box.y + 60 + (at % 100) * 5);
    await page.waitForTimeout(16);
  }
}
