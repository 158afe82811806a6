import { fail } from '../../../model/problem.ts';
import { isObject, type Json, linkOf, objectOf } from '../../sources/redfish/format.ts';
import { steadyNow } from '../steady-clock.ts';
import { ControllerClock } from './clock.ts';
import { detailOf, Login } from './login.ts';
import { ownPath } from './own-path.ts';
import { Pace } from './pace.ts';
import type { RedfishPlan } from './plan.ts';
import { type Received, Transport } from './transport.ts';

const ROOT = '/redfish/v1/';
/** Covers a missing or an extra trailing slash. */
const MOST_REDIRECTS = 2;

/** A resource as received; doc undefined: not modified. */
export interface Answer {
  readonly doc: Json | undefined;
  readonly etag: string;
  /** When it was true, by this machine's clock: {@link ControllerClock.dated}. */
  readonly requested_ms: number;
  readonly bytes: number;
}

/** Connection to one management controller with rate limits; follows no links to other hosts. */
export class Controller {
  readonly clock = new ControllerClock();
  readonly login: Login;
  private readonly origin: string;
  private readonly transport: Transport;
  private readonly pace: Pace;
  private rootDoc: Json | null = null;
  /** When it last answered, with any status. */
  lastAnswer_ms = Number.NEGATIVE_INFINITY;
  /** Links to other hosts, which are not followed. */
  readonly foreign = new Set<string>();

  private constructor(plan: RedfishPlan, transport: Transport, login: Login) {
    this.origin = new URL(plan.url).origin;
    this.transport = transport;
    this.login = login;
    this.pace = new Pace(plan);
  }

  /** Sends no request yet. @throws ProblemError feed.no_secret */
  static async of(plan: RedfishPlan): Promise<Controller> {
    const transport = new Transport(plan, plan.most_at_once);
    return new Controller(plan, transport, await Login.of(plan, transport));
  }

  /** Ends the session. */
  async close(): Promise<void> {
    await this.login.end();
    this.transport.close();
  }

  /** The service root, which needs no login. @throws ProblemError feed.no_redfish */
  async root(signal: AbortSignal): Promise<Json> {
    if (this.rootDoc) return this.rootDoc;
    const received = await this.pace.runPaced(() => this.exchange(ROOT, {}, signal), signal);
    if (received.status === 404) fail('feed.no_redfish', `nothing answers at ${ROOT}: is this a BMC?`);
    const doc = received.status === 200 ? jsonOf(received) : fail('feed.status', statusText(received));
    if (!('RedfishVersion' in doc) && !('@odata.id' in doc)) fail('feed.no_redfish', 'what it answers is no Redfish');
    this.rootDoc = doc;
    this.login.use(this.own(linkOf(objectOf(doc['Links'])['Sessions'])) ?? '');
    return doc;
  }

  /** Drops cached state: after an outage it may have changed. */
  forget(): void {
    this.rootDoc = null;
  }

  /** A link as a path with query on this controller; undefined if it leads elsewhere. */
  own(link: string): string | undefined {
    const path = ownPath(link, this.origin);
    if (path !== undefined || link === '') return path;
    if (this.foreign.size < 20) this.foreign.add(link.slice(0, 200));
    return undefined;
  }

  /**
   * Gets a resource, unless it still matches `etag`.
   *
   * @param path as returned by `own`
   * @throws ProblemError feed.status, feed.refused, feed.garbage and what the transport throws
   */
  async get(path: string, signal: AbortSignal, etag = ''): Promise<Answer> {
    await this.root(signal);
    const received = await this.send('GET', path, etag === '' ? {} : { 'if-none-match': etag }, signal);
    const requested_ms = this.clock.dated(received);
    if (received.status === 304) return { doc: undefined, etag, requested_ms, bytes: 0 };
    if (received.status !== 200) fail('feed.status', statusText(received), { place: path });
    return { doc: jsonOf(received), etag: received.headers.etag ?? '', requested_ms, bytes: received.body.length };
  }

  /** @throws ProblemError feed.status, with the path as its place */
  async post(path: string, body: Json, signal: AbortSignal): Promise<Received> {
    await this.root(signal);
    return await this.send('POST', path, { 'content-type': 'application/json' }, signal, JSON.stringify(body));
  }

  async delete(path: string, signal: AbortSignal): Promise<void> {
    await this.send('DELETE', path, {}, signal);
  }

  private async send(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    more: Readonly<Record<string, string>>,
    signal: AbortSignal,
    body?: string,
  ): Promise<Received> {
    return await this.pace.runPaced(async () => {
      for (let attempt = 0; ; attempt++) {
        const who = await this.login.headers(signal);
        const received = await this.exchange(path, { ...who, ...more }, signal, { method, body });
        if (received.status !== 401) {
          this.login.accepted();
          return received;
        }
        if (!this.login.expired(who) || attempt > 0) this.login.refuse();
      }
    }, signal);
  }

  private async exchange(
    path: string,
    more: Readonly<Record<string, string>>,
    signal: AbortSignal,
    { method = 'GET', body }: { method?: 'GET' | 'POST' | 'DELETE'; body?: string | undefined } = {},
  ): Promise<Received> {
    const headers = { accept: 'application/json', 'odata-version': '4.0', ...more };
    let at = path;
    for (let redirects = 0; ; redirects++) {
      const text = body === undefined ? {} : { body };
      const received = await this.transport.exchange({ method, path: at, headers, signal, ...text });
      this.clock.saw(received);
      this.lastAnswer_ms = steadyNow();
      const isMoved = method === 'GET' && [301, 302, 307, 308].includes(received.status);
      const next = isMoved ? this.own(received.headers.location ?? '') : undefined;
      if (next === undefined || redirects >= MOST_REDIRECTS) return received;
      at = next;
    }
  }
}

const statusText = (received: Received): string => `it answered ${received.status}${detailOf(received)}`;

function jsonOf({ body }: Received): Json {
  try {
    const value: unknown = JSON.parse(body.toString('utf8').replace(/^\uFEFF/, ''));
    if (isObject(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof RangeError)) throw error;
  }
  return fail('feed.garbage', 'it answered something that is no JSON object');
}
