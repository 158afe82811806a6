import { Worker } from 'node:worker_threads';
import { threadFile } from '../thread-file.ts';
import type { PackedRequest, ReadRound } from './messages.ts';

/** What a reading thread tells. */
interface Listener {
  read(round: ReadRound): void;
  /** It ended in the midst of its work: what it had not answered is lost, and the next request begins another. */
  broken(error: unknown): void;
}

/** The thread that unpacks and reads requests. A request that is too much for it ends it, and nothing else. */
export class ReadingThread {
  private readonly name: string;
  private readonly listener: Listener;
  private worker: Worker | undefined;

  /** @param name of the source, for rejects */
  constructor(name: string, listener: Listener) {
    this.name = name;
    this.listener = listener;
    this.worker = this.start();
  }

  read(request: PackedRequest): void {
    this.worker ??= this.start();
    this.worker.postMessage(request, [request.bytes.buffer]);
  }

  async close(): Promise<void> {
    const { worker } = this;
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
