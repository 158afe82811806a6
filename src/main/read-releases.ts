import { readFile } from 'node:fs/promises';
import { withEither } from '../base/with-either.ts';
import { fail, ProblemError } from '../model/problem.ts';
import { bodyOf } from './capture/answer-body.ts';

const TIMEOUT_MS = 20_000;
const MOST_BYTES = 8 * 2 ** 20;
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * A list of releases: a file, or the answer of the one address that was named, without credentials and without a redirect.
 * @throws ProblemError update.insecure, update.unreachable
 */
export async function readReleases(place: string, signal: AbortSignal): Promise<string> {
  if (!/^https?:/i.test(place)) return readFile(place, 'utf8');
  const url = URL.canParse(place) ? new URL(place) : fail('update.unreachable', `${place} is no address`);
  if (url.protocol !== 'https:' && !LOOPBACK.has(url.hostname))
    fail('update.insecure', `${place} is not asked: anybody on the way could answer`, { hint: 'use https' });
  try {
    return await withEither([signal, AbortSignal.timeout(TIMEOUT_MS)], async (patience) => {
      const answer = await fetch(url, {
        redirect: 'error',
        credentials: 'omit',
        headers: { accept: 'application/json' },
        signal: patience,
      });
      const body = String(await bodyOf(answer.body, MOST_BYTES));
      return answer.ok ? body : fail('update.unreachable', `${place} answers ${answer.status}`);
    });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ProblemError) throw error;
    return fail('update.unreachable', `${place} does not answer with a list of releases`, {
      hint: 'a file that was brought in by other means does as well: --check FILE',
    });
  }
}
