import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { type MessagePort, Worker } from 'node:worker_threads';
import type { Problem } from '../../model/problem.ts';
import { buffersOf } from '../../model/rows/batch-buffers.ts';
import type { RowBatch } from '../../model/rows/rows.ts';
import type { DroppedPath, FoundSource, InspectProgress, ReadOrder, TableColumns } from '../../model/storage/source.ts';
import { NativeWork } from './native-work.ts';

/** What a thread is given once. */
export interface WorkerData {
  readonly native: SharedArrayBuffer;
}

/** `scratch` is a folder for what has to be unpacked. */
export type WorkerTask =
  | { readonly kind: 'inspect'; readonly dropped: readonly DroppedPath[]; readonly scratch: string }
  | { readonly kind: 'read' | 'columns'; readonly order: ReadOrder; readonly scratch: string }
  /** Read the file and deal it out in pieces to the readers at the other ends of the ports. */
  | { readonly kind: 'cut'; readonly order: ReadOrder; readonly ports: readonly MessagePort[] }
  /** Read the pieces that come through the port. */
  | { readonly kind: 'pieces'; readonly order: ReadOrder; readonly scratch: string; readonly port: MessagePort };
export type WorkerMessage =
  | ({ readonly kind: 'progress' } & InspectProgress)
  | { readonly kind: 'found'; readonly sources: readonly FoundSource[] }
  | { readonly kind: 'batch'; readonly batch: RowBatch; readonly bytes_done: number }
  /** All batches of a piece have been sent. */
  | { readonly kind: 'piece' }
  | { readonly kind: 'columns'; readonly table: TableColumns }
  | { readonly kind: 'end'; readonly digest: string; readonly bytes: number }
  | { readonly kind: 'problem'; readonly problem: Problem };

/** Messages of the main thread: first a task, then `more` for every batch it is ready for; `spare` are buffers to
 * reuse, and how many rows of the batch's file were taken, if it had one. */
export type WorkerOrder =
  | WorkerTask
  | { readonly kind: 'more' }
  /** Stop: the results are no longer needed. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'spare'; readonly buffers: readonly ArrayBuffer[]; readonly taken: number | undefined };

/** A batch of a thread, which gets its buffers back. */
export function releasable(
  worker: Worker,
  { batch, bytes_done }: { readonly batch: RowBatch; readonly bytes_done: number },
) {
  const release = (taken: number) => {
    const buffers = buffersOf(batch);
    const consumed = batch.file ? taken : undefined;
    worker.postMessage({ kind: 'spare', buffers, taken: consumed } satisfies WorkerOrder, buffers);
  };
  return { batch, bytes_done, release };
}

/** A thread at work on one task. */
export interface Thread {
  readonly worker: Worker;
  readonly inbox: Inbox;
  /** To be called in any case; a thread that has finished its task waits for the next one, any other is ended. */
  close(): Promise<void>;
  /** Instead of `close`: gives back the thread's memory. */
  end(): Promise<void>;
}

/** As many as share one file: one that cuts, and its readers. */
const MOST_IDLE = 5;

/**
 * What a thread may hold before it collects garbage, MB. Buffers that come and go with batches count as its memory, though
 * hardly any is garbage: by itself V8 collected 27 times while 1.5 M spans were read, and 33 to 44 in all threads, for a
 * twelfth of an import's processor time; so 2 to 10 times. 64, 128 and 256 do not differ.
 */
const THREAD_HEAP_MB = 64;

/** Below this, more threads cost more to start than they save. */
export const SHARED_BYTES: number = 16 * 1024 * 1024;
/**
 * Threads that decode one file; one more reads and hashes it, and DuckDB has its own. 1.5 M spans as JSON lines took
 * 12.3 s with 1, 8.7 with 2, 8.6 with 3, 8.2 with 4 (4 cores); each costs some 80 MB. On two cores the second one works
 * where the database waits: 4 M JSON log lines took 24.2 s with 1, 19.0 with 2.
 */
export const READERS: number =
  availableParallelism() === 1 ? 1 : Math.max(2, Math.min(4, Math.floor(availableParallelism() / 2)));

/** How many threads there will be something to do for: several share a large file. */
export async function threadsFor(paths: readonly string[]): Promise<number> {
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path).catch(() => undefined))?.size ?? 0));
  return sizes.some((bytes) => bytes >= SHARED_BYTES) ? 1 + READERS : 1;
}

const ports = (task: WorkerTask): MessagePort[] =>
  task.kind === 'cut' ? [...task.ports] : task.kind === 'pieces' ? [task.port] : [];

interface Started {
  readonly worker: Worker;
  readonly native: NativeWork;
}

function startThread(file: URL): Started {
  const native = new NativeWork();
  setFlagsFromString(`--initial-old-space-size=${THREAD_HEAP_MB}`);
  const worker = new Worker(file, { workerData: { native: native.memory } satisfies WorkerData });
  return { worker, native };
}

/** An idle thread must not keep the process alive. */
function resting(worker: Worker): Worker {
  worker.unref();
  return worker;
}

const early: Started[] = [];

/**
 * Starts threads while the program that will use them is still being loaded: what they wait for takes as long as they do.
 * The command line's, of which there is one.
 */
export async function startEarly(file: URL, paths: readonly string[]): Promise<void> {
  for (let count = await threadsFor(paths); count > 0; count--) {
    const started = startThread(file);
    resting(started.worker);
    early.push(started);
  }
}

/** Threads are started as needed, and those that are through are kept: starting one costs a tenth of a second. */
export class Threads {
  private readonly file: URL;
  /** First who worked last, for what it has compiled and the buffers it has; then who is furthest with its start. */
  private readonly idle: Worker[] = [];
  private readonly running = new WeakMap<Worker, { readonly native: NativeWork; readonly exited: Promise<unknown> }>();

  constructor(file: URL) {
    this.file = file;
  }

  /** Starts threads that wait for a task while it is still found out what there is to do. */
  prepare(count: number): void {
    while (this.idle.length < Math.min(count, MOST_IDLE)) this.idle.push(resting(this.fresh()));
  }

  start(task: WorkerTask, signal: AbortSignal): Thread {
    const worker = this.idle.shift() ?? this.fresh();
    worker.ref();
    const inbox = new Inbox();
    const stop = () => {
      void this.end(worker);
      inbox.fail(signal.reason);
    };
    const message = (consumed: WorkerMessage) => inbox.put(consumed);
    const failure = (error: unknown) => inbox.fail(error);
    const exit = () => inbox.fail(new Error('bug: the import thread ended without a word'));
    worker.on('message', message).on('error', failure).on('exit', exit);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    else worker.postMessage(task satisfies WorkerOrder, ports(task));
    const leave = (): void => {
      signal.removeEventListener('abort', stop);
      worker.off('message', message).off('error', failure).off('exit', exit);
    };
    const close = async (): Promise<void> => {
      leave();
      if (!inbox.isThrough || this.idle.length >= MOST_IDLE) return this.end(worker);
      this.idle.unshift(resting(worker));
    };
    const end = (): Promise<void> => {
      leave();
      return this.end(worker);
    };
    return { worker, inbox, close, end };
  }

  /** A thread that is deep in a parser receives no message and is terminated; one for which a library works ends by itself. */
  private async end(worker: Worker): Promise<void> {
    const running = this.running.get(worker);
    worker.postMessage({ kind: 'stop' } satisfies WorkerOrder);
    if (running?.native.forbid()) await running.exited;
    else await worker.terminate();
  }

  private fresh(): Worker {
    const { worker, native } = early.shift() ?? startThread(this.file);
    this.running.set(worker, { native, exited: new Promise((resolve) => worker.once('exit', resolve)) });
    worker.once('exit', () => {
      const place = this.idle.indexOf(worker);
      if (place >= 0) this.idle.splice(place, 1);
    });
    return worker;
  }
}

const finalMessages = new Set<WorkerMessage['kind']>(['found', 'columns', 'end', 'problem']);

/** Messages in order, for one reader that may come before or after them. */
export class Inbox {
  private readonly messages: WorkerMessage[] = [];
  private waiting: PromiseWithResolvers<WorkerMessage> | undefined;
  private failure: { readonly reason: unknown } | undefined;
  /** The task's last word has come. */
  isThrough = false;

  put(message: WorkerMessage): void {
    if (finalMessages.has(message.kind)) this.isThrough = true;
    if (this.waiting) {
      this.waiting.resolve(message);
      this.waiting = undefined;
    } else this.messages.push(message);
  }

  fail(reason: unknown): void {
    this.isThrough = false;
    this.failure ??= { reason };
    this.waiting?.reject(reason);
    this.waiting = undefined;
  }

  take(): Promise<WorkerMessage> {
    const next = this.messages.shift();
    if (next) return Promise.resolve(next);
    if (this.failure) return Promise.reject(this.failure.reason);
    this.waiting = Promise.withResolvers();
    return this.waiting.promise;
  }
}
