import { type Problem, ProblemError } from '../problem.ts';

export type TraceqlCode =
  | 'traceql.syntax'
  | 'traceql.unknown'
  | 'traceql.unsupported'
  | 'traceql.type'
  | 'traceql.too_large'
  | 'traceql.regex';

const PLACE = /^character (\d+)$/;

/** Refuses a search at a character of it; `at` counts from 0, people count from 1. */
export function refuse(code: TraceqlCode, at: number, message: string, hint?: string): never {
  throw new ProblemError({
    code,
    message: `${message} (character ${at + 1})`,
    place: `character ${at + 1}`,
    ...(hint === undefined ? {} : { hint }),
  });
}

/** The offset that a problem with a search points at; null where it is about something else. */
export function offsetOf({ code, place }: Pick<Problem, 'code' | 'place'>): number | null {
  const found = code.startsWith('traceql.') ? PLACE.exec(place ?? '') : null;
  return found ? Number(found[1]) - 1 : null;
}
