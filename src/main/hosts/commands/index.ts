import { captureCommand } from './capture.ts';
import type { Command } from './command.ts';
import { correlateCommand } from './correlate.ts';
import { demoCommand } from './demo.ts';
import { importCommand } from './import.ts';
import { infoCommand } from './info.ts';
import { mechanismsCommand } from './mechanisms.ts';
import { queryCommand } from './query.ts';
import { reportCommand } from './report.ts';
import { serveCommand } from './serve.ts';
import { tracesCommand } from './traces.ts';

/** Every command of `faultline`, in the order of an investigation. */
export const commands: readonly Command[] = [
  demoCommand,
  importCommand,
  infoCommand,
  correlateCommand,
  reportCommand,
  tracesCommand,
  queryCommand,
  captureCommand,
  mechanismsCommand,
  serveCommand,
];
