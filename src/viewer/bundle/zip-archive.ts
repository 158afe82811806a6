import { type Archive, type ArchiveMember, notABundle } from '../../core/bundle/check-bundle.ts';
import { MOST_MEMBERS } from '../../model/storage/bundle.ts';

/** Signatures and fixed parts of PKWARE APPNOTE.TXT 4.3. */
const END = 0x06054b50;
const END_BYTES = 22;
const END64 = 0x06064b50;
const LOCATOR = 0x07064b50;
const LOCATOR_BYTES = 20;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const ZIP64 = 1;
const FULL = 0xffffffff;
const FULL_COUNT = 0xffff;
const ENCRYPTED = 1;
/** A name of a member, an extra field and a comment are 64 KiB each at most, and there are few members. */
const MOST_DIRECTORY_BYTES = 4 << 20;
/** Read of a member at once. */
const PIECE = 8 << 20;

/** A file that the page was given, and where of it each member's content lies. */
export interface BlobArchive extends Archive {
  slice(member: string): Blob;
}

/**
 * A zip without a comment, as the writer of bundles makes it. Only what is needed to find stored members is read; that the rest
 * is as it was written is for `checkBundle`. @throws ProblemError bundle.not_a_bundle
 */
export async function openZipArchive(file: Blob, name: string): Promise<BlobArchive> {
  const read = async (at: number, bytes: number): Promise<Uint8Array<ArrayBuffer>> =>
    new Uint8Array(await file.slice(at, at + bytes).arrayBuffer());
  const view = async (at: number, bytes: number) => new DataView((await read(at, bytes)).buffer);
  try {
    const places = await readDirectory(await readEnd(view, file.size), { view, read });
    const slice = (place: Place): Blob => file.slice(place.dataAt, place.dataAt + place.bytes);
    return {
      name,
      size: file.size,
      read,
      members: places.map((place) => toMember(place, slice(place))),
      slice: (member) => {
        const place = places.find((one) => one.name === member);
        return place ? slice(place) : notABundle(name, `it has no ${member}`);
      },
    };
  } catch (error) {
    if (error instanceof RangeError) return notABundle(name, 'it is no zip');
    throw error;
  }
}

type View = (at: number, bytes: number) => Promise<DataView>;
interface Directory {
  readonly at: number;
  readonly bytes: number;
  readonly count: number;
}

async function readEnd(view: View, size: number): Promise<Directory> {
  const end = await view(Math.max(0, size - END_BYTES), END_BYTES);
  if (end.getUint32(0, true) !== END) throw new RangeError('no end of a directory');
  const found = { count: end.getUint16(10, true), bytes: end.getUint32(12, true), at: end.getUint32(16, true) };
  if (found.at !== FULL && found.count !== FULL_COUNT) return found;
  const locator = await view(size - END_BYTES - LOCATOR_BYTES, LOCATOR_BYTES);
  if (locator.getUint32(0, true) !== LOCATOR) throw new RangeError('no place of a long directory');
  const long = await view(Number(locator.getBigUint64(8, true)), 56);
  if (long.getUint32(0, true) !== END64) throw new RangeError('no long directory');
  const number = (at: number): number => Number(long.getBigUint64(at, true));
  return { count: number(32), bytes: number(40), at: number(48) };
}

interface Place {
  readonly name: string;
  readonly bytes: number;
  readonly crc: number;
  readonly isStored: boolean;
  readonly dataAt: number;
}

async function readDirectory(
  { at, bytes, count }: Directory,
  {
    view,
    read,
  }: { readonly view: View; readonly read: (at: number, bytes: number) => Promise<Uint8Array<ArrayBuffer>> },
): Promise<Place[]> {
  if (bytes > MOST_DIRECTORY_BYTES || count > MOST_MEMBERS) throw new RangeError('too much of a directory');
  const { buffer } = await read(at, bytes);
  const entries = new DataView(buffer);
  const places: Place[] = [];
  for (let from = 0; places.length < count; ) {
    if (entries.getUint32(from, true) !== ENTRY) throw new RangeError('no entry of a directory');
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((place) =>
      entries.getUint16(from + place, true),
    ) as [number, number, number];
    const nameAt = from + ENTRY_BYTES;
    const long = longNumbers(entries, nameAt + nameBytes, extraBytes);
    const [packed, whole, place] = [20, 24, 42].map((field) => entries.getUint32(from + field, true)) as [
      number,
      number,
      number,
    ];
    const size = whole === FULL ? long() : whole;
    if (packed === FULL) long();
    const head = place === FULL ? long() : place;
    const local = await view(head, LOCAL_BYTES);
    if (local.getUint32(0, true) !== LOCAL) throw new RangeError('no member where one should be');
    places.push({
      name: new TextDecoder().decode(new Uint8Array(buffer, nameAt, nameBytes)),
      bytes: size,
      crc: entries.getUint32(from + 16, true),
      isStored: entries.getUint16(from + 10, true) === 0 && (entries.getUint16(from + 8, true) & ENCRYPTED) === 0,
      dataAt: head + LOCAL_BYTES + local.getUint16(26, true) + local.getUint16(28, true),
    });
    from = nameAt + nameBytes + extraBytes + commentBytes;
  }
  return places;
}

/** The numbers that had no room, in their order. */
function longNumbers(view: DataView, from: number, bytes: number): () => number {
  let at = from;
  while (at < from + bytes && view.getUint16(at, true) !== ZIP64) at += 4 + view.getUint16(at + 2, true);
  at += 4;
  return () => {
    at += 8;
    return Number(view.getBigUint64(at - 8, true));
  };
}

const toMember = ({ name, bytes, crc, isStored }: Place, content: Blob): ArchiveMember => ({
  name,
  bytes,
  crc,
  isStored,
  content: async function* () {
    for (let at = 0; at < content.size; at += PIECE)
      yield new Uint8Array(await content.slice(at, at + PIECE).arrayBuffer());
  },
});
