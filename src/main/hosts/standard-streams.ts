import { setTimeout } from 'node:timers/promises';
import type { WriteStream } from 'node:tty';
import { visibleLine, visibleText } from '../../base/visible-text.ts';
import { EXIT } from './cli.ts';

type StreamName = 'output' | 'error';

/** Standard output and standard error of the command line, and what becomes of the command when one of them fails. */
export interface StandardStreams {
  /** Text with names in it that others chose: what would act on a terminal is shown instead. Bytes go through as they are. */
  out(content: string | Uint8Array): void;
  /** A table for another program, as it is; on a terminal like any text. */
  data(text: string): void;
  /** What a command says at its end: kept however much waits before it. */
  summary(text: string): void;
  err(text: string): void;
  /** One line of progress, drawn over the one before; '' takes it away. Only on a terminal, and only where nothing waits. */
  progress(line: string): void;
  /** From here on a stream that cannot be written ends nothing and holds nothing up: the product of the command is a case, not its words. */
  outlast(): void;
  /**
   * Waits for what is still on its way out. Of a command that outlasts its output not for long, and then ends the process; but a
   * terminal that a person has stopped is waited for until it goes on, or away.
   */
  settle(): Promise<void>;
}

/** A reader that stopped reading gets so much more, in bytes, and at the end so much time. */
const MOST_WAITING = 1024 * 1024;
const FLUSH_TIMEOUT_MS = 2000;

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
  const gone = new Set<WriteStream>();
  const err = (text: string): void => {
    if (!(outlasting && stderr.writableLength > MOST_WAITING)) attempt('error', () => stderr.write(visibleText(text)));
  };
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
      loseOutput(`cannot be written (${code})`);
    },
  };
  function loseOutput(why: string): void {
    if (isOutputLost) return;
    isOutputLost = true;
    err(`faultline: standard output ${why}: its lines are lost, the command goes on\n`);
  }
  function print(content: string | Uint8Array, most = MOST_WAITING): void {
    if (outlasting && stdout.writableLength > most) return loseOutput('is not read');
    attempt('output', () => stdout.write(content));
  }
  /** Pipes fail later, by an event; files and devices fail at once, by what they throw. */
  function attempt(stream: StreamName, write: () => void): void {
    try {
      write();
    } catch (error) {
      fate[stream](codeOf(error));
    }
  }
  stdout.on('error', (error) => {
    gone.add(stdout);
    fate.output(codeOf(error));
  });
  stderr.on('error', (error) => {
    gone.add(stderr);
    fate.error(codeOf(error));
  });
  const waiting = (): readonly WriteStream[] =>
    [stdout, stderr].filter((stream) => stream.writableLength > 0 && !gone.has(stream));
  return {
    out: (content) => print(typeof content === 'string' ? visibleText(content) : content),
    data: (text) => print(isOutTerminal ? visibleText(text) : text),
    summary: (text) => print(visibleText(text), Number.POSITIVE_INFINITY),
    err,
    progress: (line) => {
      if (isErrTerminal && stderr.writableLength === 0)
        attempt('error', () => stderr.write(`\r\u001b[K${visibleLine(line)}`));
    },
    outlast: () => {
      outlasting = true;
      for (const stream of [stdout, stderr]) if (stream.isTTY) withoutBlocking(stream);
    },
    settle: async () => {
      if (!outlasting) return;
      const end = performance.now() + FLUSH_TIMEOUT_MS;
      while (waiting().some((stream) => stream.isTTY || performance.now() < end)) await setTimeout(20);
      if (waiting().length > 0) process.exit();
    },
  };
}

/**
 * Node writes to a terminal in one go, and so stands still for as long as a person has stopped it (Ctrl-S). What lies below
 * its stream can do otherwise, and then keeps what waits; where it cannot, all stays as it was.
 */
function withoutBlocking(stream: WriteStream): void {
  const { _handle } = stream as { readonly _handle?: { setBlocking?(isBlocking: boolean): unknown } };
  _handle?.setBlocking?.(false);
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? 'unknown');
