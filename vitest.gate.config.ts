import { defineConfig } from 'vitest/config';

/** The gate reads sources only: it needs none of the builds that the product tests wait for. */
export default defineConfig({
  test: {
    environment: 'node',
    include: ['test/architecture.test.ts', 'test/words.test.ts'],
    // The whole source is parsed, which takes its time on a busy machine.
    testTimeout: 60_000,
  },
});
