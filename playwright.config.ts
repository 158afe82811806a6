import { availableParallelism } from 'node:os';
import { defineConfig } from '@playwright/test';

const executablePath = process.env['CHROMIUM_PATH'];

/**
 * Of two lists Chromium takes the last, so the first lines are those that Playwright leaves out by itself. Then: each window
 * loads pages for the suggestions of its address bar, though no one types there: a quarter of what a page costs.
 */
const withoutFeatures = [
  'AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable',
  'LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect,OptimizationHints',
  'TcpPortRandomizationWin,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch',
  'WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup',
];

export default defineConfig({
  testDir: 'test/end-to-end',
  // These end what hangs and judge no speed: walks run beside the product's tests, on slow machines too.
  timeout: 600_000,
  expect: { timeout: 180_000 },
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
    // Frames of what moves while a walk waits are a tenth of a page's processor time and more. Those of `live` and `p99-walk` are drawn.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      ...(executablePath === undefined ? {} : { executablePath }),
      args: [
        '--no-sandbox',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-quic',
        '--no-first-run',
        `--disable-features=${withoutFeatures.join(',')}`,
      ],
    },
  },
});
