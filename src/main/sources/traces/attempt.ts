import { ProblemError } from '../../../model/problem.ts';
import type { Output } from '../otlp/output.ts';
import { attributesJson } from './span-rows.ts';

/** A record that cannot be read becomes one reject; anything that is not the record's fault goes on up. */
export function attempt(out: Output, at: number, record: unknown, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (error instanceof ProblemError) out.reject(at, error.problem.message, excerptOf(record));
    // JSON may nest deeper than writing it again can follow.
    else if (error instanceof RangeError) out.reject(at, 'nested too deeply');
    else throw error;
  }
}

/** A record as text, for people. */
export function excerptOf(record: unknown): string {
  try {
    return attributesJson(record as Readonly<Record<string, unknown>>) ?? String(record);
  } catch (error) {
    if (error instanceof RangeError) return '';
    throw error;
  }
}
