import { createHash } from 'node:crypto';
import { type FileHandle, open, statfs } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl';
import { type ArchiveMember, checkBundle, notABundle, type Seals } from '../../core/bundle/check-bundle.ts';
import { fail } from '../../model/problem.ts';
import { type BundleCheck, MOST_MEMBERS } from '../../model/storage/bundle.ts';
import { checkSignature } from './signature.ts';

const STORED = 0;

export interface ReadBundle {
  /** PEM of the key that must have signed it; null: any, or none. */
  readonly key: string | null;
  readonly signal: AbortSignal;
  onProgress?(done: number, total: number): void;
  /** Where each member is put while it is hashed, as a file of its number; null: nowhere. */
  readonly unpackTo: string | null;
}

export interface CheckedBundle extends BundleCheck {
  /** Where members that are as they were written lie now, by name. */
  readonly unpacked: ReadonlyMap<string, string>;
}

/**
 * Reads every byte of a bundle and returns its differences from its manifest. Names inside never reach the disk, and
 * no member that is larger than the file itself is unpacked.
 * @throws ProblemError bundle.not_a_bundle, bundle.newer_format, bundle.too_large, bundle.bad_key
 */
export async function readBundle(path: string, options: ReadBundle): Promise<CheckedBundle> {
  const { key, signal, onProgress, unpackTo } = options;
  const name = basename(path);
  const zip = await openZip(path);
  const file = await open(path, 'r');
  const unpacked = new Map<string, string>();
  try {
    const { size } = await file.stat();
    const read = (at: number, bytes: number) => readAt(file, at, bytes);
    const check = await checkBundle({ name, size, members: await listMembers(zip, name), read }, sealsOf(key), {
      signal,
      ...(onProgress ? { onProgress } : {}),
      ...(unpackTo === null
        ? {}
        : {
            beforeMembers: (_manifest, total) => refuseLarge(name, total, unpackTo),
            openSink: async (member, number) => {
              const place = join(unpackTo, `${number}.member`);
              const sink = await open(place, 'wx', 0o600);
              return {
                write: (piece) => sink.write(piece),
                close: async (isWhole) => {
                  await sink.close();
                  if (isWhole) unpacked.set(member.name, place);
                },
              };
            },
          }),
    });
    return { ...check, unpacked };
  } finally {
    zip.close();
    await file.close();
  }
}

const sealsOf = (key: string | null): Seals => ({
  sha256: async (pieces) => {
    const hash = createHash('sha256');
    for await (const piece of pieces) hash.update(piece);
    return hash.digest('hex');
  },
  signature: async (manifest) => checkSignature(manifest, key),
});

async function readAt(file: FileHandle, at: number, bytes: number): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read(new Uint8Array(bytes), 0, bytes, at);
  return buffer.subarray(0, bytesRead);
}

async function openZip(path: string): Promise<ZipFile> {
  try {
    return await openPromise(path, { autoClose: false, lazyEntries: true, decodeStrings: false });
  } catch {
    return notABundle(basename(path), 'it is no zip');
  }
}

async function listMembers(zip: ZipFile, name: string): Promise<ArchiveMember[]> {
  if (zip.entryCount > MOST_MEMBERS) notABundle(name, `it holds ${zip.entryCount} members`);
  const members: ArchiveMember[] = [];
  try {
    for await (const entry of zip.eachEntry() as AsyncIterable<Entry>) {
      members.push(toMember(zip, entry));
      if (members.length > MOST_MEMBERS) break;
    }
  } catch {
    notABundle(name, 'its directory is damaged');
  }
  return members;
}

function toMember(zip: ZipFile, entry: Entry): ArchiveMember {
  const { generalPurposeBitFlag, fileNameRaw, extraFields, uncompressedSize, crc32, compressionMethod } = entry;
  return {
    name: getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false),
    bytes: uncompressedSize,
    crc: crc32,
    isStored: compressionMethod === STORED && !entry.isEncrypted(),
    content: async function* () {
      for await (const piece of await zip.openReadStreamPromise(entry)) yield piece as Buffer;
    },
  };
}

/** Half of the free space is left to everything else. */
async function refuseLarge(name: string, total: number, folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (total > (bavail * bsize) / 2)
    fail('bundle.too_large', `${name} needs ${Math.ceil(total / 2 ** 20)} MiB, more than half of what is free`);
}
