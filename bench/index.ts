// `npm run bench`: one line per budget of DESIGN section 7 that exists so far. Missed budgets are reported.
import { ProblemError } from '../src/model/problem.ts';
import { benchApplicationLogs } from './application-logs.ts';
import { benchBundle } from './bundle.ts';
import { benchCancel } from './cancel.ts';
import { benchCapture } from './capture.ts';
import { benchClocks } from './clocks.ts';
import { benchCorpus } from './corpus/index.ts';
import { benchCorrelate } from './correlate.ts';
import { benchCurves } from './curves.ts';
import { benchDifferences } from './differences.ts';
import { benchFailingMachines } from './failing-machines.ts';
import { benchFleet } from './fleet.ts';
import { benchImport } from './import.ts';
import { benchJobs } from './jobs/index.ts';
import { benchLive } from './live.ts';
import { benchLogs } from './logs.ts';
import { options } from './options.ts';
import { applySettings, benchParameters } from './parameters.ts';
import { benchPublic } from './public.ts';
import { benchPull } from './pull.ts';
import { benchQueries } from './queries.ts';
import { benchSameSpans } from './same-spans.ts';
import { benchSoftware } from './software.ts';
import { benchWhatIf } from './what-if.ts';
import { benchWorlds } from './worlds/index.ts';

const benches = {
  import: benchImport,
  'application-logs': benchApplicationLogs,
  curves: benchCurves,
  'same-spans': benchSameSpans,
  cancel: benchCancel,
  correlate: benchCorrelate,
  'what-if': benchWhatIf,
  'failing-machines': benchFailingMachines,
  clocks: benchClocks,
  corpus: benchCorpus,
  queries: benchQueries,
  software: benchSoftware,
  differences: benchDifferences,
  logs: benchLogs,
  capture: benchCapture,
  jobs: benchJobs,
  live: benchLive,
  bundle: benchBundle,
  fleet: benchFleet,
  pull: benchPull,
  public: benchPublic,
  worlds: benchWorlds,
  parameters: benchParameters,
};
// The curves take as long as all others: they are only needed to check a constant. A fleet needs 10 GB of disk, and a pull from it 5. The parameters are no measurement.
const apart = ['curves', 'fleet', 'pull', 'parameters'];
const wanted = options.only?.split(',') ?? Object.keys(benches).filter((name) => !apart.includes(name));
try {
  applySettings();
} catch (error) {
  if (!(error instanceof ProblemError)) throw error;
  console.error(`${error.problem.message}: ${error.problem.hint}`);
  process.exit(1);
}
for (const [name, run] of Object.entries(benches)) if (wanted.includes(name)) await run();
console.log('\nFrames over 1 M marks and first paint: npm run bench:ui.');
