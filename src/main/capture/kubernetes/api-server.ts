import { type IncomingMessage, request as plainRequest } from 'node:http';
import { Agent, request as secureRequest } from 'node:https';
import { withEither } from '../../../base/with-either.ts';
import { fail } from '../../../model/problem.ts';
import { asText, at, type Json } from '../../sources/bytes/json-access.ts';
import { bodyOf, jsonIn } from '../answer-body.ts';
import { HttpFailure } from '../cloud/fetch-json.ts';
import type { Access } from './access.ts';

const MOST_BYTES = 64 * 1024 * 1024;
const MOST_PAGES = 1000;
/** Objects per page. */
const PAGE = 500;

/** The list has changed too often since. */
const GONE = 410;
/** How long a watch waits for more: the shortest that servers take. */
const WATCHED_S = 1;

export interface Changes {
  readonly objects: readonly unknown[];
  readonly version: string;
}

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

  /**
   * Objects that were added or changed since a version of a list, and the version until which these are all; null: the server no
   * longer knows what came after that version.
   *
   * @throws as {@link list}
   */
  async changes(path: string, since: string, signal: AbortSignal): Promise<Changes | null> {
    const query = new URLSearchParams({
      watch: '1',
      resourceVersion: since,
      timeoutSeconds: String(WATCHED_S),
      allowWatchBookmarks: 'true',
    });
    try {
      return changesIn(await this.body(`${path}?${query}`, signal, WATCHED_S * 1000), since);
    } catch (error) {
      if (error instanceof HttpFailure && error.status === GONE) return null;
      throw error;
    }
  }

  private async get(path: string, signal: AbortSignal): Promise<KubernetesList> {
    const value = jsonIn(await this.body(path, signal));
    if (typeof value === 'object' && value !== null && Array.isArray((value as { items?: unknown }).items))
      return value as KubernetesList;
    return fail('feed.garbage', 'its answer is no Kubernetes list');
  }

  /** @param longer_ms by which the server may answer later than the plan allows */
  private async body(path: string, signal: AbortSignal, longer_ms = 0): Promise<Buffer> {
    const timeout = AbortSignal.timeout(this.timeout_ms + longer_ms);
    const { status, body } = await withEither([signal, timeout], (patience) => this.request(path, patience));
    if (status !== 200) throw new HttpFailure(status, reasonIn(jsonIn(body)));
    return body;
  }

  private async request(path: string, signal: AbortSignal): Promise<{ status: number; body: Buffer }> {
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
    return { status: answer.statusCode ?? 0, body: await bodyOf(answer, MOST_BYTES) };
  }
}

/** Of a Status object (meta/v1): `Forbidden`. */
function reasonIn(value: unknown): string {
  const { reason } = (value ?? {}) as { reason?: unknown };
  return typeof reason === 'string' ? reason.slice(0, 100) : '';
}

/** Of a watch: a JSON object per line. */
function changesIn(body: Buffer, since: string): Changes | null {
  const objects: unknown[] = [];
  let version = since;
  for (const line of body.toString().split('\n')) {
    if (line.trim() === '') continue;
    const { type, object } = (jsonIn(Buffer.from(line)) ?? {}) as { type?: unknown; object?: Json };
    if (typeof object !== 'object' || object === null) fail('feed.garbage', 'its answer is no Kubernetes watch');
    if (type === 'ERROR') return null;
    version = versionOf(object) || version;
    if (type === 'ADDED' || type === 'MODIFIED') objects.push(object);
  }
  return { objects, version };
}

/** Of an object or a list; '' where it has none. */
export const versionOf = (object: Json): string => asText(at(object, 'metadata', 'resourceVersion'));
