import { Bucket } from './bucket.ts';

/** Burst: deliveries when a whole rack fails at once. Rate: what a controller may send continuously. */
const [BURST_REQUESTS, REQUESTS_PER_S] = [500, 50];
/** Parsing four megabytes takes tens of milliseconds. */
const [BURST_BYTES, BYTES_PER_S] = [16 * 1024 * 1024, 2 * 1024 * 1024];
/** Total size of bodies in transit. */
const MOST_PENDING_BYTES = 16 * 1024 * 1024;
/** Wrong paths: a few are answered, so that a person notices a typing error. */
const [BURST_STRANGERS, STRANGERS_PER_S] = [50, 5];

/** Limits of a push listener: deliveries must not starve other feeds or fill the memory. */
export class PushGate {
  private readonly requests = new Bucket(BURST_REQUESTS, REQUESTS_PER_S);
  private readonly bytes = new Bucket(BURST_BYTES, BYTES_PER_S);
  private readonly strangers = new Bucket(BURST_STRANGERS, STRANGERS_PER_S);
  private pendingBytes = 0;

  unknownSender(): boolean {
    return this.strangers.some(1) === 1;
  }

  delivery(): boolean {
    return this.requests.some(1) === 1;
  }

  /** Reserves a chunk of a body; {@link release} frees it. */
  piece(bytes: number): boolean {
    if (this.pendingBytes + bytes > MOST_PENDING_BYTES || this.bytes.some(bytes) < bytes) return false;
    this.pendingBytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.pendingBytes -= bytes;
  }
}
