import { parentPort } from 'node:worker_threads';
import { assert } from '../../../base/assert.ts';
import { packBatch } from '../../../model/rows/packed-batch.ts';
import type { Page, ReadPage } from './messages.ts';
import { readPage } from './read-page.ts';

/** Reads pages in a thread, one at a time, so that other feeds do not wait for a large one. */
const port = parentPort;
assert(port !== null, 'thread.ts runs only as a worker thread');

port.on('message', async (page: Page) => {
  const read = await readPage(page);
  if (read.kind !== 'read') return port.postMessage(read);
  const packed = read.batches.map(packBatch);
  const answer: ReadPage = { kind: 'read', batches: packed.map(({ batch }) => batch) };
  port.postMessage(
    answer,
    packed.map(({ buffer }) => buffer),
  );
});
