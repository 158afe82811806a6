import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { fail } from '../../model/problem.ts';
import type { FetchedSlice } from '../../model/storage/fetched-slice.ts';
import type { FoundFile } from '../../model/storage/source.ts';
import { newScratch } from '../disk/scratch-folder.ts';
import type { SliceDocuments } from './archive-kind.ts';

/**
 * Writes a slice into files of a temporary folder. Nothing stays if one fails.
 *
 * @param most_bytes of all files: a server that always has another page must not fill the disk
 * @throws ProblemError archive.slice_too_large; whatever the documents throw
 */
export async function sliceFiles(files: Iterable<SliceDocuments>, most_bytes: number): Promise<FetchedSlice> {
  const scratch = await newScratch('pull');
  try {
    const written: FoundFile[] = [];
    let left = most_bytes;
    for (const { path, captured_ns, documents } of files) {
      // The path is for people and importers; it may hold what no file name can.
      const location = join(scratch.folder, createHash('sha256').update(path).digest('hex').slice(0, 32));
      const bytes = await writeAll(location, documents, left);
      left -= bytes;
      written.push({ path, location, bytes, captured_ns, captured_from: 'given' });
    }
    return { files: written, discard: scratch.remove };
  } catch (error) {
    await scratch.remove();
    throw error;
  }
}

async function writeAll(location: string, documents: AsyncIterable<Uint8Array>, most_bytes: number): Promise<number> {
  const file = await open(location, 'w', 0o600);
  let bytes = 0;
  try {
    for await (const document of documents) {
      bytes += document.length;
      if (bytes > most_bytes) fail('archive.slice_too_large', 'its answers hold more than 1 GiB');
      await file.writeFile(document);
    }
  } finally {
    await file.close();
  }
  return bytes;
}
