import { utilityProcess } from 'electron';
import type { StartProcess, StatementAnswer } from '../../model/storage/statement-process.ts';

/**
 * Starts processes for the investigator's statements: utility processes, because the fuses forbid to run this program as Node.
 * Of the environment they get only the folders for temporary files.
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
      // Electron does not report the signal that ended it.
      onEnd: (listener) => void child.on('exit', () => listener(null)),
      kill: () => void child.kill(),
    };
  };
