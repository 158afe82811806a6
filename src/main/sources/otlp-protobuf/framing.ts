import { unreachable } from '../../../base/assert.ts';
import type { RecordBorders } from '../../../model/storage/source.ts';
import { MAX_MESSAGE_BYTES, readUint32 } from '../bytes/zstd-messages.ts';
import { classifyRequest } from './classify.ts';

/**
 * How requests follow one another in a file. `fixed32`: each after its length as 4 bytes, big-endian (collector
 * file exporter); `varint`: each after its length as a varint (protobuf's delimited streams); `bare`: one
 * request, or several simply concatenated, which on the wire is one request with more in it.
 */
export type Framing = 'fixed32' | 'varint' | 'bare';

/** What the window starts with; `short`: its header is incomplete; `lost`: it is invalid. */
export type Header =
  | { readonly kind: 'message'; readonly header: number; readonly length: number }
  | { readonly kind: 'other'; readonly size: number }
  | { readonly kind: 'short' }
  | { readonly kind: 'lost'; readonly reason: string };

/** Longest header: a key and a length, ten bytes each. */
export const HEADER_BYTES = 20;

function readVarint(
  bytes: Uint8Array,
  at: number,
  end: number,
): { readonly value: number; readonly next: number } | 'short' | 'lost' {
  let value = 0;
  for (let i = 0; i < 10; i++) {
    if (at + i >= end) return 'short';
    const byte = bytes[at + i]!;
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return { value, next: at + i + 1 };
  }
  return 'lost';
}

const announced = (length: number): Header => ({
  kind: 'lost',
  reason: `a message of ${length} bytes is announced: the framing is lost here`,
});

function message(header: number, length: number): Header {
  return length > MAX_MESSAGE_BYTES ? announced(length) : { kind: 'message', header, length };
}

function readField(bytes: Uint8Array, start: number, end: number): Header {
  const key = readVarint(bytes, start, end);
  if (key === 'short') return { kind: 'short' };
  if (key === 'lost' || key.value < 8) return { kind: 'lost', reason: 'not a protobuf field' };
  const wireType = key.value % 8;
  if (wireType === 1 || wireType === 5) return { kind: 'other', size: key.next - start + (wireType === 1 ? 8 : 4) };
  if (wireType !== 0 && wireType !== 2) return { kind: 'lost', reason: `wire type ${wireType} is not in use` };
  const value = readVarint(bytes, key.next, end);
  if (value === 'short') return { kind: 'short' };
  if (value === 'lost') return { kind: 'lost', reason: 'varint of more than 10 bytes' };
  if (wireType === 0) return { kind: 'other', size: value.next - start };
  if (key.value === 0x0a) return message(value.next - start, value.value);
  return value.value > MAX_MESSAGE_BYTES
    ? announced(value.value)
    : { kind: 'other', size: value.next - start + value.value };
}

/** Reads the header at `start` of what the window holds up to `end`. */
export function readHeader(framing: Framing, bytes: Uint8Array, start: number, end: number): Header {
  if (framing === 'bare') return readField(bytes, start, end);
  if (framing === 'fixed32') return end - start < 4 ? { kind: 'short' } : message(4, readUint32(bytes, start));
  const length = readVarint(bytes, start, end);
  if (length === 'short') return { kind: 'short' };
  return length === 'lost'
    ? { kind: 'lost', reason: 'varint of more than 10 bytes' }
    : message(length.next - start, length.value);
}

/** Whether the head is a chain of length-delimited requests, one of which has a distinctive record. */
function isChain(framing: 'fixed32' | 'varint', head: Uint8Array): boolean {
  for (let at = 0; at < head.length; ) {
    const header = readHeader(framing, head, at, head.length);
    if (header.kind !== 'message') return false;
    const from = at + header.header;
    const to = from + header.length;
    if (header.length > 0 && from < head.length) {
      if (head[from] !== 0x0a) return false;
      const { signal } = classifyRequest(head, from, Math.min(to, head.length), to > head.length);
      if (signal !== 'unknown') return true;
    }
    at = to;
  }
  return false;
}

/**
 * The framing of a file, from its first bytes. They cannot be taken for one another: a bare request starts with
 * the key 0x0a, which as a length would be that of a message too short for any record, or over 160 MB.
 */
export function detectFraming(head: Uint8Array): Framing | undefined {
  if (head[0] === 0x0a) {
    const { signal, whole } = classifyRequest(head, 0, head.length, true);
    return whole && signal !== 'unknown' ? 'bare' : undefined;
  }
  if (isChain('fixed32', head)) return 'fixed32';
  return isChain('varint', head) ? 'varint' : undefined;
}

/** Where messages begin; after a header that makes no sense there are no more. */
export class MessageBorders implements RecordBorders {
  private readonly framing: Framing;
  /** Bytes of the stream until the next header. */
  private ahead = 0;
  /** The start of a header whose rest is in the next chunk. */
  private started: Uint8Array = new Uint8Array(0);
  private lost = false;

  constructor(framing: Framing) {
    this.framing = framing;
  }

  lastIn(chunk: Uint8Array): number {
    let border = -1;
    if (this.started.length > 0) {
      const startedCount = this.started.length;
      const joined = Buffer.concat([this.started, chunk.subarray(0, HEADER_BYTES)]);
      this.started = new Uint8Array(0);
      this.ahead = this.step(joined, 0, joined.length) - startedCount;
      // So short a chunk that even now the header is not whole: it is all held.
      if (this.started.length > 0) return -1;
    }
    while (!this.lost && this.ahead <= chunk.length) {
      border = this.ahead;
      this.ahead = this.step(chunk, border, chunk.length);
      if (this.started.length > 0 || this.ahead === border) break;
    }
    this.ahead -= chunk.length;
    return border;
  }

  /** Where the message at `at` ends; `at` itself when that cannot be known yet. */
  private step(bytes: Uint8Array, at: number, end: number): number {
    if (at === end) return at;
    const header = readHeader(this.framing, bytes, at, end);
    switch (header.kind) {
      case 'message':
        return at + header.header + header.length;
      case 'other':
        return at + header.size;
      case 'short':
        this.started = bytes.slice(at, end);
        return end;
      case 'lost':
        this.lost = true;
        return at;
      default:
        return unreachable(header);
    }
  }
}
