import { Worker } from 'node:worker_threads';
import { fail } from '../../../model/problem.ts';
import { threadFile } from '../thread-file.ts';
import type { Page, ReadPage } from './messages.ts';

/** A page that takes longer to read is given up, so that those of other targets get their turn. */
const LONGEST_MS = 20_000;
/** Of the thread's own memory: a page of 64 MiB as text and rows has room. */
const limits = { maxOldGenerationSizeMb: 512 };

/**
 * Reads pages in a thread that all targets share, begun by the first and ended after the last. They take turns: a target has one page at
 * a time in the line, and one that is too much for the thread ends it and nothing else.
 */
export class PageReader {
  private worker: Worker | undefined;
  private users = 0;
  private lastRead: Promise<unknown> = Promise.resolve();

  /** Whoever begins has to call {@link end}. */
  begin(): void {
    this.users++;
  }

  async end(): Promise<void> {
    this.users--;
    if (this.users === 0) await this.stop();
  }

  /** @throws ProblemError feed.page_too_large and those of the decoder; what the signal says when it aborts */
  async read(page: Page, signal: AbortSignal): Promise<Extract<ReadPage, { kind: 'read' }>['batches']> {
    const mine = this.lastRead.then(() => this.readNow(page, signal));
    this.lastRead = mine.catch(() => undefined);
    const read = await mine;
    if (read.kind === 'read') return read.batches;
    return fail(read.problem.code, read.problem.message);
  }

  private async readNow(page: Page, signal: AbortSignal): Promise<ReadPage> {
    signal.throwIfAborted();
    this.worker ??= new Worker(threadFile(import.meta.url, './thread.ts', 'prometheus-thread.js'), {
      resourceLimits: limits,
    });
    const { worker } = this;
    const answered = Promise.withResolvers<ReadPage>();
    worker.once('message', answered.resolve);
    worker.once('error', answered.reject);
    const stop = () => answered.reject(new Error('stopped'));
    signal.addEventListener('abort', stop);
    const patience = setTimeout(() => answered.reject(new Error('it took too long')), LONGEST_MS);
    try {
      worker.postMessage(page, [page.bytes.buffer]);
      return await answered.promise;
    } catch (error) {
      await this.stop();
      const why = error instanceof Error ? error.message : String(error);
      return fail('feed.page_too_large', `what it answers is too much to be read: ${why}`);
    } finally {
      clearTimeout(patience);
      signal.removeEventListener('abort', stop);
      worker.off('message', answered.resolve);
      worker.off('error', answered.reject);
    }
  }

  private async stop(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    worker?.removeAllListeners();
    await worker?.terminate();
  }
}
