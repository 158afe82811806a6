import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** What shows that each feed has its turn needs a machine that has nothing else to do. */
const alone = ['test/endure/day.test.ts', 'test/capture/fair-scheduling.test.ts'];

export default defineConfig({
  test: {
    environment: 'node',
    pool: 'forks',
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: alone,
          // Many tests wait for programs beside them: on two cores all files took 13 minutes two at a time, 9 three at a time.
          maxWorkers: Math.max(3, availableParallelism() - 1),
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
    globalSetup: ['test/support/build.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
