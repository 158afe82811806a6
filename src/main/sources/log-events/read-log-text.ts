import { kernelRules } from './kernel.ts';
import type { LogEvent } from './rule.ts';
import { storageRules } from './storage.ts';
import { trainingRules } from './training.ts';

const rules = [...kernelRules, ...storageRules, ...trainingRules];
const anywhere = rules.filter(({ kernelOnly }) => kernelOnly !== true);

/**
 * The event that the text of a log record states; undefined for most records. The only place that reads log texts for their
 * meaning, for every format and feed that can carry them.
 * @param isKernel whether the kernel wrote it: some wordings mean this only there
 */
export function readLogText(text: string, isKernel: boolean): LogEvent | undefined {
  for (const { pattern, needles, read } of isKernel ? rules : anywhere) {
    if (!needles.some((needle) => text.includes(needle))) continue;
    const match = pattern.exec(text);
    const event = match ? read(match) : undefined;
    if (event) return event;
  }
  return undefined;
}

/** Texts of which every record that states an event contains one. */
export const needles: readonly string[] = [...new Set(anywhere.flatMap((rule) => rule.needles))];
