import type { YamlIssue } from '../../../base/yaml-issues.ts';
import { type Problem, ProblemError } from '../../../model/problem.ts';
import {
  checkMechanisms,
  defaultMechanisms,
  type Mechanisms,
  parseMechanisms,
} from '../../analysis/causality/mechanisms.ts';

interface Current {
  readonly mechanisms: Mechanisms;
  readonly origin: 'own' | 'bundled';
  readonly hasFile: boolean;
  /** Why the file as it is now is not in use. */
  readonly problem: Problem | null;
  readonly issues: readonly YamlIssue[];
  /** Changes whenever results or their warnings would change. */
  readonly edition: number;
}

const withoutFile = (): Omit<Current, 'edition'> => ({
  mechanisms: defaultMechanisms(),
  origin: 'bundled',
  hasFile: false,
  problem: null,
  issues: [],
});

/**
 * The mechanisms for rankings: the user's file at the time of the request, or the built-in ones. An invalid file only adds a
 * warning; the last valid one stays in use.
 */
export class MechanismsInUse {
  private readonly readFile: () => Promise<string | null>;
  private now: Current | undefined;
  /** Text of the file, or the problem with reading it, of `now`. */
  private of: string | null = null;

  constructor(readFile: () => Promise<string | null>) {
    this.readFile = readFile;
  }

  async current(): Promise<Current> {
    const found = await this.readFile().catch(unreadable);
    const state = found instanceof ProblemError ? found.problem.message : found;
    const before = this.now ?? { ...withoutFile(), edition: 0 };
    this.now = state === this.of ? before : { ...this.take(found, before), edition: before.edition + 1 };
    this.of = state;
    return this.now;
  }

  private take(found: string | null | ProblemError, before: Current): Omit<Current, 'edition'> {
    if (found === null) return withoutFile();
    if (found instanceof ProblemError) return { ...before, hasFile: true, problem: found.problem, issues: [] };
    const issues = checkMechanisms(found);
    try {
      return { mechanisms: parseMechanisms(found), origin: 'own', hasFile: true, problem: null, issues };
    } catch (error) {
      return { ...before, hasFile: true, problem: unreadable(error).problem, issues };
    }
  }
}

function unreadable(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  throw error;
}
