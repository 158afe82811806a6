import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openFileEngine } from '../../src/main/engine/file-engine.ts';
import { openBytes } from '../../src/main/sources/bytes/decompress.ts';
import type { Assumptions, SourceFile, SourceInput } from '../../src/model/storage/source.ts';
import { nanos } from '../../src/model/time.ts';
import { temporaryFolder } from './core.ts';

export interface InputOptions {
  readonly name?: string;
  /** Bytes per chunk. */
  readonly piece?: number;
  readonly assume?: Partial<Assumptions>;
  /** When the state was recorded; by path where files differ. */
  readonly captured_ns?: bigint | Readonly<Record<string, bigint>>;
  /** A folder for what libraries read from disk; unless given, one of the running test. */
  readonly folder?: string;
}

/** 2026-01-01T00:00:00Z: when test files were captured by default. */
export const CAPTURED_NS = 1_767_225_600_000_000_000n;

export async function* chunksOf(bytes: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

/** What the host would hand to a reader for these bytes, or for a tree of files by path. */
export function inputOf(
  content: Uint8Array | string | Readonly<Record<string, Uint8Array | string>>,
  options: InputOptions = {},
): SourceInput {
  const name = options.name ?? 'hidden';
  const single = typeof content === 'string' || content instanceof Uint8Array;
  const tree = single ? { [name]: content } : content;
  const files = Object.entries(tree)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, bytes]) => fileOf(path, typeof bytes === 'string' ? Buffer.from(bytes) : bytes, options));
  return {
    name,
    files,
    chunks: files[0]?.open() ?? chunksOf(new Uint8Array()),
    assume: { zone: null, device: null, mapping: null, ...options.assume },
    database: openFileEngine,
  };
}

let written = 0;

function fileOf(path: string, bytes: Uint8Array, { piece, captured_ns, folder }: InputOptions): SourceFile {
  const captured = typeof captured_ns === 'object' ? captured_ns[path] : captured_ns;
  return {
    path,
    bytes: bytes.length,
    captured_ns: nanos(captured ?? CAPTURED_NS),
    captured_from: captured === undefined ? 'file time' : 'given',
    open: () => openBytes(chunksOf(bytes, piece)),
    onDisk: async () => {
      const file = join(folder ?? (await temporaryFolder()), `content-${++written}`);
      await writeFile(file, bytes);
      return file;
    },
  };
}
