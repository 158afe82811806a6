import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const cli = join(import.meta.dirname, '../out/main/cli.js');
// The greatest resident size that the system reports for a process includes that of its parent at the start.
const peakScript = `import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
process.on('exit', () => {
  if (!isMainThread) return;
  const { user, system } = process.cpuUsage();
  console.error('processor ' + (user + system) + ' peak ' + /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]);
});`;

export interface IntoCase {
  readonly ms: number;
  /** Of all threads: what other programs do beside it changes it less than `ms`. */
  readonly processor_us: number;
  readonly rows: number;
  readonly peak_mb: number;
}

interface Limits {
  /** Most cores; undefined: all of them. */
  readonly cores?: number | undefined;
  /** undefined: the built one. */
  readonly program?: string | undefined;
}

/** Runs a command that fills a new case in a process of its own, its start included. @param command of the path of the case */
export function intoCase(
  folder: string,
  command: (path: string) => readonly string[],
  { cores, program = cli }: Limits = {},
): IntoCase {
  const path = join(folder, 'bench.faultline');
  execFileSync('rm', ['-rf', path]);
  const node = [process.execPath, '--import', `data:text/javascript,${encodeURIComponent(peakScript)}`, program];
  const pinned = cores === undefined ? [] : ['taskset', '-c', Array.from({ length: cores }, (_, i) => i).join()];
  const args = [...pinned, ...node, ...command(path), '--json'];
  const from = performance.now();
  const output = execFileSync('/bin/sh', ['-c', 'exec "$@" 2>&1', 'sh', ...args], {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  const ms = performance.now() - from;
  const rows = [...output.matchAll(/"(?:span|point|log)": (\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  const processor_us = Number(/processor (\d+)/.exec(output)?.[1]);
  return { ms, processor_us, rows, peak_mb: Number(/peak (\d+)/.exec(output)?.[1]) / 1000 };
}
