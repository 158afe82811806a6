import { fail, ProblemError } from '../problem.ts';

/**
 * An engine error on a Parquet file as a problem: messages on damaged files are long, of which the
 * first line is the reason.
 * @throws ProblemError parquet.too_large, parquet.damaged, and any that it was already
 */
export function failForParquet(error: unknown, file: string): never {
  if (error instanceof ProblemError && error.problem.code !== 'memory.full') throw error;
  if (error instanceof ProblemError)
    return fail('parquet.too_large', `${file} holds pages that take more memory to unpack than Faultline gives them`, {
      place: file,
      hint: 'write it anew with smaller row groups, such as 10,000 rows',
    });
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  // SQL of ours that is none is no fault of the file.
  if (/^(failed to extract statements: )?parser error/i.test(line)) throw error;
  return fail(
    'parquet.damaged',
    `${file} cannot be read as Parquet: ${line.replaceAll(/"[^"]*\/[^"]*"/g, 'the file')}`,
    {
      place: file,
      hint: 'the file may be cut off; fetch it again',
    },
  );
}
