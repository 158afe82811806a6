import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    // Many tests wait for programs beside them: by itself it would run one file at a time on two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    globalSetup: ['test/support/build.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
