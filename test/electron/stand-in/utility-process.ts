import { fork } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { strict } from './strict.ts';

/** Gives the child Electron's `process.parentPort`, over Node's own channel. */
const PARENT_PORT = `data:text/javascript,${encodeURIComponent(`
  import { EventEmitter } from 'node:events';
  import { isMainThread } from 'node:worker_threads';
  if (isMainThread) {
    const port = new EventEmitter();
    port.postMessage = (message) => process.send(message);
    process.on('message', (data) => port.emit('message', { data }));
    process.parentPort = port;
  }
`)}`;

export interface ForkOptions {
  readonly stdio: 'ignore';
  readonly serviceName: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Processes of Node in place of Chromium's utility processes. */
export function createUtilityProcess(isReady: () => boolean) {
  const started: { readonly file: string; readonly options: ForkOptions }[] = [];
  const utilityProcess = {
    fork(file: string, args: readonly string[], options: ForkOptions) {
      if (!isReady()) throw new Error('electron stand-in: utilityProcess.fork before ready');
      started.push({ file, options });
      const child = fork(file, [...args], {
        serialization: 'advanced',
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
        execArgv: ['--import', PARENT_PORT],
        env: { ...options.env },
      });
      const events = new EventEmitter();
      child.on('message', (message) => events.emit('message', message));
      child.on('exit', (code) => events.emit('exit', code ?? 1));
      child.on('error', () => undefined);
      return strict('UtilityProcess', {
        on: (name: string, listener: (value: never) => void) => events.on(name, listener as () => void),
        postMessage: (message: object) => void (child.connected && child.send(message)),
        kill: () => child.kill(),
      });
    },
  };
  return { utilityProcess, started };
}
