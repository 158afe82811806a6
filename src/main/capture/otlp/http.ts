import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';
import { type Encoding, isSignal, type Receiver, responseJson, responseProtobuf, type Signal } from './receiver.ts';

/** Of a request, as sent and unpacked: a bomb of a few bytes must not become a machine's memory. */
const MOST_BYTES = 64 * 1024 * 1024;
const RETRY_AFTER_S = 1;
const SLOWEST_MS = 30_000;

const options = { maxOutputLength: MOST_BYTES };
const unpackers: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  identity: async (bytes) => bytes,
  gzip: (bytes) => promisify<Buffer, object, Buffer>(gunzip)(bytes, options),
  deflate: (bytes) => promisify<Buffer, object, Buffer>(inflate)(bytes, options),
  br: (bytes) => promisify<Buffer, object, Buffer>(brotliDecompress)(bytes, options),
  zstd: (bytes) => promisify<Buffer, object, Buffer>(zstdDecompress)(bytes, options),
};

/** OTLP/HTTP: POST /v1/traces, /v1/metrics, /v1/logs. */
export async function listenHttp(
  where: string,
  receiver: Receiver,
): Promise<{ readonly address: string; close(): Promise<void> }> {
  const at = where.lastIndexOf(':');
  const server = createServer({ requestTimeout: SLOWEST_MS }, (request, response) => {
    answer(request, response, receiver).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(Number(where.slice(at + 1)), where.slice(0, at).replace(/^\[|\]$/g, ''), resolve);
  });
  const { address, port, family } = server.address() as AddressInfo;
  return {
    address: `${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, receiver: Receiver): Promise<void> {
  const say = (status: number, text: string, headers: Readonly<Record<string, string>> = {}) =>
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers }).end(`${text}\n`);
  const signal = /^\/v1\/(\w+)$/.exec(new URL(request.url ?? '/', 'http://receiver').pathname)?.[1] ?? '';
  if (!isSignal(signal)) return void say(404, 'this is an OTLP receiver: POST /v1/traces, /v1/metrics or /v1/logs');
  if (request.method !== 'POST') return void say(405, 'POST it', { allow: 'POST' });
  const encoding = encodingOf(request.headers['content-type']);
  if (encoding === null) return void say(415, 'the content type is application/x-protobuf or application/json');
  const name = request.headers['content-encoding'] ?? 'identity';
  const unpack = Object.hasOwn(unpackers, name) ? unpackers[name] : undefined;
  if (!unpack) return void say(415, 'the content encoding is gzip, zstd, deflate, br or none');
  const packed = await bodyOf(request);
  if (packed === null) return void say(413, `a request has at most ${MOST_BYTES} bytes`, { connection: 'close' });
  const bytes = await unpack(packed).catch(() => null);
  if (bytes === null) return void say(400, 'the body cannot be unpacked, or is too large');
  settle(receiver, { bytes, encoding, signal, response, say });
}

interface Request {
  readonly bytes: Buffer;
  readonly encoding: Encoding;
  readonly signal: Signal;
  readonly response: ServerResponse;
  say(status: number, text: string, headers?: Readonly<Record<string, string>>): unknown;
}

function settle(receiver: Receiver, { bytes, encoding, signal, response, say }: Request): void {
  const receipt = receiver.receive(bytes, encoding);
  switch (receipt.kind) {
    case 'full':
      say(429, 'rows wait to be written: send it again', { 'retry-after': String(RETRY_AFTER_S) });
      break;
    case 'refused':
      say(400, receipt.why);
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

/** null: more than anybody sends. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > MOST_BYTES) return null;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}
