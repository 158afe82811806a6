import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { expect, onTestFinished, test } from 'vitest';
import { feeds } from '../../src/main/capture/index.ts';
import { Receiver } from '../../src/main/capture/otlp/receiver.ts';
import { type RowBatch, rowCount } from '../../src/model/rows/rows.ts';
import type { Feed, FeedSink } from '../../src/model/storage/feed.ts';
import { plainSpans } from '../support/plain-spans.ts';

const MEBIBYTE = 1024 * 1024;

interface Room {
  readonly http: string;
  readonly grpc: string;
  readonly rows: () => number;
  readonly reasons: readonly string[];
  isFull: boolean;
  stop(): Promise<void>;
}

/** A receiver whose sink has room or not. */
async function listen(): Promise<Room> {
  const [feed] = (await feeds.open('feeds: [{kind: otlp, grpc: "127.0.0.1:0", http: "127.0.0.1:0"}]')) as [Feed];
  const stop = new AbortController();
  const up = Promise.withResolvers<void>();
  const reasons: string[] = [];
  let rows = 0;
  const sink: FeedSink = {
    hasRoom: () => !room.isFull,
    take: (batches) => {
      for (const batch of batches) rows += rowCount(batch);
      return true;
    },
    reportState: (_, reason) => {
      reasons.push(reason);
      up.resolve();
    },
    lost: () => undefined,
  };
  const running = feed.run(sink, stop.signal);
  const room: Room = {
    http: '',
    grpc: '',
    rows: () => rows,
    reasons,
    isFull: false,
    stop: async () => {
      stop.abort();
      await running;
    },
  };
  await up.promise;
  const [, grpc = '', http = ''] = /grpc (\S+), http (\S+)/.exec(feed.about) ?? [];
  onTestFinished(room.stop);
  return Object.assign(room, { http, grpc });
}

const post = async (
  { http }: Room,
  body: Uint8Array<ArrayBuffer> | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> => {
  const type = typeof body === 'string' ? 'application/json' : 'application/x-protobuf';
  const answer = await fetch(`http://${http}/v1/traces`, {
    method: 'POST',
    body,
    headers: { 'content-type': type, ...headers },
  });
  await answer.arrayBuffer();
  return answer.status;
};

const spans = (series: number): Uint8Array<ArrayBuffer> => new Uint8Array(plainSpans(500, series).subarray(4));

test('admission is decided before any request is decompressed or read', async () => {
  const room = await listen();
  const bomb = new Uint8Array(gzipSync(Buffer.alloc(100 * MEBIBYTE)));
  expect(await post(room, '{"resourceSpans": [')).toBe(400);
  expect(await post(room, bomb, { 'content-encoding': 'gzip' })).toBe(400);
  room.isFull = true;
  expect(await post(room, '{"resourceSpans": [')).toBe(429);
  expect(await post(room, bomb, { 'content-encoding': 'gzip' })).toBe(429);
  room.isFull = false;
  expect(await post(room, spans(1))).toBe(200);
  expect(room.rows()).toBe(500);
});

/** Sends part of a request; returns the response. */
function begun({ http }: Room, length: number, sent: number) {
  const [host = '', port] = http.split(':');
  const socket = connect(Number(port), host);
  onTestFinished(() => void socket.destroy());
  let response = '';
  socket.on('data', (bytes) => {
    response += bytes;
  });
  socket.on('error', () => undefined);
  socket.write(
    `POST /v1/traces HTTP/1.1\r\nhost: ${http}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`,
  );
  const arrived = new Promise<void>((resolve) => socket.write(Buffer.alloc(sent, ' '), () => resolve()));
  return { arrived, answer: () => response, send: (bytes: number) => socket.write(Buffer.alloc(bytes, ' ')) };
}

test('incoming requests reserve memory by received bytes, not by announced size', async () => {
  const room = await listen();
  const announced = begun(room, 60 * MEBIBYTE, 0);
  const large = begun(room, 50 * MEBIBYTE, 40 * MEBIBYTE);
  await Promise.all([announced.arrived, large.arrived]);
  const other = begun(room, 40 * MEBIBYTE, 30 * MEBIBYTE);
  await expect.poll(other.answer).toMatch(/^HTTP\/1.1 429 /);
  expect(await post(room, spans(1))).toBe(200);
  large.send(10 * MEBIBYTE);
  await expect.poll(large.answer).toMatch(/^HTTP\/1.1 400 /);
  expect(announced.answer()).toBe('');
  const next = begun(room, 40 * MEBIBYTE, 40 * MEBIBYTE);
  await expect.poll(next.answer).toMatch(/^HTTP\/1.1 400 /);
});

const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const same = (value: Buffer): Buffer => value;

test('gRPC calls without a message yet are limited; compressed ones are read', async () => {
  const room = await listen();
  const answers: (ServiceError | null)[] = [];
  const client = () => {
    const own = { 'grpc.default_compression_algorithm': 2, 'grpc.use_local_subchannel_pool': 1 };
    const made = new Client(room.grpc, credentials.createInsecure(), own);
    onTestFinished(() => made.close());
    return () => made.makeClientStreamRequest(path, same, same, (error) => void answers.push(error));
  };
  // As many as are held at one time, by as many connections as it takes.
  const calls = Array.from({ length: 4 }, client).flatMap((open) => Array.from({ length: 64 }, open));
  const other = client();
  // Once the last one is refused, those before it have arrived.
  await expect
    .poll(async () => {
      other();
      await new Promise((resolve) => setTimeout(resolve, 20));
      return answers.map((error) => error?.code);
    })
    .toContain(status.RESOURCE_EXHAUSTED);
  expect(String(answers[0]?.metadata.get('grpc-status-details-bin')[0])).toContain('google.rpc.RetryInfo');
  answers.length = 0;
  for (const [at, call] of calls.entries()) {
    call.write(Buffer.from(spans(at)));
    call.end();
  }
  await expect.poll(() => answers.filter((error) => error === null).length).toBe(256);
  expect(room.rows()).toBe(128_000);
  expect(await post(room, spans(99))).toBe(200);
});

test('an oversized request ends only the reading thread, not the feed or other requests', async () => {
  const reasons: string[] = [];
  const retained: RowBatch[] = [];
  const receiver = new Receiver('OTLP', {
    take: (batches) => retained.push(...batches) > 0,
    reportState: (_, reason) => void reasons.push(reason),
    lost: () => undefined,
  });
  const sent = (bytes: Uint8Array<ArrayBuffer>) =>
    receiver.receive({ bytes, encoding: 'protobuf', packing: 'identity' });
  // It looks like bytes until it is cut into pieces, which throws.
  const fatal = Object.assign({ length: spans(1).length, buffer: new ArrayBuffer(1) }, spans(1));
  expect(await sent(fatal as never)).toEqual({ kind: 'full' });
  expect(reasons).toEqual([expect.stringMatching(/^the thread that reads requests was restarted: /)]);
  expect(await sent(spans(2))).toMatchObject({ kind: 'kept', rejected: 0 });
  await receiver.close();
  expect(retained.reduce((sum, batch) => sum + rowCount(batch), 0)).toBe(500);
});

test('acknowledged rows are stored, also if the capture ends meanwhile', async () => {
  const room = await listen();
  const answers = Array.from({ length: 60 }, (_, at) => post(room, spans(at)).catch(() => 0));
  await Promise.race(answers);
  await room.stop();
  const acknowledged = (await Promise.all(answers)).filter((code) => code === 200).length;
  expect(acknowledged).toBeGreaterThan(0);
  expect(room.rows()).toBeGreaterThanOrEqual(500 * acknowledged);
});

test('requests that arrive together form one batch, without rows of broken JSON', async () => {
  const rows: number[] = [];
  const receiver = new Receiver('OTLP', {
    take: (batches) => rows.push(...batches.map(rowCount)) > 0,
    reportState: () => undefined,
    lost: () => undefined,
  });
  const good = JSON.stringify({
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: [
              {
                traceId: 'a'.repeat(32),
                spanId: 'b'.repeat(16),
                name: 'x',
                startTimeUnixNano: '1',
                endTimeUnixNano: '2',
              },
            ],
          },
        ],
      },
    ],
  });
  const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
  const receipts = await Promise.all([
    ...[1, 2, 3].map((series) => receiver.receive({ bytes: spans(series), encoding: 'protobuf', packing: 'identity' })),
    receiver.receive({ bytes: encode(good.slice(0, -3)), encoding: 'json', packing: 'identity' }),
    receiver.receive({ bytes: encode(good), encoding: 'json', packing: 'identity' }),
  ]);
  expect(receipts.map(({ kind }) => kind)).toEqual(['kept', 'kept', 'kept', 'refused', 'kept']);
  expect(rows.toSorted((a, b) => a - b)).toEqual([1, 1500]);
  await receiver.close();
});
