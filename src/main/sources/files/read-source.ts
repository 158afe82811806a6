import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fail } from '../../../model/problem.ts';
import type { RowBatch } from '../../../model/rows/rows.ts';
import type {
  FoundFile,
  ReaderMemory,
  ReadOrder,
  Source,
  SourceFile,
  SourceInput,
} from '../../../model/storage/source.ts';
import { nanos } from '../../../model/time.ts';
import { isCompressed, openBytes } from '../bytes/decompress.ts';
import { createDigest } from './digest.ts';
import { rawBytes } from './read-head.ts';
import type { Scratch } from './unpack.ts';

export interface SourceReading {
  batches(): AsyncIterable<{ readonly batch: RowBatch; readonly bytes_done: number }>;
  /** Valid once `batches` is exhausted. */
  end(): { readonly digest: string; readonly bytes: number };
}

interface Surroundings {
  readonly scratch: Scratch;
  readonly database: SourceInput['database'];
  /** undefined: every batch is to be understood by itself. */
  readonly memory?: ReaderMemory;
  readonly taken?: SourceInput['taken'];
}

/**
 * The reader of an order, and what it is handed. `chunks` yields the first file.
 * @throws ProblemError file.unknown_as, file.missing
 */
export function sourceInput(
  order: ReadOrder,
  sources: readonly Source[],
  { scratch, database, memory, taken }: Surroundings,
  chunks: AsyncIterable<Uint8Array> = openBytes(rawBytes(firstOf(order).location)),
): { readonly source: Source; readonly input: SourceInput } {
  const source =
    sources.find(({ id }) => id === order.format) ??
    fail('file.unknown_as', `there is no format "${order.format}"`, { hint: sources.map(({ id }) => id).join(', ') });
  const base = baseOf(order.files);
  const files = order.files.map((file) => sourceFile(file, base, scratch));
  return {
    source,
    input: {
      name: order.name,
      chunks,
      files,
      assume: order.assume,
      database,
      ...(memory && { memory }),
      ...(taken && { taken }),
    },
  };
}

const firstOf = ({ name, files }: ReadOrder): FoundFile =>
  files[0] ?? fail('file.missing', `${name} holds no files`, { place: name });

/** Reads a found source by its format, hashing on the way. Problems of the reader with a file are rethrown. */
export function readSource(order: ReadOrder, sources: readonly Source[], surroundings: Surroundings): SourceReading {
  const first = firstOf(order);
  const hash = createDigest();
  let bytes = 0;
  async function* raw(file: FoundFile, from = 0): AsyncGenerator<Uint8Array> {
    for await (const chunk of rawBytes(file.location, from)) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  const hashFirst = async (): Promise<void> => {
    for await (const _ of raw(first, bytes));
  };
  const { source, input } = sourceInput(
    order,
    sources,
    { ...surroundings, ...(surroundings.taken && { taken: whileHashing(surroundings.taken, hashFirst) }) },
    openBytes(raw(first)),
  );
  const alone = order.files.length === 1;
  if (!alone && !source.gather)
    fail('file.several', `${order.name} is ${order.files.length} files, and ${source.title} is read from one`, {
      hint: 'drop the files themselves to read each of them so',
      place: order.name,
    });
  return {
    async *batches() {
      for await (const batch of source.read(input))
        yield { batch, bytes_done: alone ? Math.max(bytes, batch.consumed_bytes) : batch.consumed_bytes };
      // A reader may stop before the end or read elsewhere; the hash and the size are of everything all the same.
      await hashFirst();
      for (const file of order.files.slice(1)) {
        hash.update(`\n${file.path.slice(baseOf(order.files).length)}\n`);
        for await (const _ of raw(file));
      }
    },
    end: () => ({ digest: hash.text(), bytes }),
  };
}

/** While another reader reads the file, only this is done. */
const whileHashing =
  (taken: () => Promise<number>, hash: () => Promise<void>): (() => Promise<number>) =>
  async () => {
    const [rows] = await Promise.all([taken(), hash()]);
    return rows;
  };

function sourceFile(file: FoundFile, base: string, scratch: Scratch): SourceFile {
  const open = () => openBytes(rawBytes(file.location));
  return {
    path: base === '' ? file.path.split('/').at(-1)! : file.path.slice(base.length),
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

/** The folder that all files of a tree lie below, with its last `/`; '' for a single file, or when they share none. */
function baseOf(files: readonly FoundFile[]): string {
  if (files.length === 1) return '';
  let common = files[0]?.path ?? '';
  for (const { path } of files) {
    let length = 0;
    while (length < common.length && common[length] === path[length]) length++;
    common = common.slice(0, length);
  }
  return common.slice(0, common.lastIndexOf('/') + 1);
}
