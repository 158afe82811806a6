import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listenGrpc } from '../../src/main/capture/otlp/grpc.ts';
import { Receiver } from '../../src/main/capture/otlp/receiver.ts';
import { rowCount } from '../../src/model/rows/rows.ts';
import { plainSpans } from '../support/plain-spans.ts';

const PATH = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
let rows = 0;
let client: ClientHttp2Session;
let end: () => Promise<void>;

beforeAll(async () => {
  const receiver = new Receiver('OTLP', {
    take: (batches) => {
      for (const batch of batches) rows += rowCount(batch);
      return true;
    },
    reportState: () => undefined,
    lost: () => undefined,
  });
  const { address, close } = await listenGrpc('127.0.0.1:0', receiver);
  client = connect(`http://${address}`);
  end = async () => {
    client.close();
    await receiver.close();
    await close();
  };
});
afterAll(() => end());

const spans = (): Buffer => plainSpans(500, rows).subarray(4);

/** A message with its prefix: compression flag and length. */
function framed(message: Uint8Array, isPacked = false, length = message.length): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = isPacked ? 1 : 0;
  prefix.writeUInt32BE(length, 1);
  return Buffer.concat([prefix, message]);
}

/** Sends a body in pieces; returns the headers and trailers of the response. */
async function call(
  pieces: readonly Uint8Array[],
  headers: Readonly<Record<string, string>> = {},
): Promise<IncomingHttpHeaders> {
  const stream = client.request({
    ':method': 'POST',
    ':path': PATH,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  let answered: IncomingHttpHeaders = {};
  stream.on('response', (head) => (answered = { ...answered, ...head }));
  stream.on('trailers', (trailers) => (answered = { ...answered, ...trailers }));
  stream.on('error', () => undefined);
  stream.resume();
  const closed = new Promise((resolve) => stream.once('close', resolve));
  for (const piece of pieces) if (!stream.destroyed) stream.write(piece);
  if (!stream.destroyed) stream.end();
  await closed;
  return answered;
}

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['zstd', zstdCompressSync],
] as const)('a message packed by %s is read, in pieces of any size', async (encoding, pack) => {
  const before = rows;
  const body = framed(pack(spans()), true);
  const pieces = [body.subarray(0, 1), body.subarray(1, 4), body.subarray(4, 6), body.subarray(6)];
  expect(await call(pieces, { 'grpc-encoding': encoding })).toMatchObject({ ':status': 200, 'grpc-status': '0' });
  // A message that does not compress well is sent uncompressed, whatever the header.
  expect(await call([framed(spans())], { 'grpc-encoding': encoding })).toMatchObject({ 'grpc-status': '0' });
  expect(rows - before).toBe(1000);
});

test('an empty message stores nothing', async () => {
  expect(await call([framed(new Uint8Array())])).toMatchObject({ 'grpc-status': '0' });
});

const large = { announced: framed(new Uint8Array(), false, 1 << 30), bomb: framed(gzipSync(Buffer.alloc(1e8)), true) };
test.each([
  ['a packing that nobody knows', [framed(Buffer.from('x'), true)], { 'grpc-encoding': 'snappy' }, '12'],
  ['a packing named like a method', [framed(Buffer.from('x'), true)], { 'grpc-encoding': 'constructor' }, '12'],
  ['another service', [framed(Buffer.from('x'))], { ':path': '/opentelemetry.proto.Other/Export' }, '12'],
  ['more than one message', [framed(Buffer.from('x')), framed(Buffer.from('x'))], {}, '12'],
  ['no message', [], {}, '13'],
  ['a message that is cut short', [framed(Buffer.from('x'), false, 5)], {}, '13'],
  ['half a prefix', [Buffer.from([0, 0])], {}, '13'],
  ['a message that is announced as a gibibyte', [large.announced], {}, '8'],
  ['a compression flag without grpc-encoding', [framed(gzipSync('x'), true)], {}, '13'],
  ['a flag that is neither', [Buffer.concat([Buffer.from([7]), framed(Buffer.from('x')).subarray(1)])], {}, '13'],
  ['a message of 16 MiB and a byte', [framed(Buffer.alloc(16 * 1024 * 1024 + 1))], {}, '8'],
  ['what is no OTLP', [framed(Buffer.from('hello world'))], {}, '3'],
  ['a bomb', [large.bomb], { 'grpc-encoding': 'gzip' }, '3'],
] as const)('%s is refused by its status, with a reason', async (_, pieces, headers, code) => {
  const answered = await call(pieces, headers);
  expect(answered).toMatchObject({ ':status': 200, 'grpc-status': code });
  expect(decodeURIComponent(String(answered['grpc-message']))).toMatch(/\w+ \w+/);
  expect(answered['grpc-accept-encoding']).toContain('zstd');
});

test('a request that is not gRPC gets an HTTP error; a sender that disconnects midway leaves no trace', async () => {
  expect(await call([Buffer.from('{}')], { 'content-type': 'application/json' })).toMatchObject({ ':status': 415 });
  const before = rows;
  const stream = client.request({ ':method': 'POST', ':path': PATH, 'content-type': 'application/grpc' });
  stream.on('error', () => undefined);
  stream.write(framed(spans(), false, 1 << 20));
  stream.destroy();
  expect(await call([framed(spans())])).toMatchObject({ 'grpc-status': '0' });
  expect(rows - before).toBe(500);
});
