import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { StartProcess } from '../model/storage/statement-process.ts';

/** Of the environment: where temporary files go. A statement has no business with the rest. */
const inherited = ['TMPDIR', 'TEMP', 'TMP', 'HOME', 'SystemRoot', 'PATH'];

/** How Node starts a process for statements of people. @param file the built `query-process` */
export const startNodeProcess =
  (file: URL): StartProcess =>
  (database) => {
    const env = Object.fromEntries(inherited.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
    const child = fork(fileURLToPath(file), [database], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [],
      env,
    });
    // One that was killed between two statements is found out by the next.
    child.on('error', () => undefined);
    return {
      post: (order) => void (child.connected && child.send(order)),
      onAnswer: (listener) => void child.on('message', listener as (message: unknown) => void),
      onEnd: (listener) => void child.on('exit', (_code, signal) => listener(signal)),
      kill: () => void child.kill('SIGKILL'),
    };
  };
