import { Worker } from 'node:worker_threads';
import { threadFile } from '../thread-file.ts';
import { END, type PackedRequest, type ReadRound } from './messages.ts';

/** Receives the results of a reading thread. */
interface Listener {
  read(round: ReadRound): void;
  /** The thread failed: unanswered requests are lost, and the next request starts a new thread. */
  broken(error: unknown): void;
}

/** The thread that decompresses and reads requests. An oversized request ends only this thread. */
export class ReadingThread {
  private readonly name: string;
  private readonly listener: Listener;
  private worker: Worker | undefined;

  /** @param name name of the data source, for rejects */
  constructor(name: string, listener: Listener) {
    this.name = name;
    this.listener = listener;
    this.worker = this.start();
  }

  read(request: PackedRequest): void {
    this.worker ??= this.start();
    this.worker.postMessage(request, [request.bytes.buffer]);
  }

  /** Ends when what the thread still held was handed over. */
  async close(): Promise<void> {
    const { worker } = this;
    if (worker) {
      const ended = Promise.withResolvers<void>();
      worker.on('message', ({ isLast }: ReadRound) => isLast && ended.resolve());
      worker.once('exit', ended.resolve);
      worker.postMessage(END);
      await ended.promise;
    }
    this.worker = undefined;
    worker?.removeAllListeners();
    await worker?.terminate();
  }

  private start(): Worker {
    const worker = new Worker(threadFile(import.meta.url, './thread.ts', 'otlp-thread.js'), {
      workerData: { name: this.name },
    });
    worker.on('message', (round: ReadRound) => this.listener.read(round));
    worker.once('error', (error) => {
      worker.removeAllListeners();
      this.worker = undefined;
      this.listener.broken(error);
    });
    return worker;
  }
}
