import { type ChildProcess, fork, spawn } from 'node:child_process';
import { join } from 'node:path';
import { cli } from '../support/command-line.ts';
import { withSecretService } from '../support/keychain-session.ts';
import type { Start } from '../support/serve-again.ts';

/** Processes that wait to serve again. They end with this one. */
const idle: ChildProcess[] = [];

/** `own`: a process that serves once, as the command does; `keychain`: the same in a session with a Secret Service of its own. */
interface ServedOptions {
  readonly own?: boolean;
  readonly keychain?: boolean;
}

/** A running server, and what ends it. */
interface Server {
  readonly address: string;
  isRunning(): boolean;
  end(): Promise<void>;
}

/** `faultline serve` with its cases below `folder`. Tests that share a case may share the server. */
export class Served {
  private server: (Server & { readonly args: string }) | undefined;
  private readonly folder: string;
  private readonly options: ServedOptions;

  constructor(folder: string, options: ServedOptions = {}) {
    this.folder = folder;
    this.options = options;
  }

  /** The address to open, of the server that runs with these arguments; another one is ended. */
  async reuse(...args: readonly string[]): Promise<string> {
    if (this.server?.args === args.join(' ') && this.server.isRunning()) return this.server.address;
    await this.stop();
    return this.start(...args);
  }

  /** Starts the server and returns the address to open. */
  async start(...args: readonly string[]): Promise<string> {
    const env = { ...process.env, FAULTLINE_HOME: join(this.folder, 'home') };
    const { own = false, keychain = false } = this.options;
    const started = await (own || keychain ? this.startOwn(args, env) : startAgain({ args, env }));
    this.server = { ...started, args: args.join(' ') };
    return started.address;
  }

  private async startOwn(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Server> {
    const { keychain = false } = this.options;
    const child = keychain
      ? await this.inSession(args)
      : spawn(process.execPath, [cli, 'serve', ...args], { stdio: ['ignore', 'pipe', 'inherit'], env });
    const address = await addressOf(child);
    const end = async (): Promise<void> => {
      if (child.exitCode !== null) return;
      if (keychain && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
      else child.kill('SIGTERM');
      await new Promise((resolve) => child.once('exit', resolve));
    };
    return { address, isRunning: () => child.exitCode === null, end };
  }

  private inSession(args: readonly string[]): Promise<ChildProcess> {
    const [program, script, home] = [process.execPath, cli, join(this.folder, 'home')].map((text) =>
      JSON.stringify(text),
    );
    return withSecretService(`FAULTLINE_HOME=${home} exec ${program} ${script} serve ${args.join(' ')}`, this.folder);
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    await server?.end();
  }
}

/** The first line of its output. */
const addressOf = (child: ChildProcess): Promise<string> =>
  new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (chunk) => resolve(String(chunk).trim()));
    child.once('exit', (code) => reject(new Error(`serve ended with ${code}`)));
  });

/** In a process that has served before, if there is one. */
async function startAgain(start: Start): Promise<Server> {
  const script = join(import.meta.dirname, '../support/serve-again.ts');
  const child = idle.pop() ?? fork(script, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  let isRunning = true;
  const ended = new Promise<number>((resolve) => {
    const gone = (code: number | null): void => {
      isRunning = false;
      resolve(code ?? 1);
    };
    child.once('message', (message: { readonly ended: number }) => {
      child.off('exit', gone);
      idle.push(child);
      gone(message.ended);
    });
    child.once('exit', gone);
  });
  child.send(start);
  const address = new Promise<string>((resolve) => child.stdout?.once('data', (chunk) => resolve(`${chunk}`.trim())));
  const failed = ended.then((code) => Promise.reject(new Error(`serve ended with ${code}`)));
  return {
    address: await Promise.race([address, failed]),
    isRunning: () => isRunning,
    end: async () => {
      if (isRunning) child.send('stop');
      await ended;
    },
  };
}
