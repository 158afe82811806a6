/** An expected failure: something the user can understand and act upon. Bugs assert instead. */
export interface Problem {
  /** Stable, greppable: `file.unknown_format`, `case.newer_schema`. */
  readonly code: string;
  /** One clear line for the user. */
  readonly message: string;
  /** What to do next. */
  readonly hint?: string;
  /** Where: a file, an offset, a service. */
  readonly place?: string;
}

/** A problem on its way up the stack; every host turns it back into the value at its border. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** Raises an expected failure. */
export function fail(
  code: string,
  message: string,
  more: { readonly hint?: string; readonly place?: string } = {},
): never {
  throw new ProblemError({ code, message, ...more });
}
