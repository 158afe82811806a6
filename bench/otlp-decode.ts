/**
 * Decoding speed of the OTLP sources, without the store: `node bench/otlp-decode.ts [SPANS]`.
 * Spans of ten attributes in requests of 500, as a collector's file exporter writes them.
 */

import { openFileEngine } from '../src/main/engine/file-engine.ts';
import { otlpJson } from '../src/main/sources/otlp-json/index.ts';
import { otlpProtobuf } from '../src/main/sources/otlp-protobuf/index.ts';
import type { Source } from '../src/model/storage/source.ts';
import { generateSpans } from './otlp-spans.ts';

const SPANS = Number(process.argv[2] ?? 300_000);
const RUNS = 3;
const CHUNK = 1 << 20;

async function* chunks(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK);
}

async function decode(source: Source, bytes: Buffer): Promise<number> {
  let rows = 0;
  for await (const batch of source.read({
    name: 'bench',
    chunks: chunks(bytes),
    files: [],
    assume: { zone: null, device: null, mapping: null },
    database: openFileEngine,
  }))
    rows += batch.tables.span?.count ?? 0;
  return rows;
}

async function parseOnly(bytes: Buffer): Promise<number> {
  let rows = 0;
  for (let at = 0, end = bytes.indexOf(10); end >= 0; at = end + 1, end = bytes.indexOf(10, at)) {
    rows += JSON.parse(bytes.toString('utf8', at, end)).resourceSpans[0].scopeSpans[0].spans.length;
  }
  return rows;
}

async function measure(what: string, bytes: Buffer, run: (bytes: Buffer) => Promise<number>): Promise<number> {
  let best = 0;
  for (let i = 0; i < RUNS; i++) {
    const begun = performance.now();
    const rows = await run(bytes);
    if (rows !== SPANS) throw new Error(`${what}: ${rows} spans of ${SPANS}`);
    best = Math.max(best, (rows / (performance.now() - begun)) * 1000);
  }
  const megabytes = (best * bytes.length) / SPANS / 1e6;
  console.log(
    `${what.padEnd(28)} ${Math.round(best).toLocaleString('en').padStart(10)} spans/s  ${megabytes.toFixed(0).padStart(5)} MB/s`,
  );
  return best;
}

const { json, protobuf } = generateSpans(SPANS);
console.log(
  `${SPANS} spans of 10 attributes: ${(json.length / 1e6).toFixed(0)} MB as JSON lines, ${(protobuf.length / 1e6).toFixed(0)} MB as protobuf; best of ${RUNS}`,
);
await measure('protobuf decode', protobuf, (bytes) => decode(otlpProtobuf, bytes));
const parsed = await measure('JSON.parse alone', json, parseOnly);
const decoded = await measure('JSON lines decode', json, (bytes) => decode(otlpJson, bytes));
console.log(
  `JSON lines decode is ${(decoded / parsed).toFixed(2)} times JSON.parse alone; resident ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB with both inputs held`,
);
