import { fail } from '../../model/problem.ts';

/** @throws ProblemError evidence.unknown */
export function unknown(ref: string): never {
  return fail('evidence.unknown', `there is no evidence ${ref} in this case`);
}

export const text = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return value instanceof Date ? value.toISOString() : String(value);
};
/** What is known only. */
export const fields = (entries: readonly (readonly [string, unknown])[]) =>
  entries
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => ({ name, value: text(value) }));
