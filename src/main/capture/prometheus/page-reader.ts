import { Worker } from 'node:worker_threads';
import { fail } from '../../../model/problem.ts';
import { threadFile } from '../thread-file.ts';
import type { Page, ReadPage } from './messages.ts';

/** Time limit for reading a page, so that pages of other targets get their turn; of a larger limit of samples, more. */
const LONGEST_MS = 20_000;
const SAMPLES_IN_THAT = 50_000;
/** Memory of the thread: enough for a page of 64 MiB as text and rows. */
const limits = { maxOldGenerationSizeMb: 512 };

/**
 * Reads pages in one thread for all targets; it starts with the first target and ends with the last. Each target has
 * one page at a time in the queue. An oversized page ends only the thread.
 */
export class PageReader {
  private worker: Worker | undefined;
  private users = 0;
  private lastRead: Promise<unknown> = Promise.resolve();

  /** Each call needs a call of {@link end}. */
  begin(): void {
    this.users++;
  }

  async end(): Promise<void> {
    this.users--;
    if (this.users === 0) await this.stop();
  }

  /**
   * @param mostSamples what the plan allows for this target: who raises it accepts that others wait longer
   * @throws ProblemError feed.page_too_large and those of the decoder; the signal's reason if it aborts
   */
  async read(
    page: Page,
    mostSamples: number,
    signal: AbortSignal,
  ): Promise<Extract<ReadPage, { kind: 'read' }>['batches']> {
    const mine = this.lastRead.then(() => this.readNow(page, longestFor(mostSamples), signal));
    this.lastRead = mine.catch(() => undefined);
    const read = await mine;
    if (read.kind === 'read') return read.batches;
    return fail(read.problem.code, read.problem.message);
  }

  private async readNow(page: Page, longest_ms: number, signal: AbortSignal): Promise<ReadPage> {
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
    const patience = setTimeout(() => answered.reject(new Error('it took too long')), longest_ms);
    try {
      worker.postMessage(page, [page.bytes.buffer]);
      return await answered.promise;
    } catch (error) {
      await this.stop();
      const why = error instanceof Error ? error.message : String(error);
      return fail('feed.page_too_large', `its answer is too large to read: ${why}`);
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

const longestFor = (samples: number): number => LONGEST_MS * Math.max(1, samples / SAMPLES_IN_THAT);
