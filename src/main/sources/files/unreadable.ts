import type { Problem } from '../../../model/problem.ts';

/** The problem of a file that the file system cannot read; undefined for any other error. */
export function unreadable(error: unknown): Problem | undefined {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return undefined;
  return {
    code: 'file.unreadable',
    message: `a file cannot be read (${String(error.code)})`,
    hint: 'check that it is still there, and who may read it',
  };
}
