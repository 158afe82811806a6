import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { cli } from '../support/command-line.ts';
import { withSecretService } from '../support/keychain-session.ts';

/** `faultline serve` in a process of its own, with its cases below `folder`. Tests that share a case may share the process. */
export class Served {
  private child: ChildProcess | undefined;
  private running: { readonly args: string; readonly address: string } | undefined;
  private readonly folder: string;
  private readonly keychain: boolean;

  /** `keychain`: in a session with a Secret Service of its own. */
  constructor(folder: string, { keychain = false }: { readonly keychain?: boolean } = {}) {
    this.folder = folder;
    this.keychain = keychain;
  }

  /** The address to open, of the server that runs with these arguments; another one is ended. */
  async reuse(...args: readonly string[]): Promise<string> {
    if (this.running?.args === args.join(' ') && this.child?.exitCode === null) return this.running.address;
    await this.stop();
    return this.start(...args);
  }

  /** Starts the server and returns the address to open. */
  async start(...args: readonly string[]): Promise<string> {
    const child = this.keychain ? await this.inSession(args) : this.inPlace(args);
    this.child = child;
    const address = await new Promise<string>((resolve, reject) => {
      child.stdout?.once('data', (chunk) => resolve(String(chunk).trim()));
      child.once('exit', (code) => reject(new Error(`serve ended with ${code}`)));
    });
    this.running = { args: args.join(' '), address };
    return address;
  }

  private inPlace(args: readonly string[]): ChildProcess {
    return spawn(process.execPath, [cli, 'serve', ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, FAULTLINE_HOME: join(this.folder, 'home') },
    });
  }

  private inSession(args: readonly string[]): Promise<ChildProcess> {
    const [program, script, home] = [process.execPath, cli, join(this.folder, 'home')].map((text) =>
      JSON.stringify(text),
    );
    return withSecretService(`FAULTLINE_HOME=${home} exec ${program} ${script} serve ${args.join(' ')}`, this.folder);
  }

  async stop(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    this.running = undefined;
    if (!child || child.exitCode !== null) return;
    if (this.keychain && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    else child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
  }
}
