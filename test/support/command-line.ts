import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

export const cli = join(import.meta.dirname, '../../out/main/cli.js');

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the built `faultline` as a user would. */
export function faultline(...args: readonly string[]): Promise<Ran> {
  return finished(start(...args));
}

export const start = (...args: readonly string[]): ChildProcess => startIn(process.cwd(), ...args);

/** The same in a folder of its own. The tests of this process share their working directory, so none may change it. */
export const startIn = (cwd: string, ...args: readonly string[]): ChildProcess =>
  spawn(process.execPath, [cli, ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  });

export function finished(child: ChildProcess): Promise<Ran> {
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk) => (out += chunk));
  child.stderr?.on('data', (chunk) => (err += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err: withoutProgress(err) })));
}

/** A log gets a line of progress every few seconds: on a slow machine also that of a small file. */
export const withoutProgress = (err: string): string => err.replace(/^ *\d+ % {2}.*\n/gm, '');
