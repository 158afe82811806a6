import type { FeedSink } from '../../../model/storage/feed.ts';
import type { Encoding, ReadRound, Receipt } from './messages.ts';
import { ReadingThread } from './reading-thread.ts';

/** Total size of requests that are received or wait to be read, as sent; a single request may always have this size. */
const MOST_PENDING_BYTES = 64 * 1024 * 1024;
const MOST_PENDING = 256;

/** A whole request, as sent. */
export interface Sent {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly encoding: Encoding;
  readonly packing: string;
}

const full: Receipt = { kind: 'full' };

/**
 * Accepts requests of all transports. Admission is decided before any decompression or decoding, which another thread
 * does; a refused request costs only its bytes.
 */
export class Receiver {
  private readonly sink: FeedSink;
  private readonly thread: ReadingThread;
  private readonly waiting = new Map<number, PromiseWithResolvers<Receipt>>();
  private next = 0;
  private pendingRequests = 0;
  private pendingBytes = 0;
  private isClosing = false;

  constructor(name: string, sink: FeedSink) {
    this.sink = sink;
    this.thread = new ReadingThread(name, {
      read: (round) => this.accept(round),
      broken: (error) => this.again(error),
    });
  }

  get hasRoom(): boolean {
    return !this.isClosing && this.pendingRequests < MOST_PENDING && this.sink.hasRoom?.() !== false;
  }

  /** Reserves room for an incoming request; null: there is none, the sender must wait. */
  admit(): Admission | null {
    if (!this.hasRoom) return null;
    this.pendingRequests++;
    let own = 0;
    let isOpen = true;
    return {
      grow: (bytes) => {
        if (this.pendingBytes > own && this.pendingBytes + bytes > MOST_PENDING_BYTES) return false;
        own += bytes;
        this.pendingBytes += bytes;
        return true;
      },
      release: () => {
        if (!isOpen) return;
        isOpen = false;
        this.pendingRequests--;
        this.pendingBytes -= own;
      },
    };
  }

  /** Resolves when its rows are stored or refused. */
  async receive(request: Sent): Promise<Receipt> {
    if (this.isClosing) return full;
    const id = this.next++;
    const receipt = Promise.withResolvers<Receipt>();
    this.waiting.set(id, receipt);
    this.thread.read({ id, ...request });
    return receipt.promise;
  }

  /** Stops admission; resolves when all admitted requests have receipts. */
  async close(): Promise<void> {
    this.isClosing = true;
    await Promise.all([...this.waiting.values()].map(({ promise }) => promise));
    await this.thread.close();
  }

  /** A round is stored completely or not at all: a refused sender sends all of it again. */
  private accept({ batches, receipts, held }: ReadRound): void {
    const isAccepted = batches.length === 0 || (this.sink.canWrite?.() !== false && this.sink.take(batches));
    if (!isAccepted && held > 0) this.sink.lost(held, 'histograms whose parts came in several requests');
    for (const { id, receipt } of receipts) this.settle(id, isAccepted || receipt.kind === 'refused' ? receipt : full);
  }

  private again(error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    this.sink.reportState('up', `the thread that reads requests was restarted: ${why}`);
    for (const id of [...this.waiting.keys()]) this.settle(id, full);
  }

  private settle(id: number, receipt: Receipt): void {
    this.waiting.get(id)?.resolve(receipt);
    this.waiting.delete(id);
  }
}

/** Room for one request. */
export interface Admission {
  /** Adds received bytes; false: there is no room. */
  grow(bytes: number): boolean;
  /** Call it when the request was answered. */
  release(): void;
}
