/** A record, or a container of records, whose bytes are not what the wire format allows. */
export class Malformed extends Error {
  readonly at: number;
  constructor(at: number, reason: string) {
    super(reason);
    this.at = at;
  }
}

export const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/**
 * Walks protobuf wire format (protobuf.dev/programming-guides/encoding) over a byte range. Every read is
 * checked against the end of the message it is in, so no length is trusted before its bytes arrive.
 */
export class WireReader {
  bytes: Uint8Array = new Uint8Array(0);
  position = 0;
  /** Halves of the last varint or {@link fixed64Halves}. */
  low = 0;
  high = 0;
  private view: DataView = new DataView(new ArrayBuffer(0));

  open(bytes: Uint8Array): void {
    if (bytes === this.bytes) return;
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The next field key, `field << 3 | wire type`. */
  key(end: number): number {
    const first = this.bytes[this.position]!;
    if (first < 0x80 && this.position < end) {
      this.position++;
      if (first < 8) throw new Malformed(this.position, 'field number 0');
      return first;
    }
    this.varint(end);
    if (this.high !== 0 || this.low < 8) throw new Malformed(this.position, 'impossible field number');
    return this.low;
  }

  /** Reads a varint into `low` and `high`. */
  varint(end: number): void {
    const { bytes } = this;
    let low = 0;
    let high = 0;
    let shift = 0;
    for (let at = this.position; at < end; at++, shift += 7) {
      const byte = bytes[at]!;
      if (shift < 28) low |= (byte & 0x7f) << shift;
      else if (shift === 28) {
        low |= (byte & 0x0f) << 28;
        high = (byte & 0x7f) >> 4;
      } else high |= shift < 64 ? (byte & 0x7f) << (shift - 32) : 0;
      if (byte < 0x80) {
        this.position = at + 1;
        this.low = low >>> 0;
        this.high = high >>> 0;
        return;
      }
      if (shift === 63) throw new Malformed(at, 'varint of more than 10 bytes');
    }
    throw new Malformed(this.position, 'varint runs past its end');
  }

  /** Reads a varint whose low 32 bits matter: uint32, bool, enum; an int32 needs `| 0`. */
  varint32(end: number): number {
    const byte = this.bytes[this.position]!;
    if (byte < 0x80 && this.position < end) {
      this.position++;
      return byte;
    }
    this.varint(end);
    return this.low;
  }

  /** Reads a length and answers where that many bytes end. */
  lengthEnd(end: number): number {
    const { position } = this;
    const byte = this.bytes[position]!;
    let length = byte;
    if (byte < 0x80 && position < end) this.position = position + 1;
    else {
      this.varint(end);
      if (this.high !== 0) throw new Malformed(position, 'length is out of range');
      length = this.low;
    }
    const stop = this.position + length;
    if (stop > end) throw new Malformed(position, 'length runs past the end of the message');
    return stop;
  }

  /** Reads eight bytes into two places of `halves`, the low one first. */
  fixed64(halves: Uint32Array, place: number, end: number): void {
    const at = this.position;
    if (at + 8 > end) throw new Malformed(at, 'fixed64 runs past its end');
    halves[place] = this.view.getUint32(at, true);
    halves[place + 1] = this.view.getUint32(at + 4, true);
    this.position = at + 8;
  }

  /** Reads eight bytes into `low` and `high`. */
  fixed64Halves(end: number): void {
    const at = this.advance(8, end);
    this.low = this.view.getUint32(at, true);
    this.high = this.view.getUint32(at + 4, true);
  }

  /** An unsigned fixed64 as a number; exact below 2^53. */
  count(end: number): number {
    const at = this.advance(8, end);
    return this.view.getUint32(at + 4, true) * 4294967296 + this.view.getUint32(at, true);
  }

  /** A signed fixed64 as a number; exact below 2^53. */
  signed(end: number): number {
    const at = this.advance(8, end);
    return this.view.getInt32(at + 4, true) * 4294967296 + this.view.getUint32(at, true);
  }

  double(end: number): number {
    return this.view.getFloat64(this.advance(8, end), true);
  }

  fixed32(end: number): number {
    return this.view.getUint32(this.advance(4, end), true);
  }

  /** Reads a length-delimited id of `size` bytes, big-endian, into `halves`; an empty one is 0. */
  id(halves: Uint32Array, place: number, size: 8 | 16, end: number): void {
    const stop = this.lengthEnd(end);
    const at = this.position;
    const length = stop - at;
    if (length !== size && length !== 0)
      throw new Malformed(at, `${size === 16 ? 'trace' : 'span'} id is ${length} bytes long, not ${size}`);
    for (let i = 0; i < size; i += 8) {
      const from = place + i / 4;
      halves[from] = length === 0 ? 0 : this.view.getUint32(at + i + 4, false);
      halves[from + 1] = length === 0 ? 0 : this.view.getUint32(at + i, false);
    }
    this.position = stop;
  }

  /** Steps over the value of a field that is not read. */
  skip(key: number, end: number): void {
    switch (key & 7) {
      case WIRE.varint:
        return this.varint(end);
      case WIRE.fixed64:
        this.advance(8, end);
        return;
      case WIRE.bytes:
        this.position = this.lengthEnd(end);
        return;
      case WIRE.fixed32:
        this.advance(4, end);
        return;
      default:
        throw new Malformed(this.position, `wire type ${key & 7} is not in use`);
    }
  }

  private advance(size: number, end: number): number {
    const at = this.position;
    if (at + size > end) throw new Malformed(at, 'value runs past its end');
    this.position = at + size;
    return at;
  }
}
