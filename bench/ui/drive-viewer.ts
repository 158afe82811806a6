import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { serveStatic } from '../../test/support/static-server.ts';
import { largestRenderer } from './drive.ts';
import { makeBundle } from './make-bundle.ts';
import { makeUiCase } from './make-case.ts';

/** Milliseconds since the bundle was given to the page. */
export interface ViewerDrive {
  readonly bundle_bytes: number;
  /** Its description and its post-mortem are on screen, both verified by their hashes. */
  readonly first_paint_ms: number;
  /** Every byte was checked, every row is in the database, and lanes are drawn. */
  readonly opened_ms: number;
  /** The page itself reports the verdict. */
  readonly concluded_ms: number;
  /** Resident, of the page's process with its worker. */
  readonly renderer_bytes: number;
}

/** A bundle of about 100 MB (1.5 M spans) in the built viewer (`npm run build:viewer`), in a real Chromium. */
export async function driveViewer(executablePath: string | undefined): Promise<ViewerDrive> {
  const parent = await mkdtemp(join(tmpdir(), 'faultline-viewer-bench-'));
  const server = await serveStatic({ '/': 'out/viewer/' });
  const browser = await chromium.launch({ ...(executablePath ? { executablePath } : {}), args: ['--no-sandbox'] });
  try {
    const folder = join(parent, 'bench.faultline');
    await makeUiCase(folder, { spans: 1_500_000, points: 2_000_000, events: 60_000 });
    const bundle = join(parent, 'bench.flb');
    const bundle_bytes = await makeBundle(folder, bundle);
    const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
    await page.goto(`${server.origin}/`);
    await page.locator('[data-testid="open-files"]:enabled').waitFor();
    const chooser = page.waitForEvent('filechooser');
    await page.getByTestId('open-files').click();
    const selected = await chooser;
    const from = performance.now();
    const at = async (selector: string): Promise<number> => {
      await page.locator(selector).first().waitFor({ timeout: 300_000 });
      return performance.now() - from;
    };
    const [first_paint_ms] = await Promise.all([at('[data-testid="bundle-preview"]'), selected.setFiles(bundle)]);
    const opened_ms = await at('[data-testid="lane"]');
    const concluded_ms = await at('[data-testid="chain-step"], .view-causes .empty');
    return { bundle_bytes, first_paint_ms, opened_ms, concluded_ms, renderer_bytes: await largestRenderer(page) };
  } finally {
    await browser.close();
    await server.close();
    await rm(parent, { recursive: true, force: true });
  }
}
