import { Worker } from 'node:worker_threads';
import { type Problem, ProblemError } from '../../model/problem.ts';
import type { RowBatch } from '../../model/rows.ts';
import type { OpenedSource, SourceReader } from '../../model/source.ts';
import { sources } from './index.ts';

export interface WorkerTask {
  readonly path: string;
  readonly as: string | null;
}
export type WorkerMessage =
  | { readonly kind: 'opened'; readonly format: string }
  | { readonly kind: 'batch'; readonly batch: RowBatch; readonly bytes_done: number }
  | { readonly kind: 'end'; readonly sha256: string; readonly bytes: number }
  | { readonly kind: 'problem'; readonly problem: Problem };

/** Batches on their way between the threads: enough to keep both busy, few enough to bound memory. */
const IN_FLIGHT = 3;

/** Reads files in worker threads. `workerFile` is the built (or source) `import-worker`. */
export function threadedReader(workerFile: URL): SourceReader {
  return {
    formats: sources.map(({ id, title }) => ({ id, title })),
    open: (path, as, signal) => open(new Worker(workerFile, { workerData: { path, as } satisfies WorkerTask }), signal),
  };
}

async function open(worker: Worker, signal: AbortSignal): Promise<OpenedSource> {
  const inbox = new Inbox();
  const stop = () => {
    void worker.terminate();
    inbox.fail(signal.reason);
  };
  signal.addEventListener('abort', stop, { once: true });
  worker.on('message', (message: WorkerMessage) => inbox.put(message));
  worker.on('error', (error) => inbox.fail(error));
  worker.on('exit', () => {
    signal.removeEventListener('abort', stop);
    inbox.fail(new Error('bug: the import thread ended without a word'));
  });
  const opened = await inbox.take();
  if (opened.kind === 'problem') throw new ProblemError(opened.problem);
  if (opened.kind !== 'opened') throw new Error(`bug: import thread said ${opened.kind} first`);
  for (let i = 0; i < IN_FLIGHT; i++) worker.postMessage({ kind: 'more' });
  const ended = Promise.withResolvers<{ sha256: string; bytes: number }>();
  ended.promise.catch(() => undefined);
  const close = async (): Promise<void> => {
    ended.reject(new Error('the import was abandoned'));
    await worker.terminate();
  };
  async function* batches() {
    try {
      for (;;) {
        const message = await inbox.take();
        if (message.kind === 'problem') throw new ProblemError(message.problem);
        if (message.kind === 'end') return ended.resolve(message);
        if (message.kind !== 'batch') throw new Error(`bug: import thread said ${message.kind} twice`);
        yield message;
        worker.postMessage({ kind: 'more' });
      }
    } finally {
      await close();
    }
  }
  return { format: opened.format, batches: batches(), end: ended.promise, close };
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
