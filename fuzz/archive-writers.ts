import { crc32, deflateRawSync } from 'node:zlib';

/** A member as nobody's `tar` or `zip` would write it: any name, any type, sizes that lie. */
export interface HostileMember {
  readonly name: string;
  readonly kind: 'file' | 'symbolic link' | 'hard link' | 'device' | 'pipe' | 'folder';
  readonly content: Uint8Array;
  /** Added to the size that the header states. */
  readonly lie: number;
}

const BLOCK = 512;
const TAR_TYPES = { file: '0', 'hard link': '1', 'symbolic link': '2', device: '3', folder: '5', pipe: '6' } as const;

/** POSIX ustar with a pax record for names that a header cannot hold; checksums are right. */
export const tarOf = (members: readonly HostileMember[]): Uint8Array =>
  Buffer.concat([...members.flatMap(tarMember), Buffer.alloc(2 * BLOCK)]);

function tarMember({ name, kind, content, lie }: HostileMember): Uint8Array[] {
  const path = Buffer.from(name);
  const long = path.length > 100 || path.includes(0);
  const size = Math.max(0, content.length + lie);
  const body = [tarHeader(path.subarray(0, 100), TAR_TYPES[kind], size), padded(content)];
  return long ? [...paxPath(path), ...body] : body;
}

function paxPath(path: Uint8Array): Uint8Array[] {
  let length = path.length + 8;
  while (`${length} path=\n`.length + path.length !== length) length++;
  const record = Buffer.concat([Buffer.from(`${length} path=`), path, Buffer.from('\n')]);
  return [tarHeader(Buffer.from('pax'), 'x', record.length), padded(record)];
}

function tarHeader(name: Uint8Array, type: string, size: number): Uint8Array {
  const header = Buffer.alloc(BLOCK);
  header.set(name, 0);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write('14000000000\0', 136);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('/etc/passwd', 157);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

const padded = (content: Uint8Array): Uint8Array =>
  Buffer.concat([content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]);

const MODES = {
  file: 0o100644,
  'hard link': 0o100644,
  'symbolic link': 0o120777,
  device: 0o020600,
  folder: 0o040755,
  pipe: 0o010600,
};

/** PKWARE APPNOTE, deflated; made by Unix, so that modes count. */
export function zipOf(members: readonly HostileMember[]): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  for (const { name, kind, content, lie } of members) {
    const path = Buffer.from(name).subarray(0, 65_535);
    const data = deflateRawSync(content);
    // From "version needed" to the length of the extra field: the same in both places.
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(0x800, 2);
    about.writeUInt16LE(8, 4);
    about.writeUInt32LE(crc32(content), 10);
    about.writeUInt32LE(data.length, 14);
    about.writeUInt32LE(Math.max(0, content.length + lie), 18);
    about.writeUInt16LE(path.length, 22);
    const local = [Buffer.from('PK\x03\x04'), about, path, data];
    const attributes = Buffer.alloc(14);
    attributes.writeUInt32LE((MODES[kind] << 16) >>> 0, 6);
    attributes.writeUInt32LE(at, 10);
    directory.push(Buffer.from('PK\x01\x02'), Buffer.from([20, 3]), about, attributes, path);
    parts.push(...local);
    at += local.reduce((sum, { length }) => sum + length, 0);
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(members.length, 4);
  end.writeUInt16LE(members.length, 6);
  end.writeUInt32LE(
    directory.reduce((sum, { length }) => sum + length, 0),
    8,
  );
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...parts, ...directory, Buffer.from('PK\x05\x06'), end]);
}
