import { ProblemError } from '../../../model/problem.ts';

/** Statements of ours take what they are bound: what fails so was in the rows. */
const BAD_VALUE = /^(?:conversion|out of range|invalid input) error/i;

/**
 * What an error that no handler expected says of the case's rows: a bundle's are checked when it is loaded, but a case folder may
 * come from anywhere, too. Other errors are what they were.
 */
export function ofBadValues(error: unknown): unknown {
  const message = error instanceof Error ? error.message : '';
  if (error instanceof ProblemError || !(BAD_VALUE.test(message) || isBrokenJson(error))) return error;
  return new ProblemError({
    code: 'case.bad_values',
    message: 'rows of this case hold values that no recording has',
    hint: `they were not written by Faultline, or are damaged (${message.split('\n')[0]})`,
  });
}

/** What people write is parsed with errors of its own. */
const isBrokenJson = (error: unknown): boolean => error instanceof SyntaxError && /\bJSON\b/.test(error.message);

/** An answer, or a stream of them, whose errors are {@link ofBadValues}. */
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
