/**
 * Decoding speed of the OTLP sources, without the store: `node bench/otlp-decode.ts [SPANS]`.
 * Spans of ten attributes in requests of 500, as a collector's file exporter writes them.
 */
import { otlpJson } from '../src/main/sources/otlp-json/index.ts';
import { otlpProtobuf } from '../src/main/sources/otlp-protobuf/index.ts';
import type { Source } from '../src/model/source.ts';

const SPANS = Number(process.argv[2] ?? 300_000);
const PER_REQUEST = 500;
const RUNS = 3;
const CHUNK = 1 << 20;

interface Generated {
  readonly json: Buffer;
  readonly protobuf: Buffer;
}

class Wire {
  bytes = Buffer.alloc(1 << 16);
  length = 0;

  private room(size: number): void {
    if (this.length + size > this.bytes.length)
      this.bytes = Buffer.concat([this.bytes], Math.max(this.bytes.length * 2, this.length + size));
  }
  varint(value: number): void {
    this.room(10);
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.bytes[this.length++] = (rest % 128) | 128;
    this.bytes[this.length++] = rest;
  }
  field(key: number, content: Buffer | string): void {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    this.varint(key);
    this.varint(bytes.length);
    this.room(bytes.length);
    bytes.copy(this.bytes, this.length);
    this.length += bytes.length;
  }
  fixed64(key: number, value: bigint): void {
    this.varint(key);
    this.room(8);
    this.length = this.bytes.writeBigUInt64LE(value, this.length);
  }
  done(): Buffer {
    return Buffer.from(this.bytes.subarray(0, this.length));
  }
}

type Value = string | number | boolean;

const attributesOf = (i: number): [string, Value][] => [
  ['http.request.method', i % 3 === 0 ? 'GET' : 'POST'],
  ['http.route', `/v1/models/${i % 40}/completions`],
  ['http.response.status_code', i % 50 === 0 ? 503 : 200],
  ['server.address', `llama-inference-${i % 64}.svc.cluster.local`],
  ['server.port', 8080],
  ['network.peer.address', `10.${i % 256}.${(i >> 8) % 256}.17`],
  ['thread.id', i % 97],
  ['gen_ai.request.model', 'llama-3-70b-instruct'],
  ['gen_ai.usage.output_tokens', i % 2048],
  ['user_agent.original', 'python-httpx/0.27.0'],
];

function attributeBytes(key: string, value: Value): Buffer {
  const any = new Wire();
  if (typeof value === 'string') any.field(0x0a, value);
  else {
    any.varint(0x18);
    any.varint(Number(value));
  }
  const pair = new Wire();
  pair.field(0x0a, key);
  pair.field(0x12, any.done());
  return pair.done();
}

function span(i: number, id: Buffer): { readonly json: object; readonly protobuf: Buffer } {
  const start = 1_700_000_000_000_000_000n + BigInt(i) * 1_037_113n;
  const end = start + 25_000_000n + BigInt(i % 1000) * 7919n;
  const attributes = attributesOf(i);
  const name = `POST /v1/models/${i % 40}`;
  const wire = new Wire();
  wire.field(0x0a, id.subarray(0, 16));
  wire.field(0x12, id.subarray(16, 24));
  wire.field(0x22, id.subarray(8, 16));
  wire.field(0x2a, name);
  wire.varint(0x30);
  wire.varint(2);
  wire.fixed64(0x39, start);
  wire.fixed64(0x41, end);
  for (const [key, value] of attributes) wire.field(0x4a, attributeBytes(key, value));
  wire.field(0x7a, Buffer.alloc(0));
  const json = {
    traceId: id.toString('hex', 0, 16),
    spanId: id.toString('hex', 16, 24),
    parentSpanId: id.toString('hex', 8, 16),
    name,
    kind: 2,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(end),
    attributes: attributes.map(([key, value]) => ({
      key,
      value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
    })),
    status: {},
  };
  return { json, protobuf: wire.done() };
}

function generate(): Generated {
  const lines: Buffer[] = [];
  const messages: Buffer[] = [];
  const id = Buffer.alloc(24, 0x5a);
  for (let first = 0; first < SPANS; first += PER_REQUEST) {
    const service = `service-${(first / PER_REQUEST) % 30}`;
    const spans = [];
    const scope = new Wire();
    scope.field(0x0a, Buffer.from('\x0a\x05bench'));
    for (let i = first; i < Math.min(SPANS, first + PER_REQUEST); i++) {
      id.writeUInt32BE((i * 2_654_435_761) % 4_294_967_296, 4);
      id.writeUInt32BE(i + 1, 18);
      const one = span(i, id);
      spans.push(one.json);
      scope.field(0x12, one.protobuf);
    }
    const resource = new Wire();
    resource.field(0x0a, attributeBytes('service.name', service));
    const resourceSpans = new Wire();
    resourceSpans.field(0x0a, resource.done());
    resourceSpans.field(0x12, scope.done());
    const request = new Wire();
    request.field(0x0a, resourceSpans.done());
    const length = Buffer.alloc(4);
    length.writeUInt32BE(request.length);
    messages.push(length, request.done());
    const named = [{ key: 'service.name', value: { stringValue: service } }];
    const json = {
      resourceSpans: [{ resource: { attributes: named }, scopeSpans: [{ scope: { name: 'bench' }, spans }] }],
    };
    lines.push(Buffer.from(`${JSON.stringify(json)}\n`));
  }
  return { json: Buffer.concat(lines), protobuf: Buffer.concat(messages) };
}

async function* chunks(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK);
}

async function decode(source: Source, bytes: Buffer): Promise<number> {
  let rows = 0;
  for await (const batch of source.read({ name: 'bench', chunks: chunks(bytes) }))
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

const { json, protobuf } = generate();
console.log(
  `${SPANS} spans of 10 attributes: ${(json.length / 1e6).toFixed(0)} MB as JSON lines, ${(protobuf.length / 1e6).toFixed(0)} MB as protobuf; best of ${RUNS}`,
);
await measure('protobuf decode', protobuf, (bytes) => decode(otlpProtobuf, bytes));
const parsed = await measure('JSON.parse alone', json, parseOnly);
const decoded = await measure('JSON lines decode', json, (bytes) => decode(otlpJson, bytes));
console.log(
  `JSON lines decode is ${(decoded / parsed).toFixed(2)} times JSON.parse alone; resident ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB with both inputs held`,
);
