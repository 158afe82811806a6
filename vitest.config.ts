import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    // Many tests wait for programs beside them: on two cores all files took 13 minutes two at a time, 9 three at a time.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    globalSetup: ['test/support/build.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
