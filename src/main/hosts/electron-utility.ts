import { utilityProcess } from 'electron';
import type { StartProcess, StatementAnswer } from '../../model/storage/statement-process.ts';

/**
 * Starts processes for statements of people: utility processes, because the fuses forbid to run this program as Node. They get
 * nothing of the environment but where temporary files go.
 * @param file the built `query-process`
 */
export const startUtilityProcess =
  (file: string): StartProcess =>
  (database) => {
    const inherited = ['TMPDIR', 'TEMP', 'TMP', 'HOME', 'SystemRoot'];
    const env = Object.fromEntries(inherited.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
    const child = utilityProcess.fork(file, [database], { stdio: 'ignore', serviceName: 'statements', env });
    return {
      post: (order) => child.postMessage(order),
      onAnswer: (listener) => void child.on('message', (answer: StatementAnswer) => listener(answer)),
      // By which signal it ended is not said.
      onEnd: (listener) => void child.on('exit', () => listener(null)),
      kill: () => void child.kill(),
    };
  };
