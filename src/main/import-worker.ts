import { parentPort, workerData } from 'node:worker_threads';
import { transferables } from '../model/batch-builder.ts';
import { fail, ProblemError } from '../model/problem.ts';
import type { ReadOrder, TableColumns } from '../model/source.ts';
import { openFileEngine } from './engine/file-engine.ts';
import { inspect } from './sources/files/inspect.ts';
import { readSource, sourceInput } from './sources/files/read-source.ts';
import { Scratch } from './sources/files/unpack.ts';
import { sources } from './sources/index.ts';
import type { WorkerMessage, WorkerTask } from './sources/threaded-reader.ts';

/**
 * One source, one thread: unpacks, reads, decompresses and decodes, so that neither the window nor the database ever
 * waits for a parser. A batch leaves only when the main thread has asked for it, which bounds memory.
 */
const port = parentPort;
if (!port) throw new Error('bug: import-worker runs only as a worker thread');
const task = workerData as WorkerTask;
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

/** Progress is told this often; a folder may hold a hundred thousand files. */
const PROGRESS_MS = 100;

async function inspectAll({ dropped, scratch }: Extract<WorkerTask, { kind: 'inspect' }>): Promise<void> {
  let files = 0;
  let told = 0;
  const found = await inspect(dropped, {
    sources,
    scratch: new Scratch(scratch),
    onFile: (path) => {
      files++;
      if (Date.now() - told < PROGRESS_MS) return;
      told = Date.now();
      send({ kind: 'progress', files, path });
    },
  });
  send({ kind: 'found', sources: found });
}

async function columnsOf(order: ReadOrder, scratch: string): Promise<TableColumns> {
  const { source, input } = sourceInput(order, sources, { scratch: new Scratch(scratch), database: openFileEngine });
  return source.columns?.(input) ?? fail('file.no_columns', `${order.name} is no table`);
}

async function read(order: ReadOrder, scratch: string): Promise<void> {
  const reading = readSource(order, sources, { scratch: new Scratch(scratch), database: openFileEngine });
  for await (const { batch, bytes_done } of reading.batches()) {
    await credit();
    send({ kind: 'batch', batch, bytes_done }, transferables(batch));
  }
  send({ kind: 'end', ...reading.end() });
}

try {
  if (task.kind === 'inspect') await inspectAll(task);
  else if (task.kind === 'columns') send({ kind: 'columns', table: await columnsOf(task.order, task.scratch) });
  else await read(task.order, task.scratch);
} catch (error) {
  if (!(error instanceof ProblemError)) throw error;
  send({ kind: 'problem', problem: error.problem });
}
port.close();
