import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fail } from '../../model/problem.ts';

/** Output of a machine with many processes is a few MB. */
const MOST_BYTES = 64 * 1024 * 1024;
/** The driver may be busy with a GPU reset. */
const PATIENCE_MS = 60_000;
const run = promisify(execFile);

/**
 * Runs `nvidia-smi` with these arguments and returns its output.
 *
 * @throws ProblemError feed.no_nvidia_smi when there is no such program, feed.nvidia_smi when it fails
 */
export async function runNvidiaSmi(program: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  const options = { signal, timeout: PATIENCE_MS, maxBuffer: MOST_BYTES, windowsHide: true };
  try {
    return (await run(program, [...args], options)).stdout;
  } catch (error) {
    const {
      code,
      stdout = '',
      stderr = '',
      killed,
    } = error as {
      code?: unknown;
      stdout?: string;
      stderr?: string;
      killed?: boolean;
    };
    if (code === 'ENOENT' || code === 'EACCES')
      return fail('feed.no_nvidia_smi', `there is no ${program} that can be run`);
    const firstLine = (stderr || stdout).trim().split('\n')[0] ?? '';
    return fail(
      'feed.nvidia_smi',
      killed ? `${program} did not answer in time` : `${program} failed: ${firstLine || code}`,
    );
  }
}
