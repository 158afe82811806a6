import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { assert } from '../../../base/assert.ts';
import { packBatch } from '../../../model/rows/packed-batch.ts';
import type { PackedRequest, ReadRound } from './messages.ts';
import { RoundReader } from './round-reader.ts';

/** A thread that unpacks and reads requests, so that neither the window nor the database waits for them. */
const port = parentPort;
assert(port !== null, 'thread.ts runs only as a worker thread');

/** A round ends here, so that nobody waits long for a receipt. */
const ROUND_BYTES = 4 * 1024 * 1024;

const reader = new RoundReader((workerData as { readonly name: string }).name);

port.on('message', (first: PackedRequest) => {
  // Whatever has come meanwhile is of the same round.
  for (let next: { message: PackedRequest } | undefined = { message: first }; next; ) {
    reader.read(next.message);
    next = reader.bytes < ROUND_BYTES ? receiveMessageOnPort(port) : undefined;
  }
  const { batches, receipts } = reader.finish();
  const packed = batches.map(packBatch);
  const round: ReadRound = { batches: packed.map(({ batch }) => batch), receipts };
  port.postMessage(
    round,
    packed.map(({ buffer }) => buffer),
  );
});
