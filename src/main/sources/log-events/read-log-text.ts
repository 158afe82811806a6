import { kernelRules } from './kernel.ts';
import { networkDeviceRules } from './network-devices.ts';
import { daemonRules, driverRules } from './parts.ts';
import type { LogEvent, Rule, Writer } from './rule.ts';
import { slurmRules } from './slurm.ts';
import { startRules } from './starts.ts';
import { storageRules } from './storage.ts';
import { reportNeedles } from './torchrun.ts';
import { trainingRules } from './training.ts';

const programRules: readonly Rule[] = [
  ...daemonRules,
  ...storageRules,
  ...trainingRules,
  ...slurmRules,
  ...networkDeviceRules,
  ...startRules,
];
const rules: Readonly<Record<Writer, readonly Rule[]>> = {
  kernel: [...kernelRules, ...driverRules, ...programRules],
  program: programRules,
  unknown: [...[...kernelRules, ...driverRules].filter(({ kernelOnly }) => kernelOnly !== true), ...programRules],
};

/**
 * The event that the text of a log record states; undefined for most records. The only place that reads log texts for their
 * meaning, for every format and feed that can carry them.
 */
export function readLogText(text: string, writer: Writer): LogEvent | undefined {
  for (const { pattern, needles, read } of rules[writer]) {
    const at = needles.map((needle) => text.indexOf(needle)).find((found) => found >= 0);
    if (at === undefined) continue;
    const match = pattern.exec(lineAround(text, at));
    const event = match ? read(match) : undefined;
    if (event) return event;
  }
  return undefined;
}

/** Characters of a line before and after a needle: longer ones are dumps, and patterns would search them for minutes. */
const [BEFORE, AFTER] = [512, 1536];

function lineAround(text: string, at: number): string {
  const from = Math.max(text.lastIndexOf('\n', at) + 1, at - BEFORE);
  const end = text.indexOf('\n', at);
  return text.slice(from, Math.min(end < 0 ? text.length : end, at + AFTER));
}

/** Texts of which every record that states an event contains one, unless it is marked as the kernel's. */
export const needles: readonly string[] = [
  ...new Set([...rules.unknown.flatMap((rule) => rule.needles), ...reportNeedles]),
];
