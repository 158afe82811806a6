import { MessageChannel } from 'node:worker_threads';
import { ProblemError } from '../../model/problem.ts';
import type { OpenedSource, ReadOrder } from '../../model/storage/source.ts';
import type { ScratchFolder } from '../disk/scratch-folder.ts';
import { sources } from './index.ts';
import { READERS, releasable, SHARED_BYTES, type Thread, type Threads, type WorkerMessage } from './threads.ts';

/** Batches that one reader may be ahead: it is the turn of each only after all the others'. */
const AHEAD = 3;

/** Whether several threads read this source. */
export function isShared({ format, files: [file, ...others] }: ReadOrder): boolean {
  if (!file || others.length > 0 || file.bytes < SHARED_BYTES) return false;
  return sources.find(({ id }) => id === format)?.borders !== undefined;
}

/**
 * One thread cuts the file, several decode the pieces; their batches come in the order of the file, so that an import
 * has the same result however the threads are scheduled.
 */
export function openShared(
  threads: Threads,
  order: ReadOrder,
  scratch: ScratchFolder,
  signal: AbortSignal,
): OpenedSource {
  const channels = Array.from({ length: READERS }, () => new MessageChannel());
  const cutter = threads.start({ kind: 'cut', order, ports: channels.map(({ port1 }) => port1) }, signal);
  const readers = channels.map(({ port2 }) =>
    threads.start({ kind: 'pieces', order, scratch: scratch.folder, port: port2 }, signal),
  );
  for (const { worker } of readers) for (let i = 0; i < AHEAD; i++) worker.postMessage({ kind: 'more' });
  // If one thread fails, the others would never finish.
  const whole = next(cutter, 'end');
  const failed = new Promise<never>((_, reject) => whole.catch(reject));
  failed.catch(() => undefined);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= (async () => {
      // Their buffers are a fifth of an import's memory, and a commit needs it.
      await Promise.all([cutter, ...readers].map((thread) => thread.end()));
      await scratch.remove();
    })();
    return closed;
  };
  async function* batches() {
    try {
      for (let piece = 0; ; piece++) {
        const reader = readers[piece % readers.length]!;
        for (;;) {
          const message = await Promise.race([next(reader, 'batch', 'piece', 'end'), failed]);
          if (message.kind === 'end') return void (await whole);
          if (message.kind === 'piece') break;
          yield releasable(reader.worker, message);
          reader.worker.postMessage({ kind: 'more' });
        }
      }
    } finally {
      await close();
    }
  }
  return { batches: batches(), end: whole, close };
}

/** The next word of a thread, which has to be one of these. */
async function next<K extends WorkerMessage['kind']>(
  { inbox }: Thread,
  ...kinds: readonly K[]
): Promise<Extract<WorkerMessage, { kind: K }>> {
  const message = await inbox.take();
  if (message.kind === 'problem') throw new ProblemError(message.problem);
  if (!kinds.includes(message.kind as K))
    throw new Error(`bug: a thread should send ${kinds.join()} but sent ${message.kind}`);
  return message as Extract<WorkerMessage, { kind: K }>;
}
