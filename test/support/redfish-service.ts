import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export type Doc = Record<string, unknown>;
type Tree = Map<string, Doc>;

const plain = (id: string) => id.replace(/\?.*$/, '').replace(/\/+$/, '');
const idOf = (doc: Doc): string => plain(String(doc['@odata.id'] ?? ''));

/** A recorded tree by address, however its files are laid out; of two copies the more complete one. */
export function treeIn(folder: string): Tree {
  const tree: Tree = new Map();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!name.endsWith('.json') || !statSync(join(folder, name)).isFile()) continue;
    let doc: unknown;
    try {
      doc = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    } catch {
      continue;
    }
    if (typeof doc !== 'object' || doc === null || Array.isArray(doc)) continue;
    const id = idOf(doc as Doc);
    if (!id.startsWith('/redfish/v1') || id.includes('#')) continue;
    const known = tree.get(id);
    if (!known || Object.keys(doc).length > Object.keys(known).length) tree.set(id, doc as Doc);
  }
  return tree;
}

const link = (id: string) => ({ '@odata.id': id });

/** What a crawl left out on the way to what it holds: the root and the collections right below it. */
function completed(tree: Tree): Tree {
  const whole = new Map(tree);
  const root: Doc = {
    '@odata.id': '/redfish/v1',
    '@odata.type': '#ServiceRoot.v1_5_0.ServiceRoot',
    RedfishVersion: '1.6.0',
    ...tree.get('/redfish/v1'),
  };
  for (const id of tree.keys()) {
    const parent = id.replace(/\/[^/]*$/, '');
    if (!parent.startsWith('/redfish/v1/')) continue;
    const known = whole.get(parent) ?? { '@odata.id': parent, Name: 'what a crawl left out', Members: [] };
    const members = known['Members'] as Doc[] | undefined;
    if (members && !members.some((one) => idOf(one) === id))
      whole.set(parent, { ...known, Members: [...members, link(id)] });
  }
  for (const name of ['Chassis', 'Systems', 'Managers']) {
    const id = `/redfish/v1/${name}`;
    if (whole.has(id)) root[name] ??= link(id);
  }
  root['Links'] = { ...(root['Links'] as Doc | undefined), Sessions: link('/redfish/v1/SessionService/Sessions') };
  whole.set('/redfish/v1', root);
  return whole;
}

export interface Fault {
  readonly status?: number;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delay_ms?: number;
  /** `reset`: the connection is torn; `endless`: the body never ends; `hang`: there is no answer. */
  readonly breaks?: 'reset' | 'endless' | 'hang';
}

export interface RedfishService {
  readonly url: string;
  readonly tree: Tree;
  /** Method and path of each request, in order. */
  readonly requests: string[];
  readonly tokens: Set<string>;
  readonly subscriptions: Map<string, Doc>;
  readonly notModified: () => number;
  /** Requests that were under way at the same time, at most. */
  readonly mostAtOnce: () => number;
  /** Changed by tests as they please. */
  password: string;
  logins: number;
  fault: (method: string, path: string) => Fault | undefined;
  /** Milliseconds by which its clock is ahead. */
  clock_ms: number;
  streams: number;
  /** To streaming clients. */
  send(doc: Doc): void;
  /** The same, whatever it is. */
  sendText(text: string): void;
  /** To all subscriptions; answers their status. */
  push(doc: Doc): Promise<number[]>;
  endStreams(): void;
  close(): Promise<void>;
  listenAgain(): Promise<void>;
}

export interface ServiceOptions {
  readonly user?: string;
  readonly password?: string;
  /** Answers $expand. */
  readonly expands?: boolean;
  readonly etags?: boolean;
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly sessions?: boolean;
  /** Subscriptions without, or with, EventTypes are refused. */
  readonly eventTypes?: 'wanted' | 'refused';
  /** A subscription is there at once, and answered so much later. */
  readonly subscribes_after_ms?: number;
}

/** A management controller that answers as the one did whose tree was recorded (DSP0266). */
export async function redfishService(recorded: Tree, options: ServiceOptions = {}): Promise<RedfishService> {
  const service = new Service(completed(recorded), options);
  await service.listenAgain();
  onTestFinished(() => service.close());
  return service;
}

class Service implements RedfishService {
  readonly tree: Tree;
  readonly requests: string[] = [];
  readonly tokens = new Set<string>();
  readonly subscriptions = new Map<string, Doc>();
  password: string;
  logins = 0;
  clock_ms = 0;
  streams = 0;
  fault: RedfishService['fault'] = () => undefined;
  private readonly options: ServiceOptions;
  private readonly server;
  private readonly streaming = new Set<ServerResponse>();
  private modified = 0;
  private running = 0;
  private most = 0;
  private port = 0;

  constructor(tree: Tree, options: ServiceOptions) {
    this.tree = tree;
    this.options = options;
    this.password = options.password ?? '';
    const answer = (request: IncomingMessage, response: ServerResponse) => void this.handle(request, response);
    this.server = options.tls ? createSecureServer(options.tls, answer) : createServer(answer);
  }

  get url(): string {
    return `${this.options.tls ? 'https' : 'http'}://127.0.0.1:${this.port}`;
  }
  notModified = () => this.modified;
  mostAtOnce = () => this.most;

  async listenAgain(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  send(doc: Doc): void {
    for (const response of this.streaming)
      response.write(
        `: keep alive\r\nid: 1\r\ndata: ${JSON.stringify(doc, null, 1).replaceAll('\n', '\r\ndata: ')}\r\n\r\n`,
      );
  }

  sendText(text: string): void {
    for (const response of this.streaming) response.write(text);
  }

  endStreams(): void {
    for (const response of this.streaming) response.end();
  }

  async push(doc: Doc): Promise<number[]> {
    return await Promise.all(
      [...this.subscriptions.values()].map(async ({ Destination, Context }) => {
        const body = JSON.stringify({ Context, ...doc });
        return (await fetch(String(Destination), { method: 'POST', body })).status;
      }),
    );
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    this.requests.push(`${method} ${url}`);
    this.most = Math.max(this.most, ++this.running);
    response.once('close', () => this.running--);
    response.setHeader('date', new Date(Date.now() + this.clock_ms).toUTCString());
    const body = await text(request);
    const fault = this.fault(method, url);
    if (fault?.delay_ms) await new Promise((resolve) => setTimeout(resolve, fault.delay_ms));
    if (fault?.breaks === 'hang') return;
    if (fault?.breaks === 'reset') return void request.socket.destroy();
    if (fault?.breaks === 'endless') return endless(response);
    if (fault && (fault.status !== undefined || fault.body !== undefined || fault.headers))
      return void response.writeHead(fault.status ?? 200, fault.headers ?? {}).end(fault.body ?? '');
    const path = plain(url);
    if (path === '/redfish/v1') return this.doc(response, request, path);
    if (path === '/redfish/v1/SessionService/Sessions' && method === 'POST') return this.login(body, response);
    if (!this.isAllowed(request)) return error(response, 401, 'Base.1.8.NoValidSession');
    if (path.startsWith('/redfish/v1/SessionService/Sessions/') && method === 'DELETE') {
      this.tokens.delete(path.split('/').at(-1)!);
      return void response.writeHead(204).end();
    }
    if (method === 'POST') return this.subscribe(JSON.parse(body) as Doc, response);
    if (method === 'DELETE') {
      const isThere = this.subscriptions.delete(path);
      return void response.writeHead(isThere ? 204 : 404).end();
    }
    if (path === '/redfish/v1/EventService/SSE') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
      this.streams++;
      this.streaming.add(response);
      response.once('close', () => this.streaming.delete(response));
      return;
    }
    if (path === '/redfish/v1/EventService/Subscriptions')
      return json(response, { '@odata.id': path, Members: [...this.subscriptions.keys()].map(link) });
    if (this.subscriptions.has(path)) return json(response, this.subscriptions.get(path)!);
    this.doc(response, request, path);
  }

  private isAllowed({ headers }: IncomingMessage): boolean {
    const { user } = this.options;
    if (user === undefined) return true;
    if (this.tokens.has(String(headers['x-auth-token']))) return true;
    if (headers.authorization === undefined) return false;
    this.logins++;
    return headers.authorization === `Basic ${Buffer.from(`${user}:${this.password}`).toString('base64')}`;
  }

  private login(body: string, response: ServerResponse): void {
    if (this.options.sessions === false) return error(response, 405, 'Base.1.8.OperationNotAllowed');
    this.logins++;
    const { UserName, Password } = JSON.parse(body) as Doc;
    if (UserName !== this.options.user || Password !== this.password)
      return error(response, 401, 'Base.1.8.InvalidCredential');
    const token = randomBytes(8).toString('hex');
    this.tokens.add(token);
    const location = `/redfish/v1/SessionService/Sessions/${token}`;
    response.writeHead(201, { 'x-auth-token': token, location }).end(JSON.stringify({ '@odata.id': location }));
  }

  private subscribe(doc: Doc, response: ServerResponse): void {
    const { eventTypes } = this.options;
    if (eventTypes !== undefined && 'EventTypes' in doc !== (eventTypes === 'wanted'))
      return error(response, 400, 'Base.1.8.PropertyUnknown');
    const id = `/redfish/v1/EventService/Subscriptions/${this.subscriptions.size + 1}`;
    this.subscriptions.set(id, { '@odata.id': id, ...doc });
    setTimeout(() => response.writeHead(201, { location: id }).end(), this.options.subscribes_after_ms ?? 0);
  }

  private doc(response: ServerResponse, request: IncomingMessage, path: string): void {
    const found = this.tree.get(path);
    if (!found) return error(response, 404, 'Base.1.8.ResourceMissingAtURI');
    const isExpanded = /[?&]\$expand=/.test(request.url ?? '');
    if (isExpanded && !this.options.expands) return error(response, 400, 'Base.1.8.QueryNotSupported');
    const members = found['Members'];
    const doc =
      isExpanded && Array.isArray(members)
        ? { ...found, Members: (members as Doc[]).map((one) => this.tree.get(idOf(one)) ?? one) }
        : found;
    const etag = `"${createHash('sha1').update(JSON.stringify(found)).digest('hex')}"`;
    if (this.options.etags) response.setHeader('etag', etag);
    if (this.options.etags && request.headers['if-none-match'] === etag) {
      this.modified++;
      response.writeHead(304).end();
    } else json(response, doc);
  }
}

const json = (response: ServerResponse, doc: Doc): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(doc));

const error = (response: ServerResponse, status: number, MessageId: string): void =>
  void response
    .writeHead(status)
    .end(JSON.stringify({ error: { '@Message.ExtendedInfo': [{ MessageId, Message: `not so: ${MessageId}` }] } }));

async function text(request: IncomingMessage): Promise<string> {
  let all = '';
  for await (const chunk of request) all += chunk;
  return all;
}

function endless(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const more = () => {
    while (!response.destroyed && response.write('[1,'.repeat(20_000)));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
}
