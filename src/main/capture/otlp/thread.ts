import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { assert } from '../../../base/assert.ts';
import { packBatch } from '../../../model/rows/packed-batch.ts';
import { END, type PackedRequest, type ReadRound } from './messages.ts';
import { RoundReader } from './round-reader.ts';

/** Decompresses and reads requests in a thread, so that window and database do not wait. */
const port = parentPort;
assert(port !== null, 'thread.ts runs only as a worker thread');

/** Ends a round, so that receipts are not delayed. */
const ROUND_BYTES = 4 * 1024 * 1024;

const reader = new RoundReader((workerData as { readonly name: string }).name);

port.on('message', (first: PackedRequest | typeof END) => {
  let isLast = false;
  // Add all requests that arrived meanwhile to the round.
  for (let next: { message: PackedRequest | typeof END } | undefined = { message: first }; next; ) {
    if (next.message === END) isLast = true;
    else reader.read(next.message);
    next = reader.bytes < ROUND_BYTES ? receiveMessageOnPort(port) : undefined;
  }
  const { batches, ...rest } = reader.finish(isLast);
  const packed = batches.map(packBatch);
  const round: ReadRound = { ...rest, batches: packed.map(({ batch }) => batch) };
  port.postMessage(
    round,
    packed.map(({ buffer }) => buffer),
  );
});
