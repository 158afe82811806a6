import { setTimeout } from 'node:timers/promises';
import type { WriteStream } from 'node:tty';
import { visibleLine, visibleText } from '../../base/visible-text.ts';
import { EXIT } from './cli.ts';
import { messages } from './messages.ts';

type StreamName = 'output' | 'error';

/** Standard output and standard error of the command line, and how the command goes on when one of them fails. */
export interface StandardStreams {
  /** Writes text that may contain names from outside: control characters are shown, not sent to the terminal. Bytes are not changed. */
  out(content: string | Uint8Array): void;
  /** Writes a table for another program, unchanged; on a terminal like any other text. */
  data(text: string): void;
  /** The last lines of a command: written however much output is still waiting. */
  summary(text: string): void;
  err(text: string): void;
  /** Draws one line of progress over the line before; '' removes it. Only on a terminal, and only while no output waits. */
  progress(line: string): void;
  /** From now on, a stream that cannot be written neither ends nor delays the command: its product is a case, not its lines. */
  outlast(): void;
  /**
   * Waits until all output is written. For a command that outlasts its output this wait is short, then the process ends; but a
   * terminal that a person has paused (Ctrl-S) gets as long as it needs, unless it goes away.
   */
  settle(): Promise<void>;
}

/** Output, in bytes, that is buffered for a reader that stopped reading, and the time it gets at the end. */
const MOST_WAITING = 1024 * 1024;
const FLUSH_TIMEOUT_MS = 2000;

/**
 * A command whose product is its output ends with it: quietly when the reader has gone (`| head`), with one line and exit code 1
 * when the output cannot be written (a full disk). A command that outlasts its output goes on, and reports the loss once, on
 * the other stream.
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
    // Only progress and warnings are lost; the exit code still shows how the command ended.
    error: () => undefined,
    output: (code) => {
      // The terminal went away: after a hang-up the command still ends in order.
      if (code === 'EIO' && (isOutTerminal || isErrTerminal)) return;
      if (!outlasting) {
        if (code !== 'EPIPE') err(`faultline: ${messages.output.failed(code)}\n`);
        process.exit(code === 'EPIPE' ? EXIT.ok : EXIT.failed);
      }
      loseOutput(messages.output.unwritable(code));
    },
  };
  function loseOutput(why: string): void {
    if (isOutputLost) return;
    isOutputLost = true;
    err(`faultline: ${messages.output.lost(why)}\n`);
  }
  function print(content: string | Uint8Array, most = MOST_WAITING): void {
    if (outlasting && stdout.writableLength > most) return loseOutput(messages.output.unread);
    attempt('output', () => stdout.write(content));
  }
  /** Pipes fail later, with an event; files and devices fail at once, with an exception. */
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
 * Node writes to a terminal synchronously, so the process would block while a person has paused the terminal (Ctrl-S). The
 * handle below the stream may offer not to block; it then buffers the output. Without that ability nothing changes.
 */
function withoutBlocking(stream: WriteStream): void {
  const { _handle } = stream as { readonly _handle?: { setBlocking?(isBlocking: boolean): unknown } };
  _handle?.setBlocking?.(false);
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? 'unknown');
