import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { gzipSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { jsonLine, textRecord } from '../../bench/application-logs.ts';
import { applicationLog } from '../../src/main/sources/application-log/index.ts';
import { cut } from '../../src/main/sources/files/cut.ts';
import { PieceDealer, readPieces } from '../../src/main/sources/files/read-pieces.ts';
import { otlpJson } from '../../src/main/sources/otlp-json/index.ts';
import type { RowBatch } from '../../src/model/rows/rows.ts';
import type { Source } from '../../src/model/storage/source.ts';
import { temporaryFolder } from '../support/core.ts';
import { detected, randomFrom } from '../support/otlp-rows.ts';
import { varintFramed } from '../support/otlp-wire.ts';
import { type Reading, readSource, reasonsOf } from '../support/read-source.ts';

/** The same source, its file read by three readers that share it, as worker threads do. */
function shared(source: Source, bytes: Uint8Array, pieceBytes: number): Source & { pieces: number } {
  const result = {
    ...source,
    pieces: 0,
    async *read(input: Parameters<Source['read']>[0]): AsyncGenerator<RowBatch> {
      const location = join(await temporaryFolder(), 'file');
      await writeFile(location, bytes);
      const file = {
        path: 'file',
        location,
        bytes: bytes.length,
        captured_ns: 0n,
        captured_from: 'file time',
      } as const;
      const order = { name: 'file', format: source.id, files: [file], assume: input.assume };
      const channels = [0, 1, 2].map(() => new MessageChannel());
      const dealer = new PieceDealer(channels.map(({ port1 }) => port1));
      const whole = cut(order, source, (head) => dealer.begin(head), dealer.deal, pieceBytes).finally(() =>
        dealer.end(),
      );
      const readers = channels.map(({ port2 }) => readPieces(source, input, port2));
      for (let round = 0; ; round++) {
        const reader = readers[round % 3]!;
        let next = await reader.next();
        for (; !next.done && next.value.kind === 'batch'; next = await reader.next()) yield next.value.batch;
        if (next.done) break;
        result.pieces++;
      }
      for (const { port1 } of channels) port1.close();
      expect((await whole).bytes).toBe(bytes.length);
    },
  };
  return result;
}

const fixture = (name: string): Buffer => readFileSync(join(import.meta.dirname, '../../fixtures/otlp/framings', name));
/** Each reader writes an edge once; the store has one of each. */
const comparable = ({ rows: { edge, ...rows }, entities, remarks }: Reading) => ({
  rows,
  edges: new Set(edge.map((row) => Object.values(row).join('\n'))),
  entities,
  remarks,
});

const traces = fixture('fileexporter-traces.jsonl');
const messages = ((bytes: Buffer): Buffer[] => {
  const found: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 4 + bytes.readUInt32BE(at))
    found.push(zstdDecompressSync(bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at))));
  return found;
})(fixture('fileexporter-traces.proto.zstd-legacy'));
const pretty = traces
  .toString()
  .trimEnd()
  .split('\n')
  .map((line) => JSON.stringify(JSON.parse(line), null, 1))
  .join('\n');

function damaged(bytes: Buffer, seed: number): Buffer {
  const random = randomFrom(seed);
  const copy = Buffer.from(bytes);
  for (let i = 0; i < 12; i++) copy[Math.floor(random() * copy.length)] = Math.floor(random() * 256);
  return copy;
}

/** Several times what is read at once, so that there is something to share. */
const often = (bytes: Buffer): Buffer => Buffer.concat(Array.from({ length: 6 }, () => bytes));
const proto = fixture('fileexporter-traces.proto');
const lines = often(traces);

const numbered = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => `${line(i)}\n`).join('');

const files: Readonly<Record<string, { readonly bytes: Buffer; readonly pieces: number; readonly isLog?: true }>> = {
  lines: { bytes: lines, pieces: 4 },
  'lines with CRLF': { bytes: Buffer.from(lines.toString().replaceAll('\n', '\r\n')), pieces: 4 },
  'pretty documents': { bytes: often(Buffer.from(`${pretty}\n`)), pieces: 1 },
  'one line without an end': { bytes: traces.subarray(0, traces.indexOf(10)), pieces: 1 },
  'gzip of lines': { bytes: gzipSync(lines), pieces: 4 },
  metrics: { bytes: often(fixture('fileexporter-metrics.jsonl')), pieces: 2 },
  'length-delimited messages': { bytes: often(proto), pieces: 2 },
  'length-delimited messages, the last one cut': { bytes: often(proto).subarray(0, 1_700_000), pieces: 2 },
  'length-delimited messages, lost on the way': {
    bytes: Buffer.concat([often(proto), Buffer.alloc(64, 0xff), often(proto)]),
    pieces: 2,
  },
  'varint-delimited messages': { bytes: often(varintFramed(messages)), pieces: 2 },
  'bare messages': { bytes: often(Buffer.concat(messages)), pieces: 2 },
  'JSON log lines': { bytes: Buffer.from(numbered(6000, jsonLine)), pieces: 2, isLog: true },
  'a text log with stack traces': { bytes: Buffer.from(numbered(12_000, textRecord)), pieces: 2, isLog: true },
  'a text log with CRLF': {
    bytes: Buffer.from(numbered(12_000, textRecord).replaceAll('\n', '\r\n')),
    pieces: 2,
    isLog: true,
  },
  'zstd messages': { bytes: fixture('fileexporter-traces.proto.zstd-legacy'), pieces: 1 },
};

describe.each(Object.entries(files))('%s', (_, { bytes, pieces, isLog }) => {
  test('gives the same rows and rejects however many readers share it', async () => {
    const source = (isLog ? applicationLog : await detected(bytes)) as Source;
    const whole = comparable(await readSource(source, bytes));
    for (const pieceBytes of [1, 300_000]) {
      const many = shared(source, bytes, pieceBytes);
      expect(comparable(await readSource(many, bytes))).toEqual(whole);
      expect(many.pieces).toBeGreaterThanOrEqual(pieces);
    }
  });
});

test('a broken archive of lines gives what came before the break, and one reject', async () => {
  const bytes = gzipSync(lines).subarray(0, 500_000);
  const source = (await detected(bytes)) as Source;
  const [whole, many] = [await readSource(source, bytes), await readSource(shared(source, bytes, 1), bytes)];
  expect(many.rows.span).toEqual(whole.rows.span);
  expect(reasonsOf(many)).toEqual(reasonsOf(whole));
  expect(reasonsOf(many)).toHaveLength(1);
});

test.each([1, 2, 3, 4, 5, 6])('lines damaged at random (%i) give the same spans', async (seed) => {
  const bytes = damaged(lines, seed);
  const [whole, many] = [await readSource(otlpJson, bytes), await readSource(shared(otlpJson, bytes, 1), bytes)];
  expect(reasonsOf(whole).length).toBeGreaterThan(0);
  expect(many.rows.span).toEqual(whole.rows.span);
  expect(reasonsOf(many)).toEqual(reasonsOf(whole));
});

const odd = [
  '  File "/srv/app.py", line 3, in run',
  'Caused by: java.lang.Error',
  'a line without a time',
  '2026-13-45 14:04:18 INFO no such month',
  '2026-02-30 14:04:18 INFO no such day',
  '{"a dump":"of JSON"}',
  '{"log":"cut ","stream":"stderr","time":"2026-05-01T14:04:18Z"}',
  '{"log":"  whole\\n","stream":"stderr","time":"2026-05-01T14:04:18Z"}',
  '2026-05-01T14:04:18Z stdout F a line of another runtime',
  '2026-05-01T14:04:18Z stderr P cut again ',
  'INFO:app:no time',
  '',
];

test.each([1, 2, 3, 4])('a text log with lines of all kinds (%i) gives the same rows and rejects', async (seed) => {
  const random = randomFrom(seed);
  const line = (i: number) => (i > 5 && random() < 0.3 ? odd[Math.floor(random() * odd.length)]! : textRecord(i));
  const bytes = Buffer.from(numbered(14_000, line));
  const many = shared(applicationLog, bytes, 1);
  expect(comparable(await readSource(many, bytes))).toEqual(comparable(await readSource(applicationLog, bytes)));
  expect(many.pieces).toBeGreaterThanOrEqual(2);
});
