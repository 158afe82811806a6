import { createHash } from 'node:crypto';
import { type FileHandle, open, statfs } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl';
import {
  BUNDLE_FORMAT_VERSION,
  type BundleCheck,
  type BundleDifference,
  type BundleManifest,
  type BundleMember,
  MANIFEST_MEMBER,
  MOST_MANIFEST_BYTES,
  MOST_MEMBERS,
  manifestSchema,
  manifestText,
  REPORT_MEMBER,
  rootText,
  tableMember,
} from '../../model/bundle.ts';
import { fail } from '../../model/problem.ts';
import { checkSignature } from './signature.ts';
import { zipLayout } from './zip-layout.ts';

const STORED = 0;
const PIECE = 1 << 20;
/** Compared with what the writer would have written, besides the members' own bytes. */
const ARCHIVE = 'archive';

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
 * Reads every byte of a bundle and says in what it is not what its manifest says. Names inside never touch the disk, and
 * nothing is unpacked that is larger than the file itself.
 * @throws ProblemError bundle.not_a_bundle, bundle.newer_format, bundle.too_large, bundle.bad_key
 */
export async function readBundle(path: string, options: ReadBundle): Promise<CheckedBundle> {
  const zip = await openZip(path);
  const file = await open(path, 'r');
  try {
    const entries = await listEntries(zip, path);
    const differences: BundleDifference[] = [];
    const { manifest, text } = await readManifest(zip, entries, path);
    if (text !== manifestText(manifest)) differences.push({ member: MANIFEST_MEMBER, what: 'was written anew' });
    if (sha256(rootText(manifest)) !== manifest.root)
      differences.push({ member: MANIFEST_MEMBER, what: 'was changed: it is not what its root hash was made of' });
    const { wrong, signed_by } = checkSignature(manifest, options.key);
    if (wrong !== null) differences.push({ member: 'signature', what: wrong });
    differences.push(...nameDifferences(manifest, entries));
    const read = await readMembers({ zip, file, path }, { manifest, entries, options });
    differences.push(...read.differences);
    if (!(await isAsWritten(file, entries)))
      differences.push({ member: ARCHIVE, what: 'was packed anew, or holds bytes that belong to no member' });
    return { manifest, differences, signed_by, unpacked: read.unpacked };
  } finally {
    zip.close();
    await file.close();
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const notABundle = (path: string, why: string): never =>
  fail('bundle.not_a_bundle', `${basename(path)} is no bundle: ${why}`, {
    hint: 'a bundle is written by: faultline export CASE --bundle FILE.flb',
  });

async function openZip(path: string): Promise<ZipFile> {
  try {
    return await openPromise(path, { autoClose: false, lazyEntries: true, decodeStrings: false });
  } catch {
    return notABundle(path, 'it is no zip');
  }
}

interface NamedEntry {
  readonly name: string;
  readonly entry: Entry;
}

async function listEntries(zip: ZipFile, path: string): Promise<NamedEntry[]> {
  if (zip.entryCount > MOST_MEMBERS) notABundle(path, `it holds ${zip.entryCount} members`);
  const entries: NamedEntry[] = [];
  try {
    for await (const entry of zip.eachEntry() as AsyncIterable<Entry>) {
      const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
      entries.push({ name: getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false), entry });
      if (entries.length > MOST_MEMBERS) break;
    }
  } catch {
    notABundle(path, 'its directory is damaged');
  }
  return entries;
}

async function readManifest(
  zip: ZipFile,
  entries: readonly NamedEntry[],
  path: string,
): Promise<{ readonly manifest: BundleManifest; readonly text: string }> {
  const [own, twin] = entries.filter(({ name }) => name === MANIFEST_MEMBER);
  if (!own) return notABundle(path, `it has no ${MANIFEST_MEMBER}`);
  if (twin) return notABundle(path, `it has two of ${MANIFEST_MEMBER}`);
  const { compressionMethod, uncompressedSize } = own.entry;
  if (compressionMethod !== STORED || uncompressedSize > MOST_MANIFEST_BYTES)
    return fail('bundle.too_large', `${basename(path)}: its ${MANIFEST_MEMBER} is compressed, or larger than 16 MiB`);
  const pieces: Buffer[] = [];
  try {
    for await (const piece of await zip.openReadStreamPromise(own.entry)) pieces.push(piece as Buffer);
  } catch {
    return notABundle(path, `its ${MANIFEST_MEMBER} cannot be read`);
  }
  const text = Buffer.concat(pieces).toString('utf8');
  const value = parse(text);
  const version = (value as { format_version?: unknown } | null)?.format_version;
  if (typeof version === 'number' && version > BUNDLE_FORMAT_VERSION)
    fail('bundle.newer_format', `${basename(path)} was written by a newer Faultline (format ${version})`, {
      hint: 'update Faultline, or ask for a bundle written by this version',
    });
  const parsed = manifestSchema.safeParse(value);
  if (parsed.success) return { manifest: parsed.data, text };
  const issue = parsed.error.issues[0];
  return notABundle(path, `its ${MANIFEST_MEMBER} is not understood (${issue?.path.join('.') || issue?.code})`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Missing, extra and double members; those of the manifest are what a bundle may hold at all. */
function nameDifferences(manifest: BundleManifest, entries: readonly NamedEntry[]): BundleDifference[] {
  const wanted = new Set([...manifest.tables.map(({ table }) => tableMember(table)), REPORT_MEMBER]);
  const listed = new Set(manifest.members.map(({ name }) => name));
  const counts = new Map<string, number>();
  for (const { name } of entries) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [
    ...[...wanted].filter((name) => !listed.has(name)).map((member) => ({ member, what: 'has no hash' })),
    ...[...listed].filter((name) => !wanted.has(name)).map((member) => ({ member, what: 'belongs to no bundle' })),
    ...[...listed].filter((name) => !counts.has(name)).map((member) => ({ member, what: 'is missing' })),
    ...[...counts].flatMap(([name, times]) => {
      if (times > 1) return [{ member: shown(name), what: `is there ${times} times` }];
      return listed.has(name) || name === MANIFEST_MEMBER ? [] : [{ member: shown(name), what: 'is extra' }];
    }),
  ];
}

/** Names of strangers' members are shown, and may hold anything. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const shown = (name: string): string => name.slice(0, 100).replaceAll(/[\u0000-\u001f\u007f]/g, '?');

interface OpenArchive {
  readonly zip: ZipFile;
  readonly file: FileHandle;
  readonly path: string;
}

async function readMembers(
  { zip, file, path }: OpenArchive,
  { manifest, entries, options }: { manifest: BundleManifest; entries: readonly NamedEntry[]; options: ReadBundle },
) {
  const { unpackTo, signal, onProgress } = options;
  const { size } = await file.stat();
  const total = manifest.members.reduce((sum, { bytes }) => sum + bytes, 0);
  if (unpackTo !== null) await refuseLarge(path, total, unpackTo);
  const differences: BundleDifference[] = [];
  const unpacked = new Map<string, string>();
  let done = 0;
  for (const [number, member] of manifest.members.entries()) {
    const [own, twin] = entries.filter(({ name }) => name === member.name);
    if (!own || twin) continue;
    const place = unpackTo === null ? null : join(unpackTo, `${number}.member`);
    const wrong = await readMember({ zip, entry: own.entry, size }, member, {
      sink: place === null ? null : await open(place, 'wx', 0o600),
      signal,
      onBytes: (bytes) => {
        done += bytes;
        onProgress?.(done, total);
      },
    });
    if (wrong !== null) differences.push({ member: member.name, what: wrong });
    else if (place !== null) unpacked.set(member.name, place);
  }
  return { differences, unpacked };
}

/** Half of the free space is left to everything else. */
async function refuseLarge(path: string, total: number, folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (total > (bavail * bsize) / 2)
    fail(
      'bundle.too_large',
      `${basename(path)} needs ${Math.ceil(total / 2 ** 20)} MiB, more than half of what is free`,
    );
}

interface MemberSink {
  readonly sink: FileHandle | null;
  readonly signal: AbortSignal;
  onBytes(bytes: number): void;
}

/** @returns in what it is not what the manifest says */
async function readMember(
  { zip, entry, size }: { readonly zip: ZipFile; readonly entry: Entry; readonly size: number },
  { bytes, sha256: wanted }: BundleMember,
  { sink, signal, onBytes }: MemberSink,
): Promise<string | null> {
  const hash = createHash('sha256');
  let read = 0;
  try {
    if (entry.compressionMethod !== STORED || entry.isEncrypted())
      return 'is compressed or encrypted: members are stored';
    if (entry.uncompressedSize > size) return 'is said to be larger than the file that holds it';
    if (entry.uncompressedSize !== bytes)
      return `was changed: ${entry.uncompressedSize} bytes, the manifest says ${bytes}`;
    for await (const piece of await zip.openReadStreamPromise(entry)) {
      signal.throwIfAborted();
      hash.update(piece as Buffer);
      read += (piece as Buffer).length;
      onBytes((piece as Buffer).length);
      await sink?.write(piece as Buffer);
    }
  } catch (error) {
    signal.throwIfAborted();
    // A disk that is full says nothing about the bundle.
    if (error instanceof Error && 'syscall' in error && error.syscall === 'write') throw error;
    return `cannot be read (${error instanceof Error ? error.message : String(error)})`;
  } finally {
    await sink?.close();
  }
  return read === bytes && hash.digest('hex') === wanted ? null : 'was changed';
}

/** Whether all that is not a member's content is what the writer writes around such members. */
async function isAsWritten(file: FileHandle, entries: readonly NamedEntry[]): Promise<boolean> {
  const { size } = await file.stat();
  const layout = zipLayout(
    entries.map(({ name, entry }) => ({ name, bytes: entry.uncompressedSize, crc: entry.crc32 })),
  );
  if (size !== layout.directoryAt + layout.directory.length) return false;
  const same = async (at: number, wanted: Buffer): Promise<boolean> => {
    for (let from = 0; from < wanted.length; from += PIECE) {
      const piece = Buffer.alloc(Math.min(PIECE, wanted.length - from));
      await file.read(piece, 0, piece.length, at + from);
      if (!piece.equals(wanted.subarray(from, from + piece.length))) return false;
    }
    return true;
  };
  for (const { at, bytes } of layout.headers) if (!(await same(at, bytes))) return false;
  return same(layout.directoryAt, layout.directory);
}
