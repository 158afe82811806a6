import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** What Node compiled of sources that run as they are: a start takes 0.8 s of a processor with it, 1.5 s without. */
const compiled = join(import.meta.dirname, '../.cache/compiled');

/** A process that is about to be killed, in a group of its own, so that nothing of it survives. */
export interface Victim {
  /** What it has printed so far, line by line; a line that is not complete is not there. */
  lines(): readonly string[];
  /** When each line that fits was read, by this process's clock. */
  timesOf(wanted: RegExp): readonly number[];
  err(): string;
  kill(): void;
  /** The first line that fits; rejects when the process ends without one. */
  waitForLine(wanted: RegExp): Promise<string>;
  /** null: it was killed. */
  readonly ended: Promise<number | null>;
}

/** @param args of Node: a script and what it is given */
export function startVictim(args: readonly string[], env: Readonly<Record<string, string>>): Victim {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', NODE_COMPILE_CACHE: compiled, ...env },
    detached: true,
  });
  const [out, err]: [string[], string[]] = [[], []];
  const lines = (): string[] => out.join('').split('\n').slice(0, -1);
  const read: number[] = [];
  child.stdout.on('data', (text) => {
    out.push(String(text));
    for (let n = read.length; n < lines().length; n++) read.push(Date.now());
  });
  child.stderr.on('data', (text) => err.push(String(text)));
  const ended = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  return {
    lines,
    timesOf: (wanted) => lines().flatMap((line, n) => (wanted.test(line) ? [read[n]!] : [])),
    err: () => err.join(''),
    kill: () => {
      try {
        process.kill(-child.pid!, 'SIGKILL');
      } catch {
        // It was through before its turn.
      }
    },
    waitForLine: (wanted) =>
      new Promise((resolve, reject) => {
        const checkLines = (): void => {
          const found = lines().find((line) => wanted.test(line));
          if (found !== undefined) resolve(found);
        };
        child.stdout.on('data', checkLines);
        checkLines();
        void ended.then((code) => {
          checkLines();
          reject(new Error(`ended with ${code} before it printed ${wanted}: ${err.join('').slice(0, 400)}`));
        });
      }),
    ended,
  };
}
