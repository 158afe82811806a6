import { parentPort, threadId, workerData } from 'node:worker_threads';
import { fail, ProblemError } from '../model/problem.ts';
import { buffersOf } from '../model/rows/batch-buffers.ts';
import { releaseBuffer } from '../model/rows/buffer-pool.ts';
import type { ReaderMemory, ReadOrder, SourceInput, TableColumns } from '../model/storage/source.ts';

import { cut } from './sources/files/cut.ts';
import { inspect } from './sources/files/inspect.ts';
import { PieceDealer, readPieces } from './sources/files/read-pieces.ts';
import { readSource, sourceInput } from './sources/files/read-source.ts';
import { Scratch } from './sources/files/unpack.ts';
import { unreadable } from './sources/files/unreadable.ts';
import { sources } from './sources/index.ts';
import { NativeWork } from './sources/native-work.ts';
import type { WorkerData, WorkerMessage, WorkerOrder, WorkerTask } from './sources/threads.ts';

/**
 * One source at a time: unpacks, reads, decompresses and decodes, so that neither the window nor the database ever
 * waits for a parser. A batch leaves only when the main thread has asked for it, which bounds memory.
 */
const port = parentPort;
if (!port) throw new Error('bug: import-worker runs only as a worker thread');
const send = (message: WorkerMessage, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);

/**
 * A thread that ends during a call of a native library ends the whole process. So it reports such calls, and its owner
 * sends `stop` and waits: without a port, and with no call under way, the thread ends by itself.
 */
const native = new NativeWork((workerData as WorkerData).native);
const stop = new AbortController();

/** Loaded only by the formats that need it: the native library is most of a thread's start. */
const database: SourceInput['database'] = async (paths) => {
  native.begin();
  try {
    const engine = await (await import('./engine/file-engine.ts')).openFileEngine(paths, stop.signal);
    const close = async () => {
      await engine.close();
      native.end();
    };
    return { ...engine, close };
  } catch (error) {
    native.end();
    throw error;
  }
};

/** How many rows of the file of the batch before were taken. */
let consumed = Promise.withResolvers<number>();
async function taken(): Promise<number> {
  const rows = await consumed.promise;
  consumed = Promise.withResolvers();
  stop.signal.throwIfAborted();
  return rows;
}

let working = false;
let credits = 0;
let wake: (() => void) | undefined;
port.on('message', (order: WorkerOrder) => {
  if (order.kind === 'spare') {
    if (order.taken !== undefined) consumed.resolve(order.taken);
    return order.buffers.forEach(releaseBuffer);
  }
  if (order.kind === 'stop') {
    stop.abort(new Error('the import was abandoned'));
    consumed.resolve(0);
    if (!working) port.close();
  } else if (order.kind === 'more') credits++;
  else return void work(order);
  wake?.();
});
async function credit(): Promise<void> {
  if (credits === 0 && !stop.signal.aborted)
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  stop.signal.throwIfAborted();
  wake = undefined;
  credits--;
}

/** Interval of progress messages; a folder may hold a hundred thousand files. */
const PROGRESS_MS = 100;

async function inspectAll({ dropped, scratch }: Extract<WorkerTask, { kind: 'inspect' }>): Promise<void> {
  let files = 0;
  let consumed = 0;
  const found = await inspect(dropped, {
    sources,
    scratch: new Scratch(scratch),
    onFile: (path) => {
      files++;
      if (Date.now() - consumed < PROGRESS_MS) return;
      consumed = Date.now();
      send({ kind: 'progress', files, path });
    },
  });
  send({ kind: 'found', sources: found });
}

async function columnsOf(order: ReadOrder, scratch: string): Promise<TableColumns> {
  const { source, input } = sourceInput(order, sources, { scratch: new Scratch(scratch), database });
  return source.columns?.(input) ?? fail('file.no_columns', `${order.name} is no table`);
}

let tasks = 0;
/** No other thread, and no other task of this one, numbers under this name. */
const freshMemory = (): ReaderMemory => ({ numbering: `${threadId}.${tasks++}` });

async function read(order: ReadOrder, scratch: string): Promise<void> {
  const memory = freshMemory();
  const reading = readSource(order, sources, { scratch: new Scratch(scratch), database, memory, taken });
  for await (const { batch, bytes_done } of reading.batches()) {
    await credit();
    send({ kind: 'batch', batch, bytes_done }, buffersOf(batch));
  }
  send({ kind: 'end', ...reading.end() });
}

async function cutFile({ order, ports }: Extract<WorkerTask, { kind: 'cut' }>): Promise<void> {
  const dealer = new PieceDealer(ports);
  const { source } = sourceInput(order, sources, { scratch: new Scratch(''), database });
  const end = await cut(order, source, (head) => dealer.begin(head), dealer.deal);
  dealer.end();
  send({ kind: 'end', ...end });
}

async function piecesOf({ order, scratch, port: pieces }: Extract<WorkerTask, { kind: 'pieces' }>): Promise<void> {
  const memory = freshMemory();
  const { source, input } = sourceInput(order, sources, { scratch: new Scratch(scratch), database, memory });
  for await (const news of readPieces(source, input, pieces)) {
    if (news.kind === 'batch') await credit();
    send(news, news.kind === 'batch' ? buffersOf(news.batch) : []);
  }
  send({ kind: 'end', digest: '', bytes: 0 });
}

/** One task at a time; the next one comes after the last message of this one. A file that was removed after its inspection is no bug; a bug ends the thread and is reported as one. */
async function work(task: WorkerTask): Promise<void> {
  credits = 0;
  working = true;
  try {
    if (task.kind === 'inspect') await inspectAll(task);
    else if (task.kind === 'columns') send({ kind: 'columns', table: await columnsOf(task.order, task.scratch) });
    else if (task.kind === 'cut') await cutFile(task);
    else if (task.kind === 'pieces') await piecesOf(task);
    else await read(task.order, task.scratch);
  } catch (error) {
    // Nobody listens any more.
    if (stop.signal.aborted) return;
    const problem = error instanceof ProblemError ? error.problem : unreadable(error);
    if (!problem) throw error;
    send({ kind: 'problem', problem });
  } finally {
    working = false;
    if (stop.signal.aborted) port?.close();
  }
}
