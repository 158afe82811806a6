import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** The built command line: what users run. */
export const cli = join(import.meta.dirname, '../out/main/cli.js');

export interface Ran {
  /** null: the process was killed, or died. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** No command that is asked something takes longer; one that does hangs. */
const HANG_MS = 120_000;

/** Runs a command to its end. */
export function faultline(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const child = spawn(process.execPath, [cli, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', ...env },
    timeout: HANG_MS,
    killSignal: 'SIGKILL',
  });
  const [out, err]: [string[], string[]] = [[], []];
  child.stdout.on('data', (text) => out.push(String(text)));
  child.stderr.on('data', (text) => err.push(String(text)));
  return new Promise((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, out: out.join(''), err: err.join('') }));
  });
}

/** @throws Error with what the command printed, if it failed */
export async function must(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<void> {
  const { code, err } = await faultline(args, env);
  if (code !== 0) throw new Error(`faultline ${args[0]}: ${err}`);
}

/** A stack, or words of the language or the engine that mean nothing to a person at three in the morning. */
export const isTrace = ({ err, code, signal }: Ran): boolean =>
  code === null ||
  signal !== null ||
  /^\s+at \S+ \(|node:internal|\.js:\d+:\d+|^(?:faultline: )?(?:TypeError|RangeError|SyntaxError|INTERNAL Error|FATAL Error)/m.test(
    err,
  );

/** The conclusions of a case without the query time; null: it does not open. */
export async function reportOf(
  path: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly ran: Ran; readonly report: Readonly<Record<string, unknown>> | null }> {
  const ran = await faultline(['correlate', path, '--output', 'json'], env);
  if (ran.code !== 0) return { ran, report: null };
  const { report } = JSON.parse(ran.out) as { report: Record<string, unknown> };
  const { generated_at: _, ...rest } = report;
  return { ran, report: rest };
}

/** The same as a digest. */
export async function verdictOf(path: string): Promise<{ readonly ran: Ran; readonly verdict: string | null }> {
  const { ran, report } = await reportOf(path);
  if (report === null) return { ran, verdict: null };
  return { ran, verdict: createHash('sha256').update(JSON.stringify(report)).digest('hex') };
}

/** Where two JSON values first differ, with both values; '' if they are equal. */
export function firstDifference(found: unknown, wanted: unknown, at = ''): string {
  if (JSON.stringify(found) === JSON.stringify(wanted)) return '';
  const isBranch = (value: unknown): value is Readonly<Record<string, unknown>> =>
    typeof value === 'object' && value !== null;
  if (isBranch(found) && isBranch(wanted)) {
    for (const key of new Set([...Object.keys(wanted), ...Object.keys(found)])) {
      const difference = firstDifference(found[key], wanted[key], `${at}/${key}`);
      if (difference !== '') return difference;
    }
  }
  const short = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 120);
  return `${at}: ${short(found)} instead of ${short(wanted)}`;
}
