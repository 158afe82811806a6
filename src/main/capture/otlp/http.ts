import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenAt } from './listen-at.ts';
import type { Encoding, Receipt } from './messages.ts';
import type { Admission, Receiver } from './receiver.ts';
import { isSignal, responseJson, responseProtobuf, type Signal } from './responses.ts';
import { isPacking, MOST_BYTES } from './unpack.ts';

const RETRY_AFTER_S = 1;
const SLOWEST_MS = 30_000;
/**
 * SDKs send a batch every 5 s (OpenTelemetry SDK specification): at 5 s, Node's default, some would use a closed
 * connection.
 */
const IDLE_MS = 75_000;

/** OTLP/HTTP: POST /v1/traces, /v1/metrics, /v1/logs. */
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
  const respond = (status: number, text: string, headers: Readonly<Record<string, string>> = {}) =>
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers }).end(`${text}\n`);
  const misled = whyNotMeant(request);
  if (misled !== null) return void respond(403, misled);
  const path = pathOf(request.url ?? '');
  if (path === null) return void respond(400, 'unknown path');
  const signal = /^\/v1\/(\w+)$/.exec(path)?.[1] ?? '';
  if (!isSignal(signal)) return void respond(404, 'this is an OTLP receiver: POST /v1/traces, /v1/metrics or /v1/logs');
  if (request.method !== 'POST') return void respond(405, 'POST it', { allow: 'POST' });
  const encoding = encodingOf(request.headers['content-type']);
  if (encoding === null) return void respond(415, 'the content type is application/x-protobuf or application/json');
  const packing = request.headers['content-encoding'] ?? 'identity';
  if (!isPacking(packing)) return void respond(415, 'the content encoding is gzip, zstd, deflate, br or none');
  const admission = receiver.admit();
  if (!admission) return later(respond);
  try {
    const bytes = await bodyOf(request, admission);
    if (bytes === 'too large')
      return void respond(413, `a request has at most ${MOST_BYTES} bytes`, { connection: 'close' });
    if (bytes === 'no room') return later(respond);
    settle(await receiver.receive({ bytes, encoding, packing }), { encoding, signal, response, respond });
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

type Respond = (status: number, text: string, headers?: Readonly<Record<string, string>>) => unknown;

const later = (respond: Respond): void =>
  void respond(429, 'rows wait to be written: send it again', { 'retry-after': String(RETRY_AFTER_S) });

interface Answer {
  readonly encoding: Encoding;
  readonly signal: Signal;
  readonly response: ServerResponse;
  readonly respond: Respond;
}

function settle(receipt: Receipt, { encoding, signal, response, respond }: Answer): void {
  switch (receipt.kind) {
    case 'full':
      later(respond);
      break;
    case 'refused':
      respond(400, receipt.why);
      break;
    default: {
      const type = encoding === 'json' ? 'application/json' : 'application/x-protobuf';
      const body = encoding === 'json' ? responseJson(signal, receipt) : responseProtobuf(receipt);
      response.writeHead(200, { 'content-type': type }).end(body);
    }
  }
}

function encodingOf(type: string | undefined): Encoding | null {
  const plain = (type ?? '').split(';')[0]?.trim().toLowerCase();
  if (plain === 'application/x-protobuf') return 'protobuf';
  return plain === 'application/json' ? 'json' : null;
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
