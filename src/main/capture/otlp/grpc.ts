import {
  constants,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Server } from 'node:net';
import { type Outcome, outcomeOf, refusal, status } from './grpc-status.ts';
import { listenAt } from './listen-at.ts';
import type { Admission, Receiver } from './receiver.ts';
import { isPacking, packings } from './unpack.ts';

const paths: ReadonlySet<unknown> = new Set([
  '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
  '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
  '/opentelemetry.proto.collector.logs.v1.LogsService/Export',
]);

/** Limit of a message as sent; uncompressed it has the limit of any request. */
const MOST_BYTES = 16 * 1024 * 1024;
/**
 * A larger message, up to this size, is read to its end and then refused, so that the connection and its other calls
 * survive.
 */
const MOST_DRAINED_BYTES = 64 * 1024 * 1024;
/** Concurrent calls of one connection; more wait at the sender. */
const MOST_CALLS = 64;
/** Flow-control window of a call: what a sender may send before it gets an update. */
const CALL_WINDOW = 1024 * 1024;
const CONNECTION_WINDOW = 16 * 1024 * 1024;
/** Time limit for receiving a message. */
const SLOWEST_MS = 30_000;
/** Time limit for sending the last responses at the end. */
const CLOSE_TIMEOUT_MS = 500;
/** Prefix of each message: a compression flag, and its length in 32 bits. */
const PREFIX_BYTES = 5;

/**
 * OTLP/gRPC without TLS, for loopback and private networks. It implements only unary calls of "gRPC over HTTP2"
 * (grpc.github.io): the available library decompresses on the serving thread, and lacks zstd, which collectors can use.
 */
export async function listenGrpc(
  where: string,
  receiver: Receiver,
): Promise<{ readonly address: string; close(): Promise<void> }> {
  const server = createServer({
    settings: { maxConcurrentStreams: MOST_CALLS, initialWindowSize: CALL_WINDOW, enablePush: false },
  });
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.setLocalWindowSize(CONNECTION_WINDOW);
    session.once('close', () => sessions.delete(session));
    session.on('error', () => session.destroy());
  });
  server.on('stream', (stream, headers) => {
    // A sender that disconnects midway gets no response.
    stream.on('error', () => undefined);
    answer(stream, headers, receiver).catch(() => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
  });
  const address = await listenAt(server as unknown as Server, where);
  return { address, close: () => end(server, sessions) };
}

async function end(server: ReturnType<typeof createServer>, sessions: ReadonlySet<ServerHttp2Session>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const session of sessions) session.close();
  const timer = setTimeout(() => {
    for (const session of sessions) session.destroy();
  }, CLOSE_TIMEOUT_MS);
  await closed;
  clearTimeout(timer);
}

async function answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, receiver: Receiver): Promise<void> {
  if (!headers['content-type']?.startsWith('application/grpc')) {
    stream.respond({ ':status': 415 }, { endStream: true });
    return;
  }
  respond(stream, await outcome(stream, headers, receiver));
}

async function outcome(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, receiver: Receiver): Promise<Outcome> {
  if (!paths.has(headers[':path'])) return refusal(status.unimplemented, 'this is an OTLP receiver');
  const packing = String(headers['grpc-encoding'] ?? 'identity');
  if (!isPacking(packing)) return refusal(status.unimplemented, `grpc-encoding must be one of ${packings.join(', ')}`);
  const admission = receiver.admit();
  if (!admission) return outcomeOf({ kind: 'full' });
  const patience = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), SLOWEST_MS);
  try {
    const message = await messageOf(stream, admission);
    clearTimeout(patience);
    if ('status' in message) return message;
    const { bytes, isPacked } = message;
    if (isPacked && packing === 'identity')
      return refusal(status.internal, 'the message is flagged as compressed, but grpc-encoding is missing');
    return outcomeOf(await receiver.receive({ bytes, encoding: 'protobuf', packing: isPacked ? packing : 'identity' }));
  } finally {
    clearTimeout(patience);
    admission.release();
  }
}

interface Message {
  /** In its own buffer, so that it can be transferred to another thread. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isPacked: boolean;
}

const tooLarge = refusal(status.resourceExhausted, `a message has at most ${MOST_BYTES} bytes`);

/** The one message of a call; rejects if the sender disconnects. */
async function messageOf(stream: ServerHttp2Stream, admission: Admission): Promise<Message | Outcome> {
  const prefix = new Uint8Array(PREFIX_BYTES);
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  let at = 0;
  let isTooLarge = false;
  // A message that is refused midway still gets a response.
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    let from = 0;
    if (isTooLarge) continue;
    if (!admission.grow(chunk.length)) return outcomeOf({ kind: 'full' });
    while (at < PREFIX_BYTES && from < chunk.length) prefix[at++] = chunk[from++]!;
    if (at < PREFIX_BYTES) continue;
    if (prefix[0]! > 1) return refusal(status.internal, 'the flag before a message is 0 or 1');
    const length = new DataView(prefix.buffer).getUint32(1);
    if (length > MOST_DRAINED_BYTES) return tooLarge;
    if (length > MOST_BYTES) {
      isTooLarge = true;
      bytes = undefined;
      continue;
    }
    const rest = chunk.subarray(from);
    if (at - PREFIX_BYTES + rest.length > length) return refusal(status.unimplemented, 'a call has one message');
    bytes = grownBuffer(bytes, at - PREFIX_BYTES + rest.length, length);
    bytes.set(rest, at - PREFIX_BYTES);
    at += rest.length;
  }
  if (isTooLarge) return tooLarge;
  if (!bytes || at - PREFIX_BYTES < new DataView(prefix.buffer).getUint32(1))
    return refusal(status.internal, 'the message is cut short');
  return { bytes: bytes.slice(0, at - PREFIX_BYTES), isPacked: prefix[0] === 1 };
}

/** Grows with the received bytes, never to the announced size. */
function grownBuffer(
  bytes: Uint8Array<ArrayBuffer> | undefined,
  needed: number,
  length: number,
): Uint8Array<ArrayBuffer> {
  if (bytes && bytes.length >= needed) return bytes;
  const grown = new Uint8Array(Math.min(length, Math.max(needed, 2 * (bytes?.length ?? 0))));
  if (bytes) grown.set(bytes);
  return grown;
}

function respond(stream: ServerHttp2Stream, { message, status: code, trailers }: Outcome): void {
  if (stream.destroyed || stream.closed) return;
  const head = { ':status': 200, 'content-type': 'application/grpc', 'grpc-accept-encoding': packings.join(',') };
  const trailerFields = { 'grpc-status': String(code), ...trailers };
  if (message) {
    stream.respond(head, { waitForTrailers: true });
    stream.once('wantTrailers', () => stream.sendTrailers(trailerFields));
    const prefix = Buffer.alloc(PREFIX_BYTES);
    prefix.writeUInt32BE(message.length, 1);
    stream.end(Buffer.concat([prefix, message]));
  } else stream.respond({ ...head, ...trailerFields }, { endStream: true });
  // Do not wait for bytes still in transit.
  if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
}
