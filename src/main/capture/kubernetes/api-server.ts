import { type IncomingMessage, request as plainRequest } from 'node:http';
import { Agent, request as secureRequest } from 'node:https';
import { withEither } from '../../../base/with-either.ts';
import { fail } from '../../../model/problem.ts';
import { bodyOf, jsonIn } from '../answer-body.ts';
import { HttpFailure } from '../cloud/fetch-json.ts';
import type { Access } from './access.ts';

const MOST_BYTES = 64 * 1024 * 1024;
const MOST_PAGES = 1000;
/** Objects per page. */
const PAGE = 500;

export type KubernetesList = Readonly<Record<string, unknown>>;

/** Reads lists from an API server; uses only GET. */
export class ApiServer {
  private readonly access: Access;
  private readonly timeout_ms: number;
  private readonly agent: Agent;

  constructor(access: Access, timeout_s: number) {
    this.access = access;
    this.timeout_ms = timeout_s * 1000;
    this.agent = new Agent({ keepAlive: true, ...access.tls });
  }

  close(): void {
    this.agent.destroy();
  }

  /**
   * All pages of a list.
   *
   * @throws HttpFailure; ProblemError feed.too_large, feed.garbage, feed.kubeconfig; the system's errors of connections
   */
  async *list(path: string, signal: AbortSignal): AsyncGenerator<KubernetesList> {
    let rest = '';
    for (let page = 0; page < MOST_PAGES; page++) {
      const query = new URLSearchParams({ limit: String(PAGE), ...(rest === '' ? {} : { continue: rest }) });
      const answer = await this.get(`${path}?${query}`, signal);
      yield answer;
      const { metadata } = answer as { metadata?: { continue?: unknown } };
      rest = typeof metadata?.continue === 'string' ? metadata.continue : '';
      if (rest === '') return;
    }
  }

  private async get(path: string, signal: AbortSignal): Promise<KubernetesList> {
    const { status, value } = await withEither([signal, AbortSignal.timeout(this.timeout_ms)], (patience) =>
      this.request(path, patience),
    );
    if (status !== 200) throw new HttpFailure(status, reasonIn(value));
    if (typeof value === 'object' && value !== null && Array.isArray((value as { items?: unknown }).items))
      return value as KubernetesList;
    return fail('feed.garbage', 'its answer is no Kubernetes list');
  }

  private async request(path: string, signal: AbortSignal): Promise<{ status: number; value: unknown }> {
    const url = new URL(this.access.url);
    const token = await this.access.token();
    const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
    const isSecure = url.protocol === 'https:';
    const options = {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      ...(url.port === '' ? {} : { port: Number(url.port) }),
      path: `${url.pathname.replace(/\/+$/, '')}${path}`,
      headers: { accept: 'application/json', ...authorization },
      signal,
      ...(isSecure ? { agent: this.agent } : {}),
    };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = (isSecure ? secureRequest : plainRequest)(options, resolve);
      request.once('error', reject);
      request.end();
    });
    return { status: answer.statusCode ?? 0, value: jsonIn(await bodyOf(answer, MOST_BYTES)) };
  }
}

/** Of a Status object (meta/v1): `Forbidden`. */
function reasonIn(value: unknown): string {
  const { reason } = (value ?? {}) as { reason?: unknown };
  return typeof reason === 'string' ? reason.slice(0, 100) : '';
}
