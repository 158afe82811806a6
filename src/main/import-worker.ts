import { parentPort, workerData } from 'node:worker_threads';
import { transferables } from '../model/batch-builder.ts';
import { ProblemError } from '../model/problem.ts';
import { readFile } from './sources/read-file.ts';
import type { WorkerMessage, WorkerTask } from './sources/threaded-reader.ts';

/**
 * One file, one thread: reads, decompresses and decodes, so that neither the window nor the database ever
 * waits for a parser. A batch leaves only when the main thread has asked for it, which bounds memory.
 */
const port = parentPort;
if (!port) throw new Error('bug: import-worker runs only as a worker thread');
const { path, as } = workerData as WorkerTask;
const send = (message: WorkerMessage, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);

let credits = 0;
let wake: (() => void) | undefined;
port.on('message', (message: { readonly kind: 'more' }) => {
  if (message.kind !== 'more') return;
  credits++;
  wake?.();
});
async function credit(): Promise<void> {
  if (credits === 0)
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  wake = undefined;
  credits--;
}

try {
  const reading = await readFile(path, as);
  send({ kind: 'opened', format: reading.format });
  for await (const { batch, bytes_done } of reading.batches()) {
    await credit();
    send({ kind: 'batch', batch, bytes_done }, transferables(batch));
  }
  send({ kind: 'end', ...reading.end() });
} catch (error) {
  if (!(error instanceof ProblemError)) throw error;
  send({ kind: 'problem', problem: error.problem });
}
port.close();
