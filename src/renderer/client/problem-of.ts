import { ORPCError } from '@orpc/client';
import { PROBLEM_CODE } from '../../model/contract/wire.ts';
import { type Problem, ProblemError } from '../../model/problem.ts';
import { messages } from './messages.ts';

/** Not by the schema: schemas would be a tenth of the code of the first page. */
export const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Partial<Problem>).code === 'string' &&
  typeof (value as Partial<Problem>).message === 'string';

export const isAbort = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'AbortError' || /abort/i.test(error.message));

/** The error of a failed call as a problem that a view can show. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  if (error instanceof ORPCError) return problemOfCall(error);
  const message = error instanceof Error ? error.message : String(error);
  if (/not open|closed|websocket|disconnected/i.test(message)) return lostConnection;
  return { code: 'window.failure', message: message || messages.unknownFailure };
}

const lostConnection: Problem = {
  code: 'connection.lost',
  message: messages.connectionLost,
  hint: messages.connectionLostHint,
};

function problemOfCall(error: ORPCError<string, unknown>): Problem {
  if (error.code === PROBLEM_CODE && isProblem(error.data)) return error.data;
  if (error.code === 'NOT_FOUND') {
    return {
      code: 'call.unknown',
      message: messages.unknownCall,
      hint: messages.unknownCallHint,
    };
  }
  return {
    code: `call.${error.code.toLowerCase()}`,
    message: error.message || messages.callFailed,
    hint: messages.callFailedHint,
  };
}

/** A problem, or one from a response, where a missing field is `undefined`. */
export type LooseProblem = { readonly [K in keyof Problem]: Problem[K] | undefined } & Pick<
  Problem,
  'code' | 'message'
>;

/** Text for the "copy details" button. */
export function describeProblem(problem: LooseProblem): string {
  const lines = [`${problem.code}: ${problem.message}`];
  if (problem.place !== undefined) lines.push(messages.place(problem.place));
  if (problem.hint !== undefined) lines.push(messages.hint(problem.hint));
  return lines.join('\n');
}
