import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fail } from '../../model/problem.ts';

/** A machine with many processes answers a few MB. */
const MOST_BYTES = 64 * 1024 * 1024;
/** It waits for the driver, which may be busy with a GPU that is being reset. */
const PATIENCE_MS = 60_000;
const run = promisify(execFile);

/**
 * What `nvidia-smi` answers to these arguments.
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
