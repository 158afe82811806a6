import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';

/** Milliseconds of processor time of a process so far: Linux counts it in hundredths of a second. */
export async function hostTime(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [user, system] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return 10 * ((user ?? 0) + (system ?? 0));
}

/** The same of all processes that show a page: there is one. */
export async function pageTime(page: Page): Promise<number> {
  const session = await page.context().browser()?.newBrowserCDPSession();
  const info = await session?.send('SystemInfo.getProcessInfo');
  await session?.detach();
  return (info?.processInfo ?? [])
    .filter(({ type }) => type === 'renderer')
    .reduce((sum, { cpuTime }) => sum + 1000 * cpuTime, 0);
}
