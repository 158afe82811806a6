import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { visibleText } from '../../src/base/visible-text.ts';
import { createTerminal } from '../../src/main/command-line.ts';
import { runCommandLine } from '../../src/main/hosts/cli.ts';
import type { StandardStreams } from '../../src/main/hosts/standard-streams.ts';
import { type Ran, withoutProgress } from './command-line.ts';

const home = join(import.meta.dirname, '../../out/main');

/**
 * Runs `faultline` in this process: the same commands on the same engine, without the second that a program of its own needs to
 * start. What is about processes, signals and streams belongs to `faultline` of `command-line.ts`.
 */
export async function faultlineHere(...args: readonly string[]): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []];
  const print = (content: string | Uint8Array): void =>
    void out.push(typeof content === 'string' ? visibleText(content) : Buffer.from(content).toString());
  const streams: StandardStreams = {
    out: print,
    data: (text) => void out.push(text),
    summary: print,
    err: (text) => void err.push(visibleText(text)),
    progress: () => undefined,
    outlast: () => undefined,
    settle: async () => undefined,
  };
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const terminal = createTerminal(home, { signal: stop.signal, waitForEnd: () => undefined }, streams);
  const code = await runCommandLine(args, terminal);
  return { code, out: out.join(''), err: withoutProgress(err.join('')) };
}
