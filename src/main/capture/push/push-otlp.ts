import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { withEither } from '../../../base/with-either.ts';
import { fail, ProblemError } from '../../../model/problem.ts';
import { bodyOf } from '../answer-body.ts';
import { connectionFailures } from '../connection-failures.ts';
import { whyNotPlain } from '../speaks-tls.ts';

/** OTLP/JSON requests; '' if there is nothing to send. */
export interface OtlpRequests {
  readonly traces: string;
  readonly logs: string;
  readonly metrics: string;
}
export interface OtlpTarget {
  /** Like OTEL_EXPORTER_OTLP_ENDPOINT: the paths of the signals are appended. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Most attempts while the receiver is overloaded, with waits between; default four. */
  readonly tries?: number;
}

const TRIES = 4;
const LONGEST_WAIT_MS = 30_000;
const TIMEOUT_MS = 10_000;
const LONGEST_ANSWER = 100_000;
/** Retryable response codes (OTLP specification, "OTLP/HTTP Response"). */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const compress = promisify(gzip);

/**
 * Sends each signal to its path below the endpoint (OTLP/HTTP, JSON, gzip).
 *
 * @returns messages of the receiver about rejected records (partial success)
 * @throws ProblemError push.unreachable, push.refused
 */
export async function pushOtlp(target: OtlpTarget, requests: OtlpRequests, signal: AbortSignal): Promise<string[]> {
  const rejections: string[] = [];
  for (const name of ['traces', 'logs', 'metrics'] as const) {
    if (requests[name] === '') continue;
    const rejected = await send(
      `${target.url.replace(/\/+$/, '')}/v1/${name}`,
      { ...target, body: requests[name] },
      signal,
    );
    if (rejected !== '') rejections.push(`${name}: ${rejected}`);
  }
  return rejections;
}

interface Sent extends Omit<OtlpTarget, 'url'> {
  readonly body: string;
}

async function send(url: string, { headers, body, tries = TRIES }: Sent, signal: AbortSignal): Promise<string> {
  const packed = await compress(body);
  for (let tried = 1; ; tried++) {
    const { answer, text } = await post(url, { headers, body: packed }, signal);
    if (answer.ok) return partialSuccess(text);
    const retryAfter_s = Number(answer.headers.get('retry-after'));
    if (!retryable.has(answer.status)) {
      const misled = await whyNotPlain(url, String(answer.status));
      fail('push.refused', `${url} answers ${answer.status}${misled === null ? '' : `: ${misled}`}`, {
        hint: 'is it the address of an OTLP/HTTP receiver?',
      });
    }
    if (tried >= tries) {
      const until = retryAfter_s > 0 ? `, and asks to wait ${retryAfter_s} s` : '';
      fail('push.refused', `${url} accepts nothing now: it answers ${answer.status}${until}`, {
        hint: 'it is reachable; try again later, or check its load',
      });
    }
    await setTimeout(Math.min(LONGEST_WAIT_MS, retryAfter_s > 0 ? retryAfter_s * 1000 : 500 * 2 ** tried), undefined, {
      signal,
    });
  }
}

/** A connection lost during the response counts as unreachable; the response size is limited. */
async function post(
  url: string,
  { headers, body }: { readonly headers: Sent['headers']; readonly body: Buffer },
  signal: AbortSignal,
): Promise<{ readonly answer: Response; readonly text: string }> {
  try {
    return await withEither([signal, AbortSignal.timeout(TIMEOUT_MS)], async (patience) => {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'content-encoding': 'gzip' },
        body: new Uint8Array(body),
        redirect: 'error',
        signal: patience,
      });
      return { answer, text: String(await bodyOf(answer.body, LONGEST_ANSWER)) };
    });
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    return await unreachable(error, url, signal);
  }
}

async function unreachable(error: unknown, url: string, signal: AbortSignal): Promise<never> {
  if (signal.aborted) throw error;
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  const code = typeof cause?.code === 'string' ? cause.code : '';
  const why =
    (await whyNotPlain(url, code)) ??
    connectionFailures[code] ??
    (error instanceof Error && error.name === 'TimeoutError' ? 'it does not answer' : code);
  return fail('push.unreachable', `nothing could be sent to ${url}${why === '' ? '' : `: ${why}`}`, {
    hint: 'give the address of an OTLP/HTTP receiver, usually port 4318',
  });
}

/** `partialSuccess` of Export*ServiceResponse: `rejectedSpans` and similar count rejected records. */
function partialSuccess(text: string): string {
  try {
    const answer = JSON.parse(text === '' ? '{}' : text) as { partialSuccess?: Record<string, unknown> } | null;
    const { errorMessage, ...counts } = answer?.partialSuccess ?? {};
    const rejected = Object.values(counts)
      .map(Number)
      .find((count) => count > 0);
    return rejected === undefined
      ? ''
      : `${rejected} records were rejected: ${String(errorMessage ?? 'no reason given')}`;
  } catch {
    // A receiver with another response has accepted all records.
    return '';
  }
}
