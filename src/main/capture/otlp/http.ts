import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenAt } from './listen-at.ts';
import { otlpRoute } from './otlp-route.ts';
import type { Admission, Receiver } from './receiver.ts';
import { isSignal } from './responses.ts';
import type { Reply, Route } from './route.ts';
import { MOST_BYTES } from './unpack.ts';
import { writeRoute } from './write-route.ts';

const PATHS = ['/v1/traces', '/v1/metrics', '/v1/logs', '/api/v1/write'];
const RETRY_AFTER_S = 1;
const SLOWEST_MS = 30_000;
/**
 * SDKs send a batch every 5 s (OpenTelemetry SDK specification): at 5 s, Node's default, some would use a closed
 * connection.
 */
const IDLE_MS = 75_000;

/** Receives OTLP and Prometheus remote write over HTTP. */
export async function listenHttp(
  where: string,
  receiver: Receiver,
): Promise<{ readonly address: string; close(): Promise<void> }> {
  const server = createServer({ requestTimeout: SLOWEST_MS, keepAliveTimeout: IDLE_MS }, (request, response) => {
    answer(request, response, receiver).catch(() => response.destroy());
  });
  return {
    address: await listenAt(server, where),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, receiver: Receiver): Promise<void> {
  const route = routeOf(request);
  const { status, text, headers } = 'status' in route ? route : await replyOf(request, route, receiver);
  const type = status === 200 || text === undefined ? {} : { 'content-type': 'text/plain; charset=utf-8' };
  response.writeHead(status, { ...type, ...headers }).end(status === 200 || text === undefined ? text : `${text}\n`);
}

function routeOf(request: IncomingMessage): Route | Reply {
  const misled = whyNotMeant(request);
  if (misled !== null) return { status: 403, text: misled };
  const path = pathOf(request.url ?? '');
  if (path === null) return { status: 400, text: 'unknown path' };
  const signal = /^\/v1\/(\w+)$/.exec(path)?.[1] ?? '';
  const isWrite = path === '/api/v1/write';
  if (!isWrite && !isSignal(signal)) return { status: 404, text: `this receiver takes ${PATHS.join(', ')}` };
  if (request.method !== 'POST') return { status: 405, text: 'POST it', headers: { allow: 'POST' } };
  return isSignal(signal) ? otlpRoute(signal, request.headers) : writeRoute(request.headers);
}

async function replyOf(request: IncomingMessage, route: Route, receiver: Receiver): Promise<Reply> {
  const { encoding, packing, busy, replyTo } = route;
  const later: Reply = {
    status: busy,
    text: 'rows wait to be written: send it again',
    headers: { 'retry-after': String(RETRY_AFTER_S) },
  };
  const admission = receiver.admit();
  if (!admission) return later;
  try {
    const bytes = await bodyOf(request, admission);
    if (bytes === 'too large')
      return { status: 413, text: `a request has at most ${MOST_BYTES} bytes`, headers: { connection: 'close' } };
    if (bytes === 'no room') return later;
    const receipt = await receiver.receive({ bytes, encoding, packing });
    return receipt.kind === 'full' ? later : replyTo(receipt);
  } finally {
    admission.release();
  }
}

/**
 * Why a request may come from a page in a browser: a page of another origin, or a name that resolves to this machine
 * (DNS rebinding). null: it does not come from a browser.
 */
function whyNotMeant({ headers, socket }: IncomingMessage): string | null {
  if (headers.origin !== undefined) return 'pages in a browser may not send here';
  const isLoopback = isLoopbackName(socket.localAddress ?? '');
  const name = (headers.host ?? '').replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  return isLoopback && name !== '' && !isLoopbackName(name)
    ? 'this receiver is reached by localhost or a loopback address, not by another name'
    : null;
}

const isLoopbackName = (name: string): boolean =>
  /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+|([\w-]+\.)*localhost\.?)$/i.test(name);

/** Path of a request target, also in absolute form as proxies send it (RFC 9112); null if invalid. */
function pathOf(target: string): string | null {
  if (!/^(\/(?!\/)|https?:\/\/)/i.test(target) || !URL.canParse(target, 'http://receiver')) return null;
  return new URL(target, 'http://receiver').pathname;
}

/** In its own buffer, so that it can be transferred to another thread. */
async function bodyOf(
  request: IncomingMessage,
  admission: Admission,
): Promise<Uint8Array<ArrayBuffer> | 'too large' | 'no room'> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) return 'too large';
    if (!admission.grow(chunk.length)) return 'no room';
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
