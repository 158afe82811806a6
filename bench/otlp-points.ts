import { attributeBytes, Wire } from './otlp-spans.ts';

const SERIES = 50;
const PER_SERIES = 10;
const STEP_NS = 1_000_000_000n;

/** `count` points of gauges with three attributes each, as length-delimited ExportMetricsServiceRequests. */
export function generatePoints(count: number, from = 0): Buffer {
  const messages: Buffer[] = [];
  for (let first = from; first < from + count; first += SERIES * PER_SERIES) {
    const request = new Wire();
    request.field(0x0a, resourceMetrics(first));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(request.length);
    messages.push(length, request.done());
  }
  return Buffer.concat(messages);
}

function resourceMetrics(first: number): Buffer {
  const block = first / (SERIES * PER_SERIES);
  const resource = new Wire();
  resource.field(0x0a, attributeBytes('host.name', `node-${block % 200}`));
  const metric = new Wire();
  metric.field(0x0a, 'hw.gpu.utilization');
  metric.field(0x1a, '1');
  const gauge = new Wire();
  for (let i = 0; i < SERIES * PER_SERIES; i++) gauge.field(0x0a, point(block, i));
  metric.field(0x2a, gauge.done());
  const scope = new Wire();
  scope.field(0x12, metric.done());
  const wire = new Wire();
  wire.field(0x0a, resource.done());
  wire.field(0x12, scope.done());
  return wire.done();
}

function point(block: number, i: number): Buffer {
  const wire = new Wire();
  const time =
    1_700_000_000_000_000_000n + BigInt(Math.floor(block / 200) * PER_SERIES + Math.floor(i / SERIES)) * STEP_NS;
  wire.fixed64(0x19, time);
  const value = Buffer.alloc(8);
  value.writeDoubleLE(((block * 31 + i) % 1000) / 1000);
  wire.fixed64(0x21, value.readBigUInt64LE());
  wire.field(0x3a, attributeBytes('hw.id', `gpu-${i % SERIES}`));
  wire.field(0x3a, attributeBytes('hw.type', 'gpu'));
  wire.field(0x3a, attributeBytes('hw.gpu.task', 'general'));
  return wire.done();
}
