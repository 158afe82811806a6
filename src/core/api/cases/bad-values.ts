import { ProblemError } from '../../../model/problem.ts';

/** Our own statements are valid, so such errors come from the rows. */
const BAD_VALUE = /^(?:conversion|out of range|invalid input) error/i;

/**
 * Turns an unexpected error into a problem with the case's rows: rows of bundles are checked when loaded, but a case folder may
 * come from anywhere. Other errors are unchanged.
 */
export function ofBadValues(error: unknown): unknown {
  const message = error instanceof Error ? error.message : '';
  if (error instanceof ProblemError || !(BAD_VALUE.test(message) || isBrokenJson(error))) return error;
  return new ProblemError({
    code: 'case.bad_values',
    message: 'rows of this case contain impossible values',
    hint: `they were not written by Faultline, or are damaged (${message.split('\n')[0]})`,
  });
}

/** Errors in text by the user are reported separately. */
const isBrokenJson = (error: unknown): boolean => error instanceof SyntaxError && /\bJSON\b/.test(error.message);

/** An answer, or a stream of them, with errors mapped by {@link ofBadValues}. */
export function withBadValues(answer: unknown): unknown {
  if (answer instanceof Promise)
    return answer.catch((error: unknown) => {
      throw ofBadValues(error);
    });
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer
    ? guarded(answer as AsyncIterable<unknown>)
    : answer;
}

async function* guarded(events: AsyncIterable<unknown>): AsyncGenerator<unknown, void, void> {
  try {
    yield* events;
  } catch (error) {
    throw ofBadValues(error);
  }
}
