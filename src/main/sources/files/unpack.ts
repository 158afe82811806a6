import { createWriteStream } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar-stream';
import { type Entry, getFileNameLowLevel, openPromise } from 'yauzl';
import { fail, type Problem, ProblemError } from '../../../model/problem.ts';
import type { FoundFile } from '../../../model/storage/source.ts';
import { openBytes } from '../bytes/decompress.ts';
import { capturedAt } from './captured-at.ts';
import { rawBytes } from './read-head.ts';

/** More than any support bundle holds; an archive made to fill the disk stops here. */
const MAX_UNPACKED = 64 * 2 ** 30;
const MAX_MEMBERS = 100_000;
const ENCRYPTED = 1;
/** Of each member of a zip, before its name. */
const LOCAL_HEADER_BYTES = 30;
/** Stored, and deflated: what the library can unpack. */
const METHODS = new Set([0, 8]);

/** What came out of an archive, or why it did not. */
export type Member = FoundFile | { readonly path: string; readonly problem: Problem };

export type ArchiveKind = 'tar' | 'zip';

/** `head` is decompressed: a .tar.gz shows its tar. */
export function archiveKind(head: Uint8Array): ArchiveKind | undefined {
  const text = (from: number, to: number) => Buffer.from(head.subarray(from, to)).toString('latin1');
  if (text(0, 4) === 'PK\x03\x04' || text(0, 4) === 'PK\x05\x06') return 'zip';
  return text(257, 262) === 'ustar' ? 'tar' : undefined;
}

/** Where unpacked members lie, under numbers of ours: a member's own name never touches the disk. */
export class Scratch {
  private count = 0;
  private seen = 0;
  private bytes = 0;
  private limit: Promise<number> | undefined;
  readonly folder: string;
  private readonly most: number;

  /** `most`: bytes of everything in it. */
  constructor(folder: string, most = MAX_UNPACKED) {
    this.folder = folder;
    this.most = most;
  }

  /** Folders and links count as well: each takes time. @throws ProblemError archive.too_large */
  see(archive: string): void {
    if (++this.seen > MAX_MEMBERS) throw tooLarge(archive, `more than ${MAX_MEMBERS} files and folders`);
  }

  /** @throws ProblemError archive.too_large */
  async store(
    content: AsyncIterable<Uint8Array>,
    archive: string,
  ): Promise<{ readonly location: string; readonly bytes: number }> {
    this.count++;
    this.limit ??= statfs(this.folder).then(({ bavail, bsize }) => Math.min(this.most, (bavail * bsize) / 2));
    const limit = await this.limit;
    const location = join(this.folder, String(this.count));
    let size = 0;
    const counted = new Transform({
      transform: (chunk: Uint8Array, _, done) => {
        size += chunk.length;
        this.bytes += chunk.length;
        if (this.bytes <= limit) return done(null, chunk);
        done(tooLarge(archive, `more than ${Math.round(limit / 2 ** 30)} GiB, or half of the free space`));
      },
    });
    await pipeline(Readable.from(content), counted, createWriteStream(location, { mode: 0o600 }));
    return { location, bytes: size };
  }

  /** A fresh place for a file of ours. */
  place(): string {
    return join(this.folder, `own-${++this.count}`);
  }
}

const tooLarge = (archive: string, what: string): ProblemError =>
  new ProblemError({
    code: 'archive.too_large',
    message: `${archive} unpacks to ${what}`,
    hint: 'unpack it yourself and drop the part that matters',
    place: archive,
  });

/** A link may lead anywhere, a pipe never ends: neither is followed or opened. */
export const NOT_REGULAR: Problem = {
  code: 'file.not_regular',
  message: 'is neither a file nor a folder',
  hint: 'put the file itself where the link is',
};
/** Unix modes as zip keeps them: the bits of the type, and a symbolic link's. */
const FILE_TYPE = 0xf000;
const SYMBOLIC_LINK = 0xa000;

/**
 * The regular files inside an archive, each unpacked before the next. Links and devices are {@link NOT_REGULAR}.
 * @throws ProblemError archive.broken after the members that could be read, archive.encrypted, archive.too_large,
 * archive.overlapping
 */
export async function* unpack(
  kind: ArchiveKind,
  archive: { readonly location: string; readonly path: string },
  scratch: Scratch,
): AsyncGenerator<Member> {
  try {
    yield* kind === 'tar' ? unpackTar(archive, scratch) : unpackZip(archive, scratch);
  } catch (error) {
    if (error instanceof ProblemError && error.problem.code !== 'bytes.broken_stream') throw error;
    const reason = error instanceof Error ? error.message : String(error);
    fail('archive.broken', `${archive.path} breaks off: ${reason}`, {
      place: archive.path,
      hint: 'what came before is read; fetch the archive again for the rest',
    });
  }
}

type Archive = Parameters<typeof unpack>[1];

async function* unpackTar(archive: Archive, scratch: Scratch): AsyncGenerator<Member> {
  const members = extract();
  const source = Readable.from(openBytes(rawBytes(archive.location)));
  source.on('error', (error) => members.destroy(error));
  source.pipe(members);
  for await (const member of members) {
    const { name, type, mtime } = member.header;
    scratch.see(archive.path);
    if (type === 'file' || type === 'contiguous-file')
      yield found(
        archive,
        name,
        mtime?.getTime() ?? 0,
        await scratch.store(member as AsyncIterable<Uint8Array>, archive.path),
      );
    else {
      member.resume();
      if (type !== 'directory') yield { path: `${archive.path}/${safePath(name)}`, problem: NOT_REGULAR };
    }
  }
}

async function* unpackZip(archive: Archive, scratch: Scratch): AsyncGenerator<Member> {
  // Names are decoded here: the library gives up on an archive with a name that leads out of it, which for us is a label.
  const zip = await openPromise(archive.location, { autoClose: false, lazyEntries: true, decodeStrings: false });
  const { size } = await stat(archive.location);
  let claimed = 0;
  try {
    for await (const entry of zip.eachEntry() as AsyncIterable<Entry>) {
      scratch.see(archive.path);
      // Members that lie in each other make a petabyte of some megabytes; apart from each other they fit into their file.
      claimed += entry.compressedSize + LOCAL_HEADER_BYTES;
      if (claimed > size)
        fail('archive.overlapping', `members of ${archive.path} lie in each other`, {
          hint: 'it was made to fill a disk, or is damaged: unpack what you need of it yourself',
          place: archive.path,
        });
      const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
      const name = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
      if (name.endsWith('/')) continue;
      if (((entry.externalFileAttributes >>> 16) & FILE_TYPE) === SYMBOLIC_LINK) {
        yield { path: `${archive.path}/${safePath(name)}`, problem: NOT_REGULAR };
        continue;
      }
      if (entry.generalPurposeBitFlag & ENCRYPTED)
        fail('archive.encrypted', `${archive.path} is encrypted`, { hint: 'unpack it first', place: archive.path });
      if (!METHODS.has(entry.compressionMethod)) {
        yield { path: `${archive.path}/${safePath(name)}`, problem: unknownMethod(entry.compressionMethod) };
        continue;
      }
      const stored = await scratch.store(await zip.openReadStreamPromise(entry), archive.path);
      yield found(archive, name, entry.getLastModDate().getTime(), stored);
    }
  } finally {
    zip.close();
  }
}

const unknownMethod = (method: number): Problem => ({
  code: 'archive.method',
  message: `is packed by a method that cannot be read (${method})`,
  hint: 'unpack the archive first',
});

function found(
  archive: Archive,
  name: string,
  modified_ms: number,
  stored: { readonly location: string; readonly bytes: number },
): FoundFile {
  const path = `${archive.path}/${safePath(name)}`;
  return { path, ...stored, ...capturedAt(path, modified_ms) };
}

/** A label only, but people read it: no way up, no control characters. */
const safePath = (name: string): string =>
  name
    .split(/[/\\]/)
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
    .map((part) => part.replaceAll(/[\u0000-\u001f\u007f]/g, '?'))
    .join('/');
