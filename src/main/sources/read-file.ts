import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { fail } from '../../model/problem.ts';
import type { RowBatch } from '../../model/rows.ts';
import { DETECT_BYTES, FileHead, type Source } from '../../model/source.ts';
import { openBytes } from './bytes/decompress.ts';
import { sources } from './index.ts';

export interface FileReading {
  readonly format: string;
  batches(): AsyncIterable<{ readonly batch: RowBatch; readonly bytes_done: number }>;
  /** Valid once `batches` is exhausted. */
  end(): { readonly sha256: string; readonly bytes: number };
}

const READ_BYTES = 1 << 20;

/**
 * Opens a file, sees through compression, and decides its format by content.
 * @throws ProblemError file.unreadable, file.empty, file.unknown_format, file.unknown_as
 */
export async function readFile(path: string, as: string | null): Promise<FileReading> {
  const name = basename(path);
  await assertReadable(path, name);
  const hash = createHash('sha256');
  let bytes = 0;
  async function* raw(): AsyncGenerator<Uint8Array> {
    for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Uint8Array>) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  const { head, chunks } = await peek(openBytes(raw()));
  if (head.length === 0) fail('file.empty', `${name} is empty`, { place: path });
  const source = choose(head, as, path);
  return {
    format: source.id,
    async *batches() {
      for await (const batch of source.read({ name, chunks, files: [], assume: { zone: null, device: null } }))
        yield { batch, bytes_done: bytes };
      // A reader may stop before the end; the hash and the size are of the whole file all the same.
      for await (const _ of chunks);
    },
    end: () => ({ sha256: hash.digest('hex'), bytes }),
  };
}

async function assertReadable(path: string, name: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    const missing = error.code === 'ENOENT';
    return fail(
      missing ? 'file.missing' : 'file.unreadable',
      missing ? `there is no file ${path}` : `${name} cannot be read (${error.code})`,
      { place: path },
    );
  });
  await access(path, constants.R_OK).catch(() =>
    fail('file.unreadable', `${name} cannot be read: no permission`, { place: path }),
  );
  if (!found.isFile())
    fail('file.not_a_file', `${path} is not a file`, { place: path, hint: 'name the files inside it' });
}

/** The first decompressed bytes, and an iteration that starts with them again. */
async function peek(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ head: Uint8Array; chunks: AsyncGenerator<Uint8Array> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const seen: Uint8Array[] = [];
  let length = 0;
  let broken: { readonly error: unknown } | undefined;
  try {
    while (length < DETECT_BYTES) {
      const next = await iterator.next();
      if (next.done) break;
      seen.push(next.value);
      length += next.value.length;
    }
  } catch (error) {
    // A stream that breaks this early still holds rows: its reader keeps them and rejects the rest.
    if (seen.length === 0) throw error;
    broken = { error };
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield* seen;
    if (broken) throw broken.error;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  }
  return { head: Buffer.concat(seen).subarray(0, DETECT_BYTES), chunks: all() };
}

function choose(head: Uint8Array, as: string | null, path: string): Source {
  if (as !== null) {
    return (
      sources.find((source) => source.id === as) ??
      fail('file.unknown_as', `there is no format "${as}"`, { hint: sources.map((source) => source.id).join(', ') })
    );
  }
  return (
    sources.find((source) => source.detect(new FileHead(head))) ??
    fail('file.unknown_format', `${basename(path)} is in no format that Faultline knows`, {
      place: path,
      hint: `looked for: ${sources.map((source) => source.looks_for).join('; ')}`,
    })
  );
}
