import type { ParseArgsConfig } from 'node:util';
import { visibleLine } from '../../../base/visible-text.ts';
import type { Api, CaseInfo, Output } from '../../../model/contract/index.ts';
import type { BundleCheck } from '../../../model/storage/bundle.ts';

/** What a command may do to the outside world. */
export interface Terminal {
  readonly version: string;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Standard error is a person's terminal: progress may be drawn over itself. */
  readonly interactive: boolean;
  /** A line from whoever sits there; '' at the end of the input. null: standard input or error is no terminal. */
  readonly prompt: ((promptText: string) => Promise<string>) | null;
  /** What nobody may see: typed without being shown, or all of standard input, without the line end at its end. */
  secret(question: string): Promise<string>;
  /** Standard output; bytes go through as they are. */
  out(content: string | Uint8Array): void;
  /** A table for another program, as it is; on a terminal like any text. */
  data(text: string): void;
  /** What a command says at its end: kept however much waits before it. */
  summary(text: string): void;
  err(text: string): void;
  /** One line of progress on a person's terminal, drawn over the one before; '' takes it away. */
  progress(line: string): void;
  /** From here on a standard output that cannot be written ends nothing and holds nothing up: what the command makes is a case, not its lines. */
  outlastOutput(): void;
  /** From here on an orderly end after Ctrl-C takes as long as it takes; a second Ctrl-C ends at once. */
  waitForEnd(): void;
  /** A core with no case open. `root` is where it makes new cases; ':memory:' keeps them in memory. */
  openCore(root?: string): Promise<Core>;
  /** Makes the folder where there is none. */
  writeFile(path: string, text: string): Promise<void>;
  /** A text of the user's, such as rules. */
  readFile(path: string): Promise<string>;
  /** Where the user's own mechanisms belong. */
  readonly mechanismsPath: string;
  /**
   * Sends OTLP/JSON requests to a receiver; header values are places of secrets.
   *
   * @returns what the receiver did not take @throws ProblemError push.unreachable, push.refused, feed.no_secret
   */
  pushOtlp(
    target: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
    requests: { readonly traces: string; readonly logs: string; readonly metrics: string },
  ): Promise<string[]>;
  /**
   * Compares every byte of a bundle with its manifest; `key`: file of the public key that must have signed it.
   *
   * @throws ProblemError bundle.not_a_bundle and those of what is no bundle at all
   */
  verifyBundle(path: string, key: string | null): Promise<BundleCheck>;
  writeDemo(directory: string): Promise<readonly string[]>;
  /** @param sendSecrets plans of its windows may send secrets anywhere, without a question on this terminal */
  serve(options: {
    readonly casePath: string | null;
    readonly port: number;
    readonly sendSecrets: boolean;
  }): Promise<{ readonly url: string; closed: Promise<void> }>;
}

export interface Core {
  readonly api: Api;
  /** Makes a handle of a path, or refuses it. */
  register(path: string): Promise<string>;
  openCase(path: string): Promise<CaseInfo>;
  /** Copies what can be read of a damaged case into a new one at `to`. @throws ProblemError case.exists, case.beyond_repair */
  repair(path: string, to: string): Promise<Output<'case.repair'>>;
  /** Says where `bundle.write` writes to, and where the key is that signs it. */
  bundleTo(path: string, key: string | null): void;
  /** Says where exports go: a file or folder, or standard output (null); `overwrite`: whether files in a folder give way. */
  exportTo(path: string | null, overwrite: boolean): void;
  /** Says where imports go: into the case at a path, which the first readable file makes when there is none. */
  placeCase(path: string): Promise<void>;
  close(): Promise<void>;
}

export interface Invocation {
  readonly values: Readonly<Record<string, string | boolean | string[] | undefined>>;
  readonly positionals: readonly string[];
  readonly terminal: Terminal;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly options: NonNullable<ParseArgsConfig['options']>;
  run(invocation: Invocation): Promise<void>;
}

/** The command line itself is wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function positional(invocation: Invocation, index: number, what: string): string {
  const value = invocation.positionals[index];
  if (value === undefined) throw new UsageError(`${what} is missing`);
  return value;
}

export function text(invocation: Invocation, name: string): string | null {
  const value = invocation.values[name];
  return typeof value === 'string' ? value : null;
}

export function number(invocation: Invocation, name: string): number | undefined {
  const value = text(invocation, name);
  if (value === null) return undefined;
  const parsed = Number(value);
  if (value.trim() === '' || !Number.isFinite(parsed)) throw new UsageError(`--${name} needs a number, not "${value}"`);
  return parsed;
}

export function oneOf<T extends string>(invocation: Invocation, name: string, allowed: readonly T[], fallback: T): T {
  const value = text(invocation, name) ?? fallback;
  if (!allowed.includes(value as T)) throw new UsageError(`--${name} is one of ${allowed.join(', ')}, not "${value}"`);
  return value as T;
}

/** Runs work on a core and closes it, whatever happens. */
export async function withCore<T>(
  invocation: Invocation,
  root: string | undefined,
  work: (core: Core) => Promise<T>,
): Promise<T> {
  const core = await invocation.terminal.openCore(root);
  try {
    return await work(core);
  } finally {
    await core.close();
  }
}

/** A name or reason that others chose, within a line of ours. */
export const shown = visibleLine;

/** JSON for scripts: bigints as decimal strings, as OTLP does. */
export const toJson = (value: unknown): string =>
  `${JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? String(item) : item), 2)}\n`;
