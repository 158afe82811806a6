import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, realpath, stat, utimes } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { RPCHandler } from '@orpc/server/ws';
import { type WebSocket, WebSocketServer } from 'ws';
import {
  type Api,
  WEB_DOWNLOAD_PATH,
  WEB_SOCKET_PATH,
  WEB_UPLOAD_PATH,
  wireSerializers,
} from '../../model/contract/index.ts';
import { createRoutes, newWindow, type WindowContext } from '../../wire/rpc.ts';
import { newScratch } from '../disk/scratch-folder.ts';
import { createAssetServer } from './assets.ts';
import type { FileHandles } from './file-handles.ts';
import { linkPage } from './link-page.ts';
import { messages } from './messages.ts';
import { isClientMessage, securityHeaders } from './security.ts';

export interface WebHostOptions {
  readonly api: Api;
  readonly files: FileHandles;
  readonly rendererDir: string;
  /** Only files in this folder can be downloaded by their handles. */
  readonly outbox?: string;
  /** 0: the system chooses. */
  readonly port: number;
}

export interface WebHost {
  /** Contains the token; each browser exchanges it for a cookie, any number of times. */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const texts = messages.web;

/** The largest message that a window may send: more than the largest saved report. */
const MAX_MESSAGE_BYTES = 96 * 1024 * 1024;
const TOKEN_BYTES = 32;

/**
 * The same window over loopback HTTP and WebSocket. The browser exchanges the token in the URL for an HttpOnly cookie at
 * once, so the token stays in no address bar. Every request needs that cookie and this exact Host (DNS rebinding); the
 * socket and uploads also need this exact Origin (other pages in the same browser must not send requests).
 */
export async function startWebHost(options: WebHostOptions): Promise<WebHost> {
  const gate = createGate();
  const serve = createAssetServer(options.rendererDir);
  const scratch = await newScratch('uploads');
  const uploads = scratch.folder;
  const server = createServer((request, response) => {
    answer(request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!gate.host(request)) return void response.writeHead(421, plain).end(texts.wrongHost);
    const url = targetOf(request);
    if (url === null) return void response.writeHead(400, plain).end(texts.badAddress);
    if (url.pathname === '/' && gate.token(url.searchParams.get('token'))) {
      return void response.writeHead(303, { ...plain, location: '/', 'set-cookie': gate.cookie() }).end();
    }
    if (!gate.session(request)) return answerStranger(request, response, url);
    if (url.pathname === WEB_UPLOAD_PATH) return upload(request, response, url);
    if (url.pathname === WEB_DOWNLOAD_PATH) return download(request, response, url);
    const asset = await serve(request.method ?? 'GET', url.pathname);
    response.writeHead(asset.status, { ...asset.headers, 'cache-control': 'no-store' }).end(asset.body);
  }
  async function upload(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    if (request.method !== 'POST' || !gate.origin(request))
      return void response.writeHead(403, plain).end(texts.forbidden);
    const place = await uploadPlace(uploads, url.searchParams);
    if (!place) return void response.writeHead(400, plain).end(texts.tooDeep);
    const { path, named } = place;
    await pipeline(request, createWriteStream(path, { mode: 0o600 }));
    const modified = Number(url.searchParams.get('modified') ?? Number.NaN) / 1000;
    if (modified > 0 && modified < MAX_MODIFIED_S) await utimes(path, modified, modified);
    const handle = await options.files.register(named);
    response.writeHead(200, { ...plain, 'content-type': 'application/json' }).end(JSON.stringify(handle));
  }
  async function download(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const path = await fileToFetch(options, url.searchParams.get('handle') ?? '');
    if (request.method !== 'GET' || path === null) return void response.writeHead(404, plain).end(texts.notFound);
    const { size } = await stat(path);
    response.writeHead(200, {
      ...plain,
      'content-type': 'application/octet-stream',
      'content-length': size,
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(basename(path))}`,
    });
    await pipeline(createReadStream(path), response);
  }
  const sockets = connectSockets(options.api);
  server.on('upgrade', (request, socket, head) => {
    if (!gate.host(request) || !gate.session(request) || !gate.origin(request) || request.url !== WEB_SOCKET_PATH) {
      return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    }
    sockets.upgrade(request, socket, head);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  }).catch(async (error: unknown) => {
    await scratch.remove();
    throw error;
  });
  const { port } = server.address() as AddressInfo;
  gate.listensOn(port);
  return {
    url: `http://127.0.0.1:${port}/?token=${gate.secret}`,
    port,
    close: async () => {
      sockets.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await scratch.remove();
    },
  };
}

/** Files that the investigator chose have handles too; only files made for the page can be downloaded. */
async function fileToFetch({ files, outbox }: WebHostOptions, handle: string): Promise<string | null> {
  if (outbox === undefined) return null;
  try {
    const path = files.path(handle);
    return dirname(path) === (await realpath(outbox)) ? path : null;
  } catch {
    return null;
  }
}

/** The year 2255: times from 2262 on do not fit into 64 bits of nanoseconds. */
const MAX_MODIFIED_S = 9_000_000_000;
/** Deeper than any folder of recordings. Deeper files are refused: a shortened path could be that of another file. */
const MAX_UPLOAD_DEPTH = 24;
const GROUP = /^[0-9a-f-]{8,64}$/;
const safeName = (name: string): string => {
  const safe = basename(name)
    .replaceAll(/[\\/\0]/g, '_')
    .slice(0, 200);
  return safe === '.' || safe === '..' || safe === '' ? 'file' : safe;
};

/**
 * The path of an upload, and the path of its handle: the file itself, or the folder that was dropped. Every part of a
 * path is a plain name, so no path leads out of the upload folder.
 */
async function uploadPlace(
  uploads: string,
  parameters: URLSearchParams,
): Promise<{ path: string; named: string } | undefined> {
  const group = parameters.get('group') ?? '';
  const parts = (parameters.get('path') ?? '').split('/').filter((part) => part !== '');
  if (!GROUP.test(group) || parts.length < 2) {
    const path = join(await mkdtemp(join(uploads, 'file-')), safeName(parameters.get('name') ?? ''));
    return { path, named: path };
  }
  if (parts.length > MAX_UPLOAD_DEPTH) return undefined;
  const [top = 'folder', ...rest] = parts.map(safeName);
  const named = join(uploads, `group-${group}`, top);
  const path = join(named, ...rest);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return { path, named };
}

function answerStranger(request: IncomingMessage, response: ServerResponse, url: URL): void {
  const page = linkPage(request, url);
  if (page === null) response.writeHead(401, plain).end(texts.noSession);
  else
    response.writeHead(200, { ...securityHeaders(), ...plain, 'content-type': 'text/html; charset=utf-8' }).end(page);
}

/** The address of a request; null unless it is a path of this host (not `//`, `http://[`, `*`). */
function targetOf({ url = '' }: IncomingMessage): URL | null {
  const isPath = url.startsWith('/') && !url.startsWith('//') && URL.canParse(url, 'http://localhost');
  return isPath ? new URL(url, 'http://localhost') : null;
}

const plain = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

function connectSockets(api: Api) {
  const handler = new RPCHandler(createRoutes(api), { customJsonSerializers: [...wireSerializers] });
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
  return {
    upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      server.handleUpgrade(request, socket, head, (connection) => {
        connection.on('error', () => connection.terminate());
        void handler.upgrade(filtered(connection), newWindow());
      }),
    close: () => {
      for (const client of server.clients) client.terminate();
      server.close();
    },
  };
}

/** A socket for the RPC library, without messages that our own client never sends. */
function filtered(connection: WebSocket): Parameters<RPCHandler<WindowContext>['upgrade']>[0] {
  return {
    send: (data) => connection.send(data),
    addEventListener: (type, listener) => {
      const onMessage = listener as (event: { data: unknown }) => void;
      if (type !== 'message') connection.on(type, () => onMessage({ data: undefined }));
      else
        connection.on(
          'message',
          (data, binary) => !binary && isClientMessage(String(data)) && onMessage({ data: String(data) }),
        );
    },
  };
}

/** Decides which requests are served. */
function createGate() {
  const secret = randomBytes(TOKEN_BYTES).toString('base64url');
  // A secret of its own: the address with the token may be in a history or a log, and a cookie does not reveal the token.
  const session = randomBytes(TOKEN_BYTES).toString('base64url');
  let port = 0;
  const same = (actual: string, wanted: string): boolean => {
    const [a, b] = [Buffer.from(actual), Buffer.from(wanted)];
    return a.length === b.length && timingSafeEqual(a, b);
  };
  // Cookies ignore ports: the name contains the port, so that two servers do not overwrite each other's cookie.
  const name = (): string => `faultline_${port}`;
  return {
    secret,
    listensOn: (given: number) => {
      port = given;
    },
    token: (given: string | null): boolean => given !== null && same(given, secret),
    cookie: (): string => `${name()}=${session}; HttpOnly; SameSite=Strict; Path=/`,
    host: (request: IncomingMessage): boolean => request.headers.host === `127.0.0.1:${port}`,
    origin: (request: IncomingMessage): boolean => request.headers.origin === `http://127.0.0.1:${port}`,
    session: (request: IncomingMessage): boolean =>
      (request.headers.cookie ?? '')
        .split(/;\s*/)
        .some((cookie) => cookie.startsWith(`${name()}=`) && same(cookie.slice(name().length + 1), session)),
  };
}
