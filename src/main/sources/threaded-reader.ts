import { ProblemError } from '../../model/problem.ts';
import type { InspectProgress, OpenedSource, SourceReader } from '../../model/storage/source.ts';
import { newScratch, type ScratchFolder } from '../disk/scratch-folder.ts';
import { readDetails } from './event-details/read-details.ts';
import { sources } from './index.ts';
import { eventMarks } from './otlp/record-events.ts';
import { isShared, openShared } from './shared-reading.ts';
import { releasable, type Thread, Threads, threadsFor, type WorkerMessage, type WorkerTask } from './threads.ts';
import { readPlaces } from './workload/append-places.ts';

/** Batches on their way between the threads: enough to keep both busy, few enough to bound memory. */
const IN_FLIGHT = 3;

/** Looks into and reads files in worker threads. `workerFile` is the built (or source) `import-worker`. */
export function threadedReader(workerFile: URL): SourceReader {
  const threads = new Threads(workerFile);
  /** One task with one answer. */
  const callWorker = async <K extends WorkerMessage['kind']>(
    task: (scratch: string) => WorkerTask,
    kind: K,
    signal: AbortSignal,
    onProgress: (progress: InspectProgress) => void = () => undefined,
  ): Promise<{ readonly answer: Extract<WorkerMessage, { kind: K }>; readonly scratch: ScratchFolder }> => {
    const scratch = await newScratch('import');
    const thread = threads.start(task(scratch.folder), signal);
    try {
      return { answer: await answerOf(thread, kind, onProgress), scratch };
    } catch (error) {
      await scratch.remove();
      throw error;
    }
  };
  return {
    details: readDetails,
    eventMarks,
    places: readPlaces,
    formats: sources.map(({ id, title, leaves_open = [], columns }) => ({
      id,
      title,
      leaves_open,
      has_columns: columns !== undefined,
    })),
    inspect: async (dropped, onProgress, signal) => {
      // So that all of them are there when the first has found out what it is.
      threads.prepare(await threadsFor(dropped.map(({ path }) => path)));
      const { answer, scratch } = await callWorker(
        (folder) => ({ kind: 'inspect', dropped, scratch: folder }),
        'found',
        signal,
        onProgress,
      );
      return { sources: answer.sources, close: scratch.remove };
    },
    columns: async (order, signal) => {
      const { answer, scratch } = await callWorker(
        (folder) => ({ kind: 'columns', order, scratch: folder }),
        'columns',
        signal,
      );
      await scratch.remove();
      return answer.table;
    },
    open: async (order, signal) => {
      const scratch = await newScratch('import');
      if (isShared(order)) return openShared(threads, order, scratch, signal);
      return open(threads.start({ kind: 'read', order, scratch: scratch.folder }, signal), scratch);
    },
  };
}

/** Waits for the single answer, and closes the thread: only then is its folder free of writes. */
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
      else throw new Error(`bug: a thread should send ${kind} but sent ${message.kind}`);
    }
  } finally {
    await thread.close();
  }
}

function open({ worker, inbox, close: endThread }: Thread, scratch: ScratchFolder): OpenedSource {
  for (let i = 0; i < IN_FLIGHT; i++) worker.postMessage({ kind: 'more' });
  const ended = Promise.withResolvers<{ digest: string; bytes: number }>();
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
        if (message.kind !== 'batch') throw new Error(`bug: the reading thread sent ${message.kind}`);
        yield releasable(worker, message);
        worker.postMessage({ kind: 'more' });
      }
    } finally {
      await close();
    }
  }
  return { batches: batches(), end: ended.promise, close };
}
