import { availableParallelism } from 'node:os';
import { matchesGlob } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Starts no process, waits for no clock and needs no build: what to run while working. `npm run test:quick`. */
const quick = ['base', 'model', 'renderer', 'sources', 'core', 'report'].map((folder) => `test/${folder}/**/*.test.ts`);
/** Of these folders, what takes 5 s and more beside others, needs what was built, or replaces a module for all tests of its process. */
const notQuick = [
  'test/core/{annotations,blocked-writer,clock-text,correlate,derive,differences,evidence-by-hand,flame,gpu-throttles}.test.ts',
  'test/core/{incident-context,incidents-by-hand,lane-kinds,lane-queries,lifecycle,live-samples,one-machine,patterns}.test.ts',
  'test/core/{patterns-of-fixtures,proposals,report,same-spans,search,silent-sources,time-index,trace-cost}.test.ts',
  'test/core/{software-logs,software-services,software-traces,trace-directory,traceql,traceql-random,unseen-onset}.test.ts',
  'test/core/{counted-requests,cuda-straggler,data-waits,golden,lasting-events,stated-places,what-if,zone-by-onset}.test.ts',
  'test/core/{checkpoint-processes,jobs,links-abroad,logged-requests,logged-steps,names,stalled-jobs,starved-processes}.test.ts',
  'test/core/{ended-work,failed-jobs,joined-jobs,level-shifts,part-impacts,rank-metrics,training-harm}.test.ts',
  'test/core/{called-services,contradicted-readings,hourly-baselines,model-serving,places-by-hand,queries,trace-tokens}.test.ts',
  'test/core/traceql-documented.test.ts',
  'test/report/{evidence-walk,forms,job-loss,prose,shared-causes,stored-rates,unread}.test.ts',
  'test/sources/{archives,borders,byte-table,device-series,fast-log-lines,fuzz,hostile,invariants,once-numbered,otlp-client}.test.ts',
  'test/sources/{otlp-damage,otlp-fast-spans,otlp-framings,otlp-meaning,parquet,redfish,slurm-logs}.test.ts',
];
/** These need a process of their own: they replace a module, stand in for Electron, or measure the memory of their process. */
const isolated = ['test/report/unread.test.ts', 'test/electron/**/*.test.ts', 'test/endure/**/*.test.ts'];
/** Threads that a test starts run the sources in plain Node, which cannot import a text file by itself. */
const execArgv = ['--import', new URL('bench/raw-text.mjs', import.meta.url).href];
/**
 * All others share processes: to load the program costs each file 2 s of a processor otherwise. What they stub is undone between
 * tests. Megabytes of heap before V8 collects all of it: otherwise each small case with its buffers made it mark the whole
 * program once, a fifth of the processor time of tests that import, judge and forget.
 */
const shared = {
  isolate: false,
  unstubEnvs: true,
  unstubGlobals: true,
  execArgv: [...execArgv, '--initial-heap-size=800'],
};
/** What shows that each feed has its turn needs a machine that has nothing else to do. */
const alone = ['test/capture/fair-scheduling.test.ts'];
/** All other folders: also one that will be added. */
const product = ['test/*.test.ts', 'test/!(base|model|renderer|sources|core|report)/**/*.test.ts', ...notQuick];

/** Files that take a minute and more beside others, or wait as long. */
const longest = [
  'endure/{kills,day,damage}',
  'core/patterns',
  'main/{kill-import,opening,repair,command-line,hostile-page,demo-scenarios,isolated-statements,foreign-text,docs-commands}',
  'viewer/{same-answers,training-answers,viewer-bundles}',
  'sources/fuzz',
  'packaging/release',
  'capture/{live-conclusions,snmp-recordings,push-out,nvml-feed}',
].map((name) => `**/test/${name}.test.ts`);

/** One that begins last keeps a single core busy while the others have nothing to do. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = (file: TestSpecification): boolean => longest.some((name) => matchesGlob(file.moduleId, name));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** Many tests wait for programs beside them: on two cores all files took 13 minutes two at a time, 9 three at a time. */
const maxWorkers = Math.max(3, availableParallelism() - 1);

export default defineConfig({
  test: {
    environment: 'node',
    pool: 'forks',
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: quick,
          exclude: notQuick,
          ...shared,
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      // Not with those above: they must not see its documents.
      {
        extends: true,
        test: {
          name: 'widgets',
          include: ['test/renderer/**/*.test.tsx'],
          isolate: false,
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'product',
          include: product,
          exclude: [...isolated, ...alone],
          ...shared,
          maxWorkers,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'isolated',
          include: isolated,
          exclude: alone,
          execArgv,
          maxWorkers,
          sequence: { groupOrder: 1 },
        },
      },
      { extends: true, test: { name: 'alone', include: alone, execArgv, maxWorkers: 1, sequence: { groupOrder: 2 } } },
    ],
    sequence: { sequencer: LongestFirst },
    setupFiles: process.env['FAULTLINE_PROCESSOR_TIME'] ? ['test/support/processor-time.ts'] : [],
    globalSetup: ['test/support/build.ts'],
    // A time ends a test that hangs and judges no speed: machines that run this are up to five times slower than each other.
    testTimeout: 1_200_000,
    expect: { poll: { timeout: 180_000 } },
    hookTimeout: 600_000,
  },
});
