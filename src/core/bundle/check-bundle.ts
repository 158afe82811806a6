import { fail } from '../../model/problem.ts';
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
} from '../../model/storage/bundle.ts';
import { zipLayout } from './zip-layout.ts';

/** Compared with what the writer would have written, besides the members' own bytes. */
const ARCHIVE = 'archive';
const PIECE = 1 << 20;

/** A zip as a host reads it; names inside are only names. */
export interface Archive {
  /** For messages. */
  readonly name: string;
  /** Bytes of the whole file. */
  readonly size: number;
  readonly members: readonly ArchiveMember[];
  read(at: number, bytes: number): Promise<Uint8Array>;
}

export interface ArchiveMember {
  readonly name: string;
  readonly bytes: number;
  readonly crc: number;
  /** Neither compressed nor encrypted. */
  readonly isStored: boolean;
  content(): AsyncIterable<Uint8Array>;
}

/** What a host's cryptography does. */
export interface Seals {
  /** SHA-256 as hex. Reads all pieces. */
  sha256(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string>;
  /** In what the signature is wrong, null in nothing, and SHA-256 of the key that signed. @throws ProblemError bundle.bad_key */
  signature(manifest: BundleManifest): Promise<{ readonly wrong: string | null; readonly signed_by: string | null }>;
}

export interface CheckOptions {
  readonly signal: AbortSignal;
  onProgress?(done: number, total: number): void;
  /** Called before any member is read. @throws ProblemError bundle.too_large */
  beforeMembers?(manifest: BundleManifest, total: number): Promise<void>;
  /** Called when manifest, signature and report are verified, before any table is read. */
  onReport?(manifest: BundleManifest, signed_by: string | null, report: string): void;
  /** Gets each member while it is hashed, piece by piece; its failures are not the bundle's. */
  openSink?(member: BundleMember, number: number): Promise<MemberSink>;
}

export interface MemberSink {
  write(piece: Uint8Array): Promise<unknown>;
  /** @param isWhole the member is as it was written */
  close(isWhole: boolean): Promise<void>;
}

/**
 * Reads every byte of a bundle and reports differences from its manifest.
 * @throws ProblemError bundle.not_a_bundle, bundle.newer_format, bundle.too_large, bundle.bad_key
 */
export async function checkBundle(archive: Archive, seals: Seals, options: CheckOptions): Promise<BundleCheck> {
  const { members } = archive;
  if (members.length > MOST_MEMBERS) notABundle(archive.name, `it holds ${members.length} members`);
  const differences: BundleDifference[] = [];
  const { manifest, text } = await readManifest(archive);
  if (text !== manifestText(manifest)) differences.push({ member: MANIFEST_MEMBER, what: 'was written anew' });
  if ((await seals.sha256([new TextEncoder().encode(rootText(manifest))])) !== manifest.root)
    differences.push({ member: MANIFEST_MEMBER, what: 'was changed: it is not what its root hash was made of' });
  const { wrong, signed_by } = await seals.signature(manifest);
  if (wrong !== null) differences.push({ member: 'signature', what: wrong });
  differences.push(...nameDifferences(manifest, members));
  if (differences.length === 0 && options.onReport) {
    const report = await readReport(archive, manifest, seals);
    if (report !== null) options.onReport(manifest, signed_by, report);
  }
  differences.push(...(await readMembers(archive, manifest, seals, options)));
  if (!(await isAsWritten(archive)))
    differences.push({ member: ARCHIVE, what: 'was packed anew, or holds bytes that belong to no member' });
  return { manifest, differences, signed_by };
}

/** A bundle that differs is not opened, but for how it was packed: that changes nothing about its members. @throws ProblemError bundle.changed */
export function refuseChanged(name: string, { differences }: BundleCheck): void {
  const first = differences.find(({ member }) => member !== ARCHIVE);
  if (first)
    fail('bundle.changed', `${name} is not as it was written: ${first.member} ${first.what}`, {
      hint: `faultline verify ${name} lists every difference; ask for the bundle again`,
    });
}

export const notABundle = (name: string, why: string): never =>
  fail('bundle.not_a_bundle', `${name} is no bundle: ${why}`, {
    hint: 'a bundle is written by: faultline export CASE --bundle FILE.flb',
  });

async function readManifest({
  name,
  members,
}: Archive): Promise<{ readonly manifest: BundleManifest; readonly text: string }> {
  const [own, twin] = members.filter((member) => member.name === MANIFEST_MEMBER);
  if (!own) return notABundle(name, `it has no ${MANIFEST_MEMBER}`);
  if (twin) return notABundle(name, `it has two of ${MANIFEST_MEMBER}`);
  if (!own.isStored || own.bytes > MOST_MANIFEST_BYTES)
    return fail('bundle.too_large', `${name}: its ${MANIFEST_MEMBER} is compressed, or larger than 16 MiB`);
  const text = await readText(own).catch(() => notABundle(name, `its ${MANIFEST_MEMBER} cannot be read`));
  const value = parse(text);
  const version = (value as { format_version?: unknown } | null)?.format_version;
  if (typeof version === 'number' && version > BUNDLE_FORMAT_VERSION)
    fail('bundle.newer_format', `${name} was written by a newer Faultline (format ${version})`, {
      hint: 'update Faultline, or ask for a bundle written by this version',
    });
  const parsed = manifestSchema.safeParse(value);
  if (parsed.success) return { manifest: parsed.data, text };
  const issue = parsed.error.issues[0];
  return notABundle(name, `its ${MANIFEST_MEMBER} is not understood (${issue?.path.join('.') || issue?.code})`);
}

/** null: there is none that matches the manifest. It is read once more with the other members. */
async function readReport({ size, members }: Archive, manifest: BundleManifest, seals: Seals): Promise<string | null> {
  const own = members.find(({ name }) => name === REPORT_MEMBER);
  const wanted = manifest.members.find(({ name }) => name === REPORT_MEMBER);
  if (!own?.isStored || own.bytes !== wanted?.bytes || own.bytes > Math.min(size, MOST_MANIFEST_BYTES)) return null;
  const text = await readText(own);
  return (await seals.sha256([new TextEncoder().encode(text)])) === wanted.sha256 ? text : null;
}

async function readText(member: ArchiveMember): Promise<string> {
  const bytes = new Uint8Array(member.bytes);
  let at = 0;
  for await (const piece of member.content()) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return new TextDecoder().decode(bytes);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Missing, extra and double members; those of the manifest are what a bundle may hold at all. */
function nameDifferences(manifest: BundleManifest, members: readonly ArchiveMember[]): BundleDifference[] {
  const wanted = new Set([...manifest.tables.map(({ table }) => tableMember(table)), REPORT_MEMBER]);
  const listed = new Set(manifest.members.map(({ name }) => name));
  const counts = new Map<string, number>();
  for (const { name } of members) counts.set(name, (counts.get(name) ?? 0) + 1);
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

async function readMembers(
  { size, members }: Archive,
  manifest: BundleManifest,
  seals: Seals,
  { signal, onProgress, openSink, beforeMembers }: CheckOptions,
): Promise<BundleDifference[]> {
  const total = manifest.members.reduce((sum, { bytes }) => sum + bytes, 0);
  await beforeMembers?.(manifest, total);
  const differences: BundleDifference[] = [];
  let done = 0;
  for (const [number, wanted] of manifest.members.entries()) {
    const [own, twin] = members.filter(({ name }) => name === wanted.name);
    if (!own || twin) continue;
    const sink = (await openSink?.(wanted, number)) ?? null;
    const onBytes = (bytes: number) => {
      done += bytes;
      onProgress?.(done, total);
    };
    let wrong: string | null = 'cannot be read';
    try {
      wrong = await readMember({ own, size }, wanted, { seals, sink, signal, onBytes });
    } finally {
      await sink?.close(wrong === null);
    }
    if (wrong !== null) differences.push({ member: wanted.name, what: wrong });
  }
  return differences;
}

interface Reading {
  readonly seals: Seals;
  readonly sink: MemberSink | null;
  readonly signal: AbortSignal;
  onBytes(bytes: number): void;
}

/** @returns differences from the manifest */
async function readMember(
  { own, size }: { readonly own: ArchiveMember; readonly size: number },
  { bytes, sha256 }: BundleMember,
  { seals, sink, signal, onBytes }: Reading,
): Promise<string | null> {
  if (!own.isStored) return 'is compressed or encrypted: members are stored';
  if (own.bytes > size) return 'has a stated size larger than its file';
  if (own.bytes !== bytes) return `was changed: ${own.bytes} bytes, in the manifest ${bytes}`;
  let read = 0;
  // A full disk is no error of the bundle.
  let sinkFailed = false;
  async function* passing(): AsyncGenerator<Uint8Array> {
    for await (const piece of own.content()) {
      signal.throwIfAborted();
      read += piece.length;
      onBytes(piece.length);
      sinkFailed = true;
      await sink?.write(piece);
      sinkFailed = false;
      yield piece;
    }
  }
  try {
    const found = await seals.sha256(passing());
    return read === bytes && found === sha256 ? null : 'was changed';
  } catch (error) {
    signal.throwIfAborted();
    if (sinkFailed) throw error;
    return `cannot be read (${error instanceof Error ? error.message : String(error)})`;
  }
}

/** Whether all that is not a member's content is what the writer writes around such members. */
async function isAsWritten({ size, members, read }: Archive): Promise<boolean> {
  const layout = zipLayout(members);
  if (size !== layout.directoryAt + layout.directory.length) return false;
  const same = async (at: number, wanted: Uint8Array): Promise<boolean> => {
    for (let from = 0; from < wanted.length; from += PIECE) {
      const part = wanted.subarray(from, from + PIECE);
      const piece = await read(at + from, part.length);
      if (piece.length !== part.length || part.some((byte, i) => byte !== piece[i])) return false;
    }
    return true;
  };
  for (const { at, bytes } of layout.headers) if (!(await same(at, bytes))) return false;
  return same(layout.directoryAt, layout.directory);
}
