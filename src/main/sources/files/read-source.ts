import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fail } from '../../../model/problem.ts';
import type { RowBatch } from '../../../model/rows.ts';
import type { FoundFile, ReadOrder, Source, SourceFile, SourceInput } from '../../../model/source.ts';
import { nanos } from '../../../model/time.ts';
import { isCompressed, openBytes } from '../bytes/decompress.ts';
import { rawBytes } from './read-head.ts';
import type { Scratch } from './unpack.ts';

export interface SourceReading {
  batches(): AsyncIterable<{ readonly batch: RowBatch; readonly bytes_done: number }>;
  /** Valid once `batches` is exhausted. */
  end(): { readonly sha256: string; readonly bytes: number };
}

/**
 * Reads a found source by its format, hashing on the way.
 * @throws ProblemError file.unknown_as, or what the reader says
 */
export function readSource(
  order: ReadOrder,
  sources: readonly Source[],
  { scratch, database }: { readonly scratch: Scratch; readonly database: SourceInput['database'] },
): SourceReading {
  const source =
    sources.find(({ id }) => id === order.format) ??
    fail('file.unknown_as', `there is no format "${order.format}"`, { hint: sources.map(({ id }) => id).join(', ') });
  const [first] = order.files;
  if (!first) fail('file.missing', `${order.name} holds no files`);
  const hash = createHash('sha256');
  const base = order.files.length === 1 ? '' : commonFolder(order.files);
  let bytes = 0;
  const files = order.files.map((file) => sourceFile(file, base, scratch));
  async function* raw(file: FoundFile, from = 0): AsyncGenerator<Uint8Array> {
    for await (const chunk of rawBytes(file.location, from)) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  return {
    async *batches() {
      const chunks = openBytes(raw(first));
      const { name, assume } = order;
      for await (const batch of source.read({ name, chunks, files, assume, database }))
        yield {
          batch,
          bytes_done: order.files.length === 1 ? Math.max(bytes, batch.consumed_bytes) : batch.consumed_bytes,
        };
      // A reader may stop before the end or read elsewhere; the hash and the size are of everything all the same.
      for await (const _ of raw(first, bytes));
      for (const file of order.files.slice(1)) {
        hash.update(`\n${file.path.slice(base.length)}\n`);
        for await (const _ of raw(file));
      }
    },
    end: () => ({ sha256: hash.digest('hex'), bytes }),
  };
}

function sourceFile(file: FoundFile, base: string, scratch: Scratch): SourceFile {
  const open = () => openBytes(rawBytes(file.location));
  return {
    path: base === '' ? (file.path.split('/').at(-1) as string) : file.path.slice(base.length),
    bytes: file.bytes,
    captured_ns: nanos(file.captured_ns),
    captured_from: file.captured_from,
    open,
    onDisk: async () => {
      if (!(await startsCompressed(file.location))) return file.location;
      const place = scratch.place();
      await pipeline(Readable.from(open()), createWriteStream(place, { mode: 0o600 }));
      return place;
    },
  };
}

async function startsCompressed(location: string): Promise<boolean> {
  for await (const chunk of rawBytes(location)) return isCompressed(chunk);
  return false;
}

/** The folder that all files lie below, with its last `/`; '' when they share none. */
function commonFolder(files: readonly FoundFile[]): string {
  let common = files[0]?.path ?? '';
  for (const { path } of files) {
    let length = 0;
    while (length < common.length && common[length] === path[length]) length++;
    common = common.slice(0, length);
  }
  return common.slice(0, common.lastIndexOf('/') + 1);
}
