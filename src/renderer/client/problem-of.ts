import { ORPCError } from '@orpc/client';
import { PROBLEM_CODE } from '../../model/contract/index.ts';
import { type Problem, ProblemError } from '../../model/problem.ts';

const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Partial<Problem>).code === 'string' &&
  typeof (value as Partial<Problem>).message === 'string';

export const isAbort = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'AbortError' || /abort/i.test(error.message));

/** Whatever a failed call threw, as the one shape that the window can show in place. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  if (error instanceof ORPCError) return problemOfCall(error);
  const message = error instanceof Error ? error.message : String(error);
  if (/not open|closed|websocket|disconnected/i.test(message)) return lostConnection;
  return { code: 'window.failure', message: message || 'the window failed for an unknown reason' };
}

const lostConnection: Problem = {
  code: 'connection.lost',
  message: 'the connection to Faultline was lost',
  hint: 'check that the app or "faultline serve" still runs, then try again',
};

function problemOfCall(error: ORPCError<string, unknown>): Problem {
  if (error.code === PROBLEM_CODE && isProblem(error.data)) return error.data;
  if (error.code === 'NOT_FOUND') {
    return {
      code: 'call.unknown',
      message: 'this host does not know that question',
      hint: 'it may be older than this window',
    };
  }
  return {
    code: `call.${error.code.toLowerCase()}`,
    message: error.message || 'the question failed',
    hint: 'this is a fault in Faultline itself; copy the details into a report',
  };
}

/** A problem as it is or as an answer told it, where nothing said is `undefined`. */
export type LooseProblem = { readonly [K in keyof Problem]: Problem[K] | undefined } & Pick<
  Problem,
  'code' | 'message'
>;

/** What lands on the clipboard when someone presses "copy details". */
export function describeProblem(problem: LooseProblem): string {
  const lines = [`${problem.code}: ${problem.message}`];
  if (problem.place !== undefined) lines.push(`place: ${problem.place}`);
  if (problem.hint !== undefined) lines.push(`hint: ${problem.hint}`);
  return lines.join('\n');
}
