import { withEither } from '../../../base/with-either.ts';
import { fail } from '../../../model/problem.ts';
import { bodyOf, jsonIn } from '../answer-body.ts';

const MOST_BYTES = 64 * 1024 * 1024;
const MOST_PAGES = 500;

export interface JsonRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeout_s: number;
  readonly signal: AbortSignal;
}

export class HttpFailure extends Error {
  readonly status: number;
  /** The provider's own code: `ExpiredAuthenticationToken`; '' if there is none. */
  readonly code: string;

  constructor(status: number, code: string) {
    super(`it answered ${status}${code === '' ? '' : ` (${code})`}`);
    this.status = status;
    this.code = code;
  }
}

/** @throws HttpFailure; ProblemError feed.too_large, feed.garbage; what fetch throws */
export async function fetchJson({
  url,
  headers,
  timeout_s,
  signal,
}: JsonRequest): Promise<Readonly<Record<string, unknown>>> {
  const { answer, value } = await withEither([signal, AbortSignal.timeout(timeout_s * 1000)], async (patience) => {
    // A redirect would send the token to another host.
    const answer = await fetch(url, {
      headers: { ...headers, accept: 'application/json' },
      signal: patience,
      redirect: 'error',
    });
    return { answer, value: jsonIn(await bodyOf(answer.body, MOST_BYTES)) };
  });
  if (!answer.ok) throw new HttpFailure(answer.status, codeIn(value));
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  return fail('feed.garbage', 'it answered something that is no JSON object');
}

/** Pages until there is no next one; stops if a provider repeats a page. */
export async function* pages(
  first: JsonRequest,
  next: (page: Readonly<Record<string, unknown>>) => string | undefined,
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  const seen = new Set<string>();
  for (let url: string | undefined = first.url; url !== undefined && !seen.has(url) && seen.size < MOST_PAGES; ) {
    seen.add(url);
    const page: Readonly<Record<string, unknown>> = await fetchJson({ ...first, url });
    yield page;
    url = next(page);
  }
}

/** `{"error": {"code": "…"}}`, or Google's `status` beside a number. */
function codeIn(value: unknown): string {
  const { error } = (value ?? {}) as { error?: { code?: unknown; status?: unknown } };
  const found = [error?.status, error?.code].find((one) => typeof one === 'string');
  return typeof found === 'string' ? found.slice(0, 100) : '';
}
