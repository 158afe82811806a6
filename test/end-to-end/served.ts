import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { cli } from '../support/command-line.ts';

/** `faultline serve` in a process of its own, with its cases below `folder`. */
export class Served {
  private child: ChildProcess | undefined;
  private readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Starts it and answers with the address to open. */
  async start(...args: readonly string[]): Promise<string> {
    const child = spawn(process.execPath, [cli, 'serve', ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, FAULTLINE_HOME: join(this.folder, 'home') },
    });
    this.child = child;
    return new Promise<string>((resolve, reject) => {
      child.stdout.once('data', (chunk) => resolve(String(chunk).trim()));
      child.once('exit', (code) => reject(new Error(`serve ended with ${code}`)));
    });
  }

  async stop(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (!child || child.exitCode !== null) return;
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
  }
}
