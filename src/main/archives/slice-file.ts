import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { fail } from '../../model/problem.ts';
import type { FetchedSlice } from '../../model/storage/archive.ts';
import { newScratch } from '../disk/scratch-folder.ts';

const MOST_BYTES = 1024 ** 3;

/**
 * Writes documents into a file of a temporary folder. Nothing stays if one fails.
 *
 * @param captured_ns the end of the slice: what its records without a time are dated by
 */
export async function sliceFile(
  name: string,
  captured_ns: bigint,
  documents: AsyncIterable<Uint8Array>,
): Promise<FetchedSlice> {
  const scratch = await newScratch('pull');
  try {
    // The name is for rejects; it may hold what no path can.
    const location = join(scratch.folder, createHash('sha256').update(name).digest('hex').slice(0, 16));
    const file = await open(location, 'w', 0o600);
    let bytes = 0;
    try {
      for await (const document of documents) {
        bytes += document.length;
        // A server that always has another page must not fill the disk.
        if (bytes > MOST_BYTES) fail('archive.slice_too_large', 'its answers hold more than 1 GiB');
        await file.writeFile(document);
      }
    } finally {
      await file.close();
    }
    return {
      file: { path: name, location, bytes, captured_ns, captured_from: 'given' },
      discard: scratch.remove,
    };
  } catch (error) {
    await scratch.remove();
    throw error;
  }
}
