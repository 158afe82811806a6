import { fail } from '../../../model/problem.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import { DETECT_BYTES, type Source, type SourceInput } from '../../../model/storage/source.ts';
import { ByteWindow } from '../bytes/byte-window.ts';
import { firstZstdMessage, isZstdMessages, zstdMessages } from '../bytes/zstd-messages.ts';
import { Output } from '../otlp/output.ts';
import { detectFraming, type Framing, HEADER_BYTES, MessageBorders, readHeader } from './framing.ts';
import { RequestDecoder } from './request.ts';

const LOOKS_FOR = 'OTLP protobuf: an Export*ServiceRequest, bare or length-delimited';

async function* readZstd(window: ByteWindow, out: Output): AsyncGenerator<RowBatch> {
  const decoder = new RequestDecoder(out);
  for await (const { bytes, at, problem } of zstdMessages(window)) {
    // Offsets inside a compressed message name no place in the file: its rows are at the message.
    if (bytes.length > 0) decoder.request(bytes, { start: 0, end: bytes.length }, at, problem !== '');
    if (problem !== '') out.reject(at, problem);
    yield* out.take(window.offset);
  }
}

async function* readMessages(window: ByteWindow, framing: Framing, out: Output): AsyncGenerator<RowBatch> {
  const decoder = new RequestDecoder(out);
  // No await without need: each one costs a turn of the event loop per message.
  while (window.length > 0 || (await window.fill(1))) {
    if (window.length < HEADER_BYTES) await window.fill(HEADER_BYTES);
    const header = readHeader(framing, window.bytes, window.start, window.end);
    if (header.kind === 'lost') return out.reject(window.offset, header.reason);
    if (header.kind === 'short')
      return out.reject(window.offset, window.broken || 'the file ends inside the header of a message');
    if (header.kind === 'other') {
      const start = window.offset;
      await window.skip(header.size);
      if (window.offset < start + header.size) out.reject(start, window.broken || 'the file ends inside a field');
      continue;
    }
    const size = header.header + header.length;
    const whole = window.length >= size || (await window.fill(size));
    const range = { start: window.start + header.header, end: window.start + Math.min(size, window.length) };
    const offset = window.offset + header.header;
    if (framing === 'bare') decoder.resourceMessage(window.bytes, range, offset, !whole);
    else decoder.request(window.bytes, range, offset, !whole);
    if (!whole) out.reject(window.offset, window.broken || `the file ends inside a message of ${header.length} bytes`);
    window.drop(Math.min(size, window.length));
    if (out.hasFinished) yield* out.take(window.offset);
  }
  if (window.broken) out.reject(window.offset, window.broken);
}

async function* read(input: SourceInput): AsyncGenerator<RowBatch> {
  const { name, chunks, piece } = input;
  const window = new ByteWindow(chunks, piece?.offset);
  await window.fill(DETECT_BYTES);
  const head = piece?.head ?? window.bytes.subarray(window.start, window.end);
  const out = Output.of(input);
  if (isZstdMessages(head)) yield* readZstd(window, out);
  else if (head.length === 0) {
    if (window.broken !== '') out.reject(0, window.broken);
  } else {
    const framing =
      detectFraming(head) ??
      fail('otlp.not_protobuf', `${name} is not OTLP protobuf`, { hint: `looked for: ${LOOKS_FOR}` });
    yield* readMessages(window, framing, out);
  }
  yield* out.take(window.offset, true);
  window.close();
}

/** OTLP in binary protobuf (opentelemetry-proto 1.x; 0.9 and later differ only in names). */
export const otlpProtobuf: Source = {
  id: 'otlp-protobuf',
  title: 'OTLP protobuf (traces, metrics, logs)',
  looks_for: LOOKS_FOR,
  detect: ({ bytes }) => detectFraming(isZstdMessages(bytes) ? firstZstdMessage(bytes) : bytes) !== undefined,
  borders: (head) => {
    const framing = isZstdMessages(head) ? undefined : detectFraming(head);
    return framing && new MessageBorders(framing);
  },
  read,
};
