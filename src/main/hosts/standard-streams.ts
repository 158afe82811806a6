import { visibleLine, visibleText } from '../../base/visible-text.ts';
import { EXIT } from './cli.ts';

type StreamName = 'output' | 'error';

/** Standard output and standard error of the command line, and what becomes of the command when one of them fails. */
export interface StandardStreams {
  /** Text with names in it that others chose: what would act on a terminal is shown instead. Bytes go through as they are. */
  out(content: string | Uint8Array): void;
  /** A table for another program, as it is; on a terminal like any text. */
  data(text: string): void;
  err(text: string): void;
  /** One line of progress, drawn over the one before; '' takes it away. Only on a terminal. */
  progress(line: string): void;
  /** From here on a stream that cannot be written ends nothing: the product of the command is a case, not its words. */
  outlast(): void;
}

/**
 * A command whose product is its output ends with it: quietly when the reader has gone (`| head`), with one line and exit code 1
 * when it cannot be written (a full disk). One that outlasts its output goes on, and says once on the other stream
 * that its words are lost.
 */
export function standardStreams(): StandardStreams {
  const { stdout, stderr } = process;
  const [isOutTerminal, isErrTerminal] = [stdout.isTTY === true, stderr.isTTY === true];
  let outlasting = false;
  let isOutputLost = false;
  const err = (text: string): void => attempt('error', () => stderr.write(visibleText(text)));
  const fate: Readonly<Record<StreamName, (code: string) => void>> = {
    // Only progress and warnings are lost; the exit code still says how the command ended.
    error: () => undefined,
    output: (code) => {
      // The terminal went away: what a hang-up interrupts still ends in order.
      if (code === 'EIO' && (isOutTerminal || isErrTerminal)) return;
      if (!outlasting) {
        if (code !== 'EPIPE') err(`faultline: the output could not be written (${code})\n`);
        process.exit(code === 'EPIPE' ? EXIT.ok : EXIT.failed);
      }
      if (isOutputLost) return;
      isOutputLost = true;
      err(`faultline: standard output cannot be written (${code}): its lines are lost, the command goes on\n`);
    },
  };
  /** Pipes fail later, by an event; files and devices fail at once, by what they throw. */
  function attempt(stream: StreamName, write: () => void): void {
    try {
      write();
    } catch (error) {
      fate[stream](codeOf(error));
    }
  }
  stdout.on('error', (error) => fate.output(codeOf(error)));
  stderr.on('error', (error) => fate.error(codeOf(error)));
  return {
    out: (content) =>
      attempt('output', () => stdout.write(typeof content === 'string' ? visibleText(content) : content)),
    data: (text) => attempt('output', () => stdout.write(isOutTerminal ? visibleText(text) : text)),
    err,
    progress: (line) => {
      if (isErrTerminal) attempt('error', () => stderr.write(`\r\u001b[K${visibleLine(line)}`));
    },
    outlast: () => {
      outlasting = true;
    },
  };
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? 'unknown');
