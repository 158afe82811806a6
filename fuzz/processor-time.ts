import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second, which Linux fixes for what it tells programs (proc(5), `USER_HZ`). */
const TICKS = 100;

/** How long a process and those that it started have had a processor so far, in ms, all threads together; 0 where there is no /proc. */
export function processorMs(pid: number): number {
  // After the name in brackets: the state is field 3, times of the process and of its ended children are 14 to 17.
  const fields = text(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
  return (own * 1000) / TICKS + childrenOf(pid).reduce((sum, child) => sum + processorMs(child), 0);
}

const childrenOf = (pid: number): readonly number[] =>
  listed(`/proc/${pid}/task`).flatMap((thread) =>
    text(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );

/** What ends while it is read is not there any more. */
const text = (path: string): string => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
};
const listed = (path: string): readonly string[] => {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
};
