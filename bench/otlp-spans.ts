const PER_REQUEST = 500;

/** The same spans as JSON lines and as length-delimited protobuf, as a collector's file exporter writes them. */
export interface Generated {
  readonly json: Buffer;
  readonly protobuf: Buffer;
}

/** A protobuf message under construction. */
export class Wire {
  bytes = Buffer.alloc(512);
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

/** A `KeyValue`. */
export function attributeBytes(key: string, value: Value): Buffer {
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

/** `count` spans of ten attributes, in requests of so many; `from` is the number of the first, none is twice the same. */
export function generateSpans(count: number, from = 0, perRequest = PER_REQUEST): Generated {
  const lines: Buffer[] = [];
  const messages: Buffer[] = [];
  const id = Buffer.alloc(24, 0x5a);
  for (let first = from; first < from + count; first += perRequest) {
    const service = `service-${Math.floor(first / perRequest) % 30}`;
    const spans = [];
    const scope = new Wire();
    scope.field(0x0a, Buffer.from('\x0a\x05bench'));
    for (let i = first; i < Math.min(from + count, first + perRequest); i++) {
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
