import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Problem, ProblemError } from '../../model/problem.ts';
import type { RowBatch } from '../../model/rows.ts';
import type {
  DroppedPath,
  FoundSource,
  Inspection,
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

/** Batches on their way between the threads: enough to keep both busy, few enough to bound memory. */
const IN_FLIGHT = 3;

/** Looks into and reads files in worker threads. `workerFile` is the built (or source) `import-worker`. */
export function threadedReader(workerFile: URL): SourceReader {
  const start = (task: WorkerTask) => new Worker(workerFile, { workerData: task });
  return {
    formats: sources.map(({ id, title, leaves_open = [], columns }) => ({
      id,
      title,
      leaves_open,
      has_columns: columns !== undefined,
    })),
    inspect: async (dropped, onProgress, signal) => {
      const scratch = await newScratch();
      try {
        return await inspect(start({ kind: 'inspect', dropped, scratch: scratch.folder }), scratch, onProgress, signal);
      } catch (error) {
        await scratch.remove();
        throw error;
      }
    },
    columns: async (order, signal) => {
      const scratch = await newScratch();
      try {
        const message = await listen(start({ kind: 'columns', order, scratch: scratch.folder }), signal).take();
        if (message.kind === 'columns') return message.table;
        if (message.kind === 'problem') throw new ProblemError(message.problem);
        throw new Error(`bug: the looking thread said ${message.kind}`);
      } finally {
        await scratch.remove();
      }
    },
    open: async (order, signal) => {
      const scratch = await newScratch();
      return open(start({ kind: 'read', order, scratch: scratch.folder }), scratch, signal);
    },
  };
}

interface ScratchFolder {
  readonly folder: string;
  remove(): Promise<void>;
}

async function newScratch(): Promise<ScratchFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'faultline-import-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Messages of a worker that ends when `signal` says so. */
function listen(worker: Worker, signal: AbortSignal): Inbox {
  const inbox = new Inbox();
  const stop = () => {
    void worker.terminate();
    inbox.fail(signal.reason);
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  worker.on('message', (message: WorkerMessage) => inbox.put(message));
  worker.on('error', (error) => inbox.fail(error));
  worker.on('exit', () => {
    signal.removeEventListener('abort', stop);
    inbox.fail(new Error('bug: the import thread ended without a word'));
  });
  return inbox;
}

async function inspect(
  worker: Worker,
  scratch: ScratchFolder,
  onProgress: (progress: InspectProgress) => void,
  signal: AbortSignal,
): Promise<Inspection> {
  const inbox = listen(worker, signal);
  for (;;) {
    const message = await inbox.take();
    if (message.kind === 'found') return { sources: message.sources, close: scratch.remove };
    if (message.kind === 'problem') throw new ProblemError(message.problem);
    if (message.kind !== 'progress') throw new Error(`bug: the inspecting thread said ${message.kind}`);
    onProgress(message);
  }
}

function open(worker: Worker, scratch: ScratchFolder, signal: AbortSignal): OpenedSource {
  const inbox = listen(worker, signal);
  for (let i = 0; i < IN_FLIGHT; i++) worker.postMessage({ kind: 'more' });
  const ended = Promise.withResolvers<{ sha256: string; bytes: number }>();
  ended.promise.catch(() => undefined);
  const close = async (): Promise<void> => {
    ended.reject(new Error('the import was abandoned'));
    await worker.terminate();
    await scratch.remove();
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

/** Messages in order, for one reader that may come before or after them. */
class Inbox {
  private readonly messages: WorkerMessage[] = [];
  private waiting: PromiseWithResolvers<WorkerMessage> | undefined;
  private failure: { readonly reason: unknown } | undefined;

  put(message: WorkerMessage): void {
    if (this.waiting) {
      this.waiting.resolve(message);
      this.waiting = undefined;
    } else this.messages.push(message);
  }

  fail(reason: unknown): void {
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
