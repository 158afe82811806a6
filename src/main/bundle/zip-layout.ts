/** A member of a bundle's zip. Members are stored: Parquet is compressed already, and what is stored cannot be a bomb. */
export interface ZipMember {
  readonly name: string;
  readonly bytes: number;
  /** CRC-32. */
  readonly crc: number;
}

/** Where everything but the members' own bytes lies. */
export interface ZipLayout {
  readonly headers: readonly { readonly at: number; readonly bytes: Buffer; readonly dataAt: number }[];
  readonly directoryAt: number;
  readonly directory: Buffer;
}

const FULL = 0xffffffff;
/** Names are UTF-8. */
const FLAGS = 0x0800;
/** 1980-01-01, the earliest there is: no wall clock goes into a bundle. */
const DATE = 0x0021;
const VERSION = 45;
const ZIP64 = 0x0001;

/** A file begins at `at`; longer sizes and places stand in an extra field (APPNOTE.TXT 4.5.3). */
export const headerBytes = ({ name, bytes }: Pick<ZipMember, 'name' | 'bytes'>): number =>
  30 + Buffer.byteLength(name) + (bytes >= FULL ? 20 : 0);

/** Of members one behind the other. The same members have the same layout, byte by byte (PKWARE APPNOTE.TXT 6.3). */
export function zipLayout(members: readonly ZipMember[]): ZipLayout {
  let at = 0;
  const headers = members.map((member) => {
    const bytes = localHeader(member);
    const place = { at, bytes, dataAt: at + bytes.length };
    at = place.dataAt + member.bytes;
    return place;
  });
  const entries = Buffer.concat(members.map((member, i) => directoryEntry(member, headers[i]?.at ?? 0)));
  return { headers, directoryAt: at, directory: Buffer.concat([entries, ending(members.length, at, entries.length)]) };
}

function localHeader({ name, bytes, crc }: ZipMember): Buffer {
  const extra = bytes >= FULL ? zip64([bytes, bytes]) : Buffer.alloc(0);
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  writeCommon(head, 4, { name, bytes, crc, extra });
  return Buffer.concat([head, Buffer.from(name), extra]);
}

function directoryEntry({ name, bytes, crc }: ZipMember, at: number): Buffer {
  const long = [...(bytes >= FULL ? [bytes, bytes] : []), ...(at >= FULL ? [at] : [])];
  const extra = long.length > 0 ? zip64(long) : Buffer.alloc(0);
  const head = Buffer.alloc(46);
  head.writeUInt32LE(0x02014b50, 0);
  head.writeUInt16LE(VERSION, 4);
  writeCommon(head, 6, { name, bytes, crc, extra });
  head.writeUInt32LE(Math.min(at, FULL), 42);
  return Buffer.concat([head, Buffer.from(name), extra]);
}

/** What a local header and an entry of the directory have alike. */
function writeCommon(head: Buffer, from: number, { name, bytes, crc, extra }: ZipMember & { extra: Buffer }): void {
  head.writeUInt16LE(VERSION, from);
  head.writeUInt16LE(FLAGS, from + 2);
  head.writeUInt16LE(DATE, from + 8);
  head.writeUInt32LE(crc, from + 10);
  head.writeUInt32LE(Math.min(bytes, FULL), from + 14);
  head.writeUInt32LE(Math.min(bytes, FULL), from + 18);
  head.writeUInt16LE(Buffer.byteLength(name), from + 22);
  head.writeUInt16LE(extra.length, from + 24);
}

function zip64(values: readonly number[]): Buffer {
  const extra = Buffer.alloc(4 + 8 * values.length);
  extra.writeUInt16LE(ZIP64, 0);
  extra.writeUInt16LE(8 * values.length, 2);
  for (const [i, value] of values.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + 8 * i);
  return extra;
}

function ending(count: number, at: number, bytes: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(bytes, 12);
  end.writeUInt32LE(Math.min(at, FULL), 16);
  if (at < FULL) return end;
  const long = Buffer.alloc(56);
  long.writeUInt32LE(0x06064b50, 0);
  long.writeBigUInt64LE(44n, 4);
  long.writeUInt16LE(VERSION, 12);
  long.writeUInt16LE(VERSION, 14);
  long.writeBigUInt64LE(BigInt(count), 24);
  long.writeBigUInt64LE(BigInt(count), 32);
  long.writeBigUInt64LE(BigInt(bytes), 40);
  long.writeBigUInt64LE(BigInt(at), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(at + bytes), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([long, locator, end]);
}
