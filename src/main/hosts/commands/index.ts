import { archiveCommand } from './archive.ts';
import { captureCommand } from './capture.ts';
import type { Command } from './command.ts';
import { compareCommand } from './compare.ts';
import { correlateCommand } from './correlate.ts';
import { costsCommand } from './costs.ts';
import { demoCommand } from './demo.ts';
import { diagnosticsCommand } from './diagnostics.ts';
import { exportCommand } from './export.ts';
import { findCommand } from './find.ts';
import { fleetCommand } from './fleet.ts';
import { gpusCommand } from './gpus.ts';
import { importCommand } from './import.ts';
import { infoCommand } from './info.ts';
import { jobsCommand } from './jobs.ts';
import { lifecycleCommand } from './lifecycle.ts';
import { logsCommand } from './logs.ts';
import { mechanismsCommand } from './mechanisms.ts';
import { noticesCommand } from './notices.ts';
import { patternsCommand } from './patterns.ts';
import { pullCommand } from './pull.ts';
import { pushCommand } from './push.ts';
import { queryCommand } from './query.ts';
import { repairCommand } from './repair.ts';
import { replayCommand } from './replay.ts';
import { reportCommand } from './report.ts';
import { secretCommand } from './secret.ts';
import { serveCommand } from './serve.ts';
import { stagesCommand } from './stages.ts';
import { thresholdsCommand } from './thresholds.ts';
import { topologyCommand } from './topology.ts';
import { traceCommand } from './trace.ts';
import { tracesCommand } from './traces.ts';
import { updateCommand } from './update.ts';
import { verifyCommand } from './verify.ts';

/** Every command of `faultline`, in the order of an investigation. */
export const commands: readonly Command[] = [
  demoCommand,
  importCommand,
  pullCommand,
  fleetCommand,
  infoCommand,
  findCommand,
  correlateCommand,
  topologyCommand,
  noticesCommand,
  patternsCommand,
  jobsCommand,
  gpusCommand,
  logsCommand,
  compareCommand,
  lifecycleCommand,
  reportCommand,
  stagesCommand,
  costsCommand,
  tracesCommand,
  traceCommand,
  queryCommand,
  exportCommand,
  pushCommand,
  verifyCommand,
  repairCommand,
  captureCommand,
  archiveCommand,
  secretCommand,
  mechanismsCommand,
  thresholdsCommand,
  replayCommand,
  serveCommand,
  diagnosticsCommand,
  updateCommand,
];
