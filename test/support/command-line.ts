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

export const start = (...args: readonly string[]): ChildProcess =>
  spawn(process.execPath, [cli, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  });

export function finished(child: ChildProcess): Promise<Ran> {
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk) => (out += chunk));
  child.stderr?.on('data', (chunk) => (err += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
}
