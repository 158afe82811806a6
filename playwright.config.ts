import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';

const executablePath = process.env['CHROMIUM_PATH'];

export default defineConfig({
  testDir: 'test/end-to-end',
  timeout: 180_000,
  expect: { timeout: 30_000 },
  // Files share nothing: each has cases and a server of its own. Two at a time leave a third of two cores idle.
  workers: Math.max(3, availableParallelism() - 1),
  fullyParallel: false,
  outputDir: '.cache/playwright',
  snapshotPathTemplate: '{testDir}/looks/{arg}{ext}',
  use: {
    // Recording each step takes a third of the processor time of all walks; of one that fails: npx playwright test FILE --trace on
    trace: 'off',
    screenshot: 'only-on-failure',
    viewport: { width: 1440, height: 900 },
    launchOptions: {
      ...(executablePath === undefined ? {} : { executablePath }),
      args: [
        '--no-sandbox',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-quic',
        '--no-first-run',
      ],
    },
  },
});
