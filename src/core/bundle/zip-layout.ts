/** A member of a bundle's zip. Members are stored: Parquet is compressed already, and what is stored cannot be a bomb. */
export interface ZipMember {
  readonly name: string;
  readonly bytes: number;
  /** CRC-32. */
  readonly crc: number;
}

/** Where everything but the members' own bytes lies. */
export interface ZipLayout {
  readonly headers: readonly {
    readonly at: number;
    readonly bytes: Uint8Array<ArrayBuffer>;
    readonly dataAt: number;
  }[];
  readonly directoryAt: number;
  readonly directory: Uint8Array<ArrayBuffer>;
}

const FULL = 0xffffffff;
/** Names are UTF-8. */
const FLAGS = 0x0800;
/** 1980-01-01, the earliest there is: no wall clock goes into a bundle. */
const DATE = 0x0021;
const VERSION = 45;
const ZIP64 = 0x0001;

const encoder = new TextEncoder();

/** A file begins at `at`; longer sizes and places stand in an extra field (APPNOTE.TXT 4.5.3). */
export const headerBytes = ({ name, bytes }: Pick<ZipMember, 'name' | 'bytes'>): number =>
  30 + encoder.encode(name).length + (bytes >= FULL ? 20 : 0);

/** Of members one behind the other. The same members have the same layout, byte by byte (PKWARE APPNOTE.TXT 6.3). */
export function zipLayout(members: readonly ZipMember[]): ZipLayout {
  let at = 0;
  const headers = members.map((member) => {
    const bytes = localHeader(member);
    const place = { at, bytes, dataAt: at + bytes.length };
    at = place.dataAt + member.bytes;
    return place;
  });
  const entries = joined(members.map((member, i) => directoryEntry(member, headers[i]?.at ?? 0)));
  return { headers, directoryAt: at, directory: joined([entries, ending(members.length, at, entries.length)]) };
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function localHeader({ name, bytes, crc }: ZipMember): Uint8Array<ArrayBuffer> {
  const extra = bytes >= FULL ? zip64([bytes, bytes]) : new Uint8Array(0);
  const head = new DataView(new ArrayBuffer(30));
  head.setUint32(0, 0x04034b50, true);
  writeCommon(head, 4, { name, bytes, crc, extra });
  return joined([bytesOf(head), encoder.encode(name), extra]);
}

function directoryEntry({ name, bytes, crc }: ZipMember, at: number): Uint8Array {
  const long = [...(bytes >= FULL ? [bytes, bytes] : []), ...(at >= FULL ? [at] : [])];
  const extra = long.length > 0 ? zip64(long) : new Uint8Array(0);
  const head = new DataView(new ArrayBuffer(46));
  head.setUint32(0, 0x02014b50, true);
  head.setUint16(4, VERSION, true);
  writeCommon(head, 6, { name, bytes, crc, extra });
  head.setUint32(42, Math.min(at, FULL), true);
  return joined([bytesOf(head), encoder.encode(name), extra]);
}

const bytesOf = ({ buffer }: DataView<ArrayBuffer>): Uint8Array => new Uint8Array(buffer);

/** What a local header and an entry of the directory have alike. */
function writeCommon(
  head: DataView,
  from: number,
  { name, bytes, crc, extra }: ZipMember & { readonly extra: Uint8Array },
): void {
  head.setUint16(from, VERSION, true);
  head.setUint16(from + 2, FLAGS, true);
  head.setUint16(from + 8, DATE, true);
  head.setUint32(from + 10, crc, true);
  head.setUint32(from + 14, Math.min(bytes, FULL), true);
  head.setUint32(from + 18, Math.min(bytes, FULL), true);
  head.setUint16(from + 22, encoder.encode(name).length, true);
  head.setUint16(from + 24, extra.length, true);
}

function zip64(values: readonly number[]): Uint8Array {
  const extra = new DataView(new ArrayBuffer(4 + 8 * values.length));
  extra.setUint16(0, ZIP64, true);
  extra.setUint16(2, 8 * values.length, true);
  for (const [i, value] of values.entries()) extra.setBigUint64(4 + 8 * i, BigInt(value), true);
  return bytesOf(extra);
}

function ending(count: number, at: number, bytes: number): Uint8Array {
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, count, true);
  end.setUint16(10, count, true);
  end.setUint32(12, bytes, true);
  end.setUint32(16, Math.min(at, FULL), true);
  if (at < FULL) return bytesOf(end);
  const long = new DataView(new ArrayBuffer(56));
  long.setUint32(0, 0x06064b50, true);
  long.setBigUint64(4, 44n, true);
  long.setUint16(12, VERSION, true);
  long.setUint16(14, VERSION, true);
  long.setBigUint64(24, BigInt(count), true);
  long.setBigUint64(32, BigInt(count), true);
  long.setBigUint64(40, BigInt(bytes), true);
  long.setBigUint64(48, BigInt(at), true);
  const locator = new DataView(new ArrayBuffer(20));
  locator.setUint32(0, 0x07064b50, true);
  locator.setBigUint64(8, BigInt(at + bytes), true);
  locator.setUint32(16, 1, true);
  return joined([bytesOf(long), bytesOf(locator), bytesOf(end)]);
}
