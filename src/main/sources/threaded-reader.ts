import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Problem, ProblemError } from '../../model/problem.ts';
import type { RowBatch } from '../../model/rows.ts';
import type {
  DroppedPath,
  FoundSource,
  InspectProgress,
  OpenedSource,
  ReadOrder,
  SourceReader,
  TableColumns,
} from '../../model/source.ts';
import { sources } from './index.ts';

/** `scratch` is a folder for what has to be unpacked. */
export type WorkerTask =
  | { readonly kind: 'inspect'; readonly dropped: readonly DroppedPath[]; readonly scratch: string }
  | { readonly kind: 'read' | 'columns'; readonly order: ReadOrder; readonly scratch: string };
export type WorkerMessage =
  | ({ readonly kind: 'progress' } & InspectProgress)
  | { readonly kind: 'found'; readonly sources: readonly FoundSource[] }
  | { readonly kind: 'batch'; readonly batch: RowBatch; readonly bytes_done: number }
  | { readonly kind: 'columns'; readonly table: TableColumns }
  | { readonly kind: 'end'; readonly sha256: string; readonly bytes: number }
  | { readonly kind: 'problem'; readonly problem: Problem };

/** What the main thread says: first a task, then `more` for every batch it is ready for. */
export type WorkerOrder = WorkerTask | { readonly kind: 'more' };

/** Batches on their way between the threads: enough to keep both busy, few enough to bound memory. */
const IN_FLIGHT = 3;

/** Looks into and reads files in worker threads. `workerFile` is the built (or source) `import-worker`. */
export function threadedReader(workerFile: URL): SourceReader {
  const threads = new Threads(workerFile);
  /** One task with one answer. */
  const ask = async <K extends WorkerMessage['kind']>(
    task: (scratch: string) => WorkerTask,
    kind: K,
    signal: AbortSignal,
    onProgress: (progress: InspectProgress) => void = () => undefined,
  ): Promise<{ readonly answer: Extract<WorkerMessage, { kind: K }>; readonly scratch: ScratchFolder }> => {
    const scratch = await newScratch();
    const thread = threads.start(task(scratch.folder), signal);
    try {
      return { answer: await answerOf(thread, kind, onProgress), scratch };
    } catch (error) {
      await scratch.remove();
      throw error;
    }
  };
  return {
    formats: sources.map(({ id, title, leaves_open = [], columns }) => ({
      id,
      title,
      leaves_open,
      has_columns: columns !== undefined,
    })),
    inspect: async (dropped, onProgress, signal) => {
      const { answer, scratch } = await ask(
        (folder) => ({ kind: 'inspect', dropped, scratch: folder }),
        'found',
        signal,
        onProgress,
      );
      return { sources: answer.sources, close: scratch.remove };
    },
    columns: async (order, signal) => {
      const { answer, scratch } = await ask(
        (folder) => ({ kind: 'columns', order, scratch: folder }),
        'columns',
        signal,
      );
      await scratch.remove();
      return answer.table;
    },
    open: async (order, signal) => {
      const scratch = await newScratch();
      return open(threads.start({ kind: 'read', order, scratch: scratch.folder }, signal), scratch);
    },
  };
}

/** Waits for the one answer, and closes the thread: only then does nobody write into its folder any more. */
async function answerOf<K extends WorkerMessage['kind']>(
  thread: Thread,
  kind: K,
  onProgress: (progress: InspectProgress) => void,
): Promise<Extract<WorkerMessage, { kind: K }>> {
  try {
    for (;;) {
      const message = await thread.inbox.take();
      if (message.kind === 'progress') onProgress(message);
      else if (message.kind === 'problem') throw new ProblemError(message.problem);
      else if (message.kind === kind) return message as Extract<WorkerMessage, { kind: K }>;
      else throw new Error(`bug: a thread asked for ${kind} said ${message.kind}`);
    }
  } finally {
    await thread.close();
  }
}

interface ScratchFolder {
  readonly folder: string;
  remove(): Promise<void>;
}

const SCRATCH = 'faultline-import-';
/** Longer than any import runs. */
const ABANDONED_MS = 24 * 3600 * 1000;
let _swept: Promise<void> | undefined;

/** What a killed process unpacked is evidence that lies about: the next one removes it when it is a day old. */
async function sweep(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(SCRATCH)) continue;
    const folder = join(tmpdir(), name);
    const { mtimeMs } = await stat(folder);
    if (Date.now() - mtimeMs > ABANDONED_MS) await rm(folder, { recursive: true, force: true });
  }
}

async function newScratch(): Promise<ScratchFolder> {
  // Another user's folder, or one that goes meanwhile, is nobody's trouble here.
  _swept ??= sweep().catch(() => undefined);
  const folder = await mkdtemp(join(tmpdir(), SCRATCH));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** A thread at work on one task. */
interface Thread {
  readonly worker: Worker;
  readonly inbox: Inbox;
  /** To be called in any case; a thread that has finished its task waits for the next one, any other is ended. */
  close(): Promise<void>;
}

/** Threads are started as needed, and one that is through is kept: starting one costs a tenth of a second. */
class Threads {
  private readonly file: URL;
  private idle: Worker | undefined;

  constructor(file: URL) {
    this.file = file;
  }

  start(task: WorkerTask, signal: AbortSignal): Thread {
    const worker = this.idle ?? this.fresh();
    this.idle = undefined;
    worker.ref();
    const inbox = new Inbox();
    const stop = () => {
      void worker.terminate();
      inbox.fail(signal.reason);
    };
    const message = (said: WorkerMessage) => inbox.put(said);
    const failure = (error: unknown) => inbox.fail(error);
    const exit = () => inbox.fail(new Error('bug: the import thread ended without a word'));
    worker.on('message', message).on('error', failure).on('exit', exit);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    else worker.postMessage(task satisfies WorkerOrder);
    const close = async (): Promise<void> => {
      signal.removeEventListener('abort', stop);
      worker.off('message', message).off('error', failure).off('exit', exit);
      if (!inbox.isThrough || this.idle) return void (await worker.terminate());
      // An idle thread must not keep the process alive.
      worker.unref();
      this.idle = worker;
    };
    return { worker, inbox, close };
  }

  private fresh(): Worker {
    const worker = new Worker(this.file);
    worker.once('exit', () => {
      if (this.idle === worker) this.idle = undefined;
    });
    return worker;
  }
}

function open({ worker, inbox, close: endThread }: Thread, scratch: ScratchFolder): OpenedSource {
  for (let i = 0; i < IN_FLIGHT; i++) worker.postMessage({ kind: 'more' });
  const ended = Promise.withResolvers<{ sha256: string; bytes: number }>();
  ended.promise.catch(() => undefined);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= (async () => {
      ended.reject(new Error('the import was abandoned'));
      await endThread();
      await scratch.remove();
    })();
    return closed;
  };
  async function* batches() {
    try {
      for (;;) {
        const message = await inbox.take();
        if (message.kind === 'problem') throw new ProblemError(message.problem);
        if (message.kind === 'end') return ended.resolve(message);
        if (message.kind !== 'batch') throw new Error(`bug: the reading thread said ${message.kind}`);
        yield message;
        worker.postMessage({ kind: 'more' });
      }
    } finally {
      await close();
    }
  }
  return { batches: batches(), end: ended.promise, close };
}

const lastWords = new Set<WorkerMessage['kind']>(['found', 'columns', 'end', 'problem']);

/** Messages in order, for one reader that may come before or after them. */
class Inbox {
  private readonly messages: WorkerMessage[] = [];
  private waiting: PromiseWithResolvers<WorkerMessage> | undefined;
  private failure: { readonly reason: unknown } | undefined;
  /** The task's last word has come. */
  isThrough = false;

  put(message: WorkerMessage): void {
    if (lastWords.has(message.kind)) this.isThrough = true;
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
