import type { YamlIssue } from '../../../base/yaml-issues.ts';
import { type Problem, ProblemError } from '../../../model/problem.ts';
import {
  checkMechanisms,
  defaultMechanisms,
  type Mechanisms,
  parseMechanisms,
} from '../../analysis/causality/mechanisms.ts';
import { type ChangedThreshold, checkThresholds, parseThresholds } from '../../analysis/patterns/thresholds.ts';

interface Current<T> {
  readonly value: T;
  readonly origin: 'own' | 'bundled';
  readonly hasFile: boolean;
  /** Why the file as it is now is not in use. */
  readonly problem: Problem | null;
  readonly issues: readonly YamlIssue[];
  /** Changes whenever results or their warnings would change. */
  readonly edition: number;
}

/** How the text of a file becomes what it stands for. */
interface Meaning<T> {
  bundled(): T;
  /** All errors; empty if it is valid. */
  check(text: string): readonly YamlIssue[];
  /** @throws ProblemError if it is not valid */
  parse(text: string): T;
}

/** The text of a file as it is now, null if there is none. */
type ReadFile = () => Promise<string | null>;

/**
 * What a file of the user means at the time of the request, or what is built in. An invalid file only adds a
 * warning; the last valid one stays in use.
 */
export class OwnFile<T> {
  private readonly readFile: ReadFile;
  private readonly meaning: Meaning<T>;
  private now: Current<T> | undefined;
  /** Text of the file, or the problem with reading it, of `now`. */
  private of: string | null = null;

  constructor(readFile: ReadFile, meaning: Meaning<T>) {
    this.readFile = readFile;
    this.meaning = meaning;
  }

  async current(): Promise<Current<T>> {
    const found = await this.readFile().catch(unreadable);
    const state = found instanceof ProblemError ? found.problem.message : found;
    const before = this.now ?? { ...this.withoutFile(), edition: 0 };
    this.now = state === this.of ? before : { ...this.take(found, before), edition: before.edition + 1 };
    this.of = state;
    return this.now;
  }

  private withoutFile(): Omit<Current<T>, 'edition'> {
    return { value: this.meaning.bundled(), origin: 'bundled', hasFile: false, problem: null, issues: [] };
  }

  private take(found: string | null | ProblemError, before: Current<T>): Omit<Current<T>, 'edition'> {
    if (found === null) return this.withoutFile();
    if (found instanceof ProblemError) return { ...before, hasFile: true, problem: found.problem, issues: [] };
    const issues = this.meaning.check(found);
    try {
      return { value: this.meaning.parse(found), origin: 'own', hasFile: true, problem: null, issues };
    } catch (error) {
      return { ...before, hasFile: true, problem: unreadable(error).problem, issues };
    }
  }
}

function unreadable(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  throw error;
}

/** The mechanisms for rankings. */
export type MechanismsInUse = OwnFile<Mechanisms>;
export const mechanismsInUse = (readFile: ReadFile): MechanismsInUse =>
  new OwnFile(readFile, { bundled: defaultMechanisms, check: checkMechanisms, parse: parseMechanisms });

/** Thresholds of patterns that are not the defaults. */
export type ThresholdsInUse = OwnFile<readonly ChangedThreshold[]>;
export const thresholdsInUse = (readFile: ReadFile): ThresholdsInUse =>
  new OwnFile(readFile, { bundled: () => [], check: checkThresholds, parse: parseThresholds });
