import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';

/** Of Linux, for each second. */
const TICKS = 100;
const at = globalThis as typeof globalThis & { processorTimeBefore?: Used };

interface Used {
  readonly own: number;
  readonly children: number;
}

/** Processor time of this process and of its children that ended, seconds: fields 14 to 17 of proc_pid_stat(5). */
function used(): Used {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .slice(11, 15)
    .map(Number);
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields;
  return { own: (user + system) / TICKS, children: (childUser + childSystem) / TICKS };
}

/**
 * With FAULTLINE_PROCESSOR_TIME=FILE each test file adds a line to FILE: seconds of its tests, of loading it (and, of the first in a
 * process, of the runner), of the processes that it started, and its name. Time by the clock is of no use on a busy machine.
 */
let began: Used;
beforeAll(() => {
  began = used();
});
afterAll(() => {
  const before = at.processorTimeBefore ?? { own: 0, children: 0 };
  const now = used();
  at.processorTimeBefore = now;
  const figures = [now.own - began.own, began.own - before.own, now.children - before.children];
  const file = relative(process.cwd(), expect.getState().testPath ?? '');
  appendFileSync(
    process.env.FAULTLINE_PROCESSOR_TIME!,
    `${figures.map((one) => one.toFixed(2)).join('\t')}\t${file}\n`,
  );
});
