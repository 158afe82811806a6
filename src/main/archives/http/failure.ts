import { visibleLine } from '../../../base/visible-text.ts';
import { connectionFailures } from '../../capture/connection-failures.ts';

/** Why a request failed, and whether it is worth repeating. */
export interface RequestFailure {
  readonly reason: string;
  readonly mayPass: boolean;
  /** It ran out of time, here or in the archive. */
  readonly isSlow: boolean;
  /** How long the archive wants to be left alone; 0: it does not state it. */
  readonly wait_ms: number;
  /** Of the answer; 0: there was none. */
  readonly status: number;
}

/** A status other than success. */
export class StatusFailure extends Error {
  readonly failure: RequestFailure;

  constructor(answer: Response, body: Buffer) {
    const reason = `it answered ${answer.status}${messageIn(body)}`;
    super(reason);
    const { status } = answer;
    const mayPass = status === 408 || status === 429 || status >= 500;
    this.failure = {
      reason,
      mayPass,
      isSlow: status === 504,
      status,
      wait_ms: mayPass ? waitOf(answer.headers.get('retry-after')) : 0,
    };
  }
}

/** An answer that is cut off, or not what the API documents. */
export class RubbishFailure extends Error {}

/** Longer waits end a pull sooner than the archive wants: whole slices stay, and the next pull continues. */
const LONGEST_WAIT_MS = 120_000;
const MOST_MESSAGE = 300;

/** Rethrows our own bugs. */
export function failureOf(error: unknown): RequestFailure {
  if (error instanceof StatusFailure) return error.failure;
  const failure = (reason: string, mayPass: boolean) => ({
    reason,
    mayPass,
    isSlow: false,
    wait_ms: 0,
    status: 0,
  });
  if (!(error instanceof Error)) throw error;
  if (error instanceof RubbishFailure) return failure(error.message, true);
  if (error.name === 'TimeoutError') return { ...failure('it did not answer in time', true), isSlow: true };
  const { code = '', message = '' } = (error.cause ?? error) as { code?: string; message?: string };
  if (/redirect/.test(message)) return failure('it redirects to another address, which is not followed', false);
  if (/CERT|SSL|TLS|ALTNAME/.test(code)) return failure(`its certificate is not accepted (${code})`, false);
  if (error.message === 'fetch failed' || error.message === 'terminated' || code !== '')
    return failure(
      code === '' ? 'the connection broke off' : `${connectionFailures[code] ?? 'the connection failed'} (${code})`,
      true,
    );
  throw error;
}

/** Seconds, or a date (RFC 9110, section 10.2.3). */
function waitOf(header: string | null): number {
  if (header === null) return 0;
  const wait_ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(wait_ms) ? Math.min(Math.max(wait_ms, 0), LONGEST_WAIT_MS) : 0;
}

/** What the archive states about it: a member of a JSON error, code and message of an XML error, or the first line of a text. */
function messageIn(body: Buffer): string {
  const text = body.toString('utf8', 0, 4096);
  const [, code, message] = /<Error>\s*<Code>([^<]*)<\/Code>\s*<Message>([^<]*)/.exec(text) ?? [];
  if (code !== undefined) return `: ${visibleLine(`${code}: ${message}`).slice(0, MOST_MESSAGE)}`;
  const [, quoted] = /"(?:error|message|reason)"\s*:\s*"((?:[^"\\]|\\.)+)"/.exec(text) ?? [];
  const line = quoted ?? (text.trimStart().startsWith('<') ? '' : text.trim().split('\n')[0]);
  return line ? `: ${visibleLine(line).slice(0, MOST_MESSAGE)}` : '';
}
