import type { ParseArgsConfig } from 'node:util';
import { visibleLine } from '../../../base/visible-text.ts';
import type { Api, CaseInfo, Output } from '../../../model/contract/index.ts';
import type { DemoScenario } from '../../../model/demo-scenario.ts';
import { fail } from '../../../model/problem.ts';
import type { BundleCheck } from '../../../model/storage/bundle.ts';
import { messages } from './messages/common.ts';

/** What a command may do to the outside world. */
export interface Terminal {
  readonly version: string;
  /** Of the sources that it was built from. */
  readonly commit: string;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Standard error is a person's terminal: progress may be drawn over itself. */
  readonly interactive: boolean;
  /** Prompts the person at the terminal for a line; '' at the end of the input. null: standard input or error is no terminal. */
  readonly prompt: ((promptText: string) => Promise<string>) | null;
  /** Reads a secret: typed without echo, or all of standard input without the last line end. */
  secret(promptText: string): Promise<string>;
  /** Writes to standard output; bytes are not changed. */
  out(content: string | Uint8Array): void;
  /** Writes a table for another program, unchanged; on a terminal like any other text. */
  data(text: string): void;
  /** The last lines of a command: written however much output is still waiting. */
  summary(text: string): void;
  err(text: string): void;
  /** Draws one line of progress on a person's terminal, over the line before; '' removes it. */
  progress(line: string): void;
  /** From now on, a standard output that cannot be written neither ends nor delays the command: its product is a case, not its lines. */
  outlastOutput(): void;
  /** From now on, an orderly end after Ctrl-C has no time limit; a second Ctrl-C ends at once. */
  waitForEnd(): void;
  /**
   * Opens a core without a case. `root` is the folder of new cases; ':memory:' creates them in memory. `thresholds` is a file of
   * thresholds in place of the user's own.
   */
  openCore(root?: string, thresholds?: string | null): Promise<Core>;
  /** Creates the folder if it does not exist. */
  writeFile(path: string, text: string): Promise<void>;
  /** Reads a text of the investigator, such as rules. */
  readFile(path: string): Promise<string>;
  /** A list of releases as JSON: a file, or the answer of one address. @throws ProblemError update.insecure, update.unreachable */
  readReleases(place: string): Promise<string>;
  /** Entries of a folder. */
  listFolder(path: string): Promise<readonly { readonly name: string; readonly isFolder: boolean }[]>;
  /** Folder of the labelled recordings that come with Faultline. */
  readonly corpusPath: string;
  /** Path of the investigator's own mechanisms. */
  readonly mechanismsPath: string;
  /** Path of the investigator's own thresholds of patterns. */
  readonly thresholdsPath: string;
  /**
   * Sends OTLP/JSON requests to a receiver; header values name where the secrets are.
   *
   * @returns what the receiver refused @throws ProblemError push.unreachable, push.refused, feed.no_secret
   */
  pushOtlp(
    target: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
    requests: { readonly traces: string; readonly logs: string; readonly metrics: string },
  ): Promise<string[]>;
  /**
   * Compares every byte of a bundle with its manifest; `key`: file of the public key that must have signed it.
   *
   * @throws ProblemError bundle.not_a_bundle, and others for a file that is no bundle
   */
  verifyBundle(path: string, key: string | null): Promise<BundleCheck>;
  writeDemo(directory: string): Promise<readonly string[]>;
  /** Writes the files of a scenario; left out numbers are those of {@link scenarioLimits}. */
  writeScenario(
    directory: string,
    scenario: DemoScenario,
    numbers: { readonly rate?: number; readonly minutes?: number },
  ): Promise<{
    /** In the order of import; a folder holds files that belong together. */
    readonly paths: readonly string[];
    readonly files: number;
    /** What happened, when, and in which entity (`kind:id`). */
    readonly truth: { readonly time: string; readonly subject: string; readonly lines: readonly string[] };
  }>;
  /**
   * @param sendSecrets plans of its windows may send secrets to any host, without a prompt on this terminal
   * @param watch folders whose files they may follow
   */
  serve(options: {
    readonly casePath: string | null;
    readonly port: number;
    readonly sendSecrets: boolean;
    readonly watch: readonly string[];
  }): Promise<{ readonly url: string; closed: Promise<void> }>;
}

export interface Core {
  readonly api: Api;
  /** Creates a handle for a path, or refuses it. */
  register(path: string): Promise<string>;
  /** Opens a case to read from, if need be a copy of one that another process has open; @param options toChange: the case itself */
  openCase(path: string, options?: { readonly toChange: boolean }): Promise<CaseInfo>;
  /** Copies the readable part of a damaged case into a new case at `to`. @throws ProblemError case.exists, case.beyond_repair */
  repair(path: string, to: string): Promise<Output<'case.repair'>>;
  /** Sets the file that `bundle.write` writes, and the place of the key that signs it. */
  bundleTo(path: string, key: string | null): void;
  /** Sets the target of exports: a file, a folder, or standard output (null); `overwrite`: replace files in the folder. */
  exportTo(path: string | null, overwrite: boolean): void;
  /** Sets the case that imports go into; if none exists at the path, the first readable file creates it. */
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
  if (value === undefined) throw new UsageError(messages.missing(what));
  return value;
}

export function text(invocation: Invocation, name: string): string | null {
  const value = invocation.values[name];
  return typeof value === 'string' ? value : null;
}

/** Of an option that may be there several times. */
export function texts(invocation: Invocation, name: string): readonly string[] {
  const values = invocation.values[name];
  return Array.isArray(values) ? values.map(String) : [];
}

export function number(invocation: Invocation, name: string): number | undefined {
  const value = text(invocation, name);
  if (value === null) return undefined;
  const parsed = Number(value);
  if (value.trim() === '' || !Number.isFinite(parsed)) throw new UsageError(messages.notANumber(name, value));
  return parsed;
}

export function oneOf<T extends string>(invocation: Invocation, name: string, allowed: readonly T[], fallback: T): T {
  const value = text(invocation, name) ?? fallback;
  if (!allowed.includes(value as T)) throw new UsageError(messages.notOneOf(name, allowed.join(', '), value));
  return value as T;
}

/** For commands that run patterns. */
export const thresholdsOption = { thresholds: { type: 'string' } } as const;

/** A line beside findings. */
export const changedText = (changed: readonly { readonly text: string }[]): string =>
  messages.thresholdsChanged(changed.map((one) => one.text).join(', '));

/** @throws ProblemError thresholds.missing, thresholds.invalid, thresholds.unreadable: a file that was named has to be in use */
async function requireThresholds({ api }: Core, path: string): Promise<void> {
  const { has_file, problem } = await api['thresholds.status']({});
  if (!has_file) fail('thresholds.missing', messages.noThresholds(path));
  if (problem) fail(problem.code, `${path}: ${problem.message}`, problem.hint ? { hint: problem.hint } : {});
}

/** Runs work on a core, with the thresholds of `--thresholds`, and closes the core in any case. */
export async function withCore<T>(
  invocation: Invocation,
  root: string | undefined,
  work: (core: Core) => Promise<T>,
): Promise<T> {
  const thresholds = text(invocation, 'thresholds');
  const core = await invocation.terminal.openCore(root, thresholds);
  try {
    if (thresholds !== null) await requireThresholds(core, thresholds);
    return await work(core);
  } finally {
    await core.close();
  }
}

/** A name or reason from outside, safe to print within a line. */
export const shown = visibleLine;

/** JSON for scripts: bigints as decimal strings, as in OTLP. */
export const toJson = (value: unknown): string =>
  `${JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? String(item) : item), 2)}\n`;
