import { Bucket } from './bucket.ts';

/** Deliveries of a rack that fails at once, and what a controller may deliver for ever. */
const [BURST_REQUESTS, REQUESTS_PER_S] = [500, 50];
/** To parse four megabytes takes tens of milliseconds. */
const [BURST_BYTES, BYTES_PER_S] = [16 * 1024 * 1024, 2 * 1024 * 1024];
/** Of all bodies that are on their way. */
const MOST_PENDING_BYTES = 16 * 1024 * 1024;
/** Of those who do not know the address: they are answered now and then, so that a person finds a typing error. */
const [BURST_STRANGERS, STRANGERS_PER_S] = [50, 5];

/** How much a push listener takes, so that what is sent to it costs neither other feeds their turns nor this process its memory. */
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

  /** A piece of a body comes; what was taken is given back by {@link release}. */
  piece(bytes: number): boolean {
    if (this.pendingBytes + bytes > MOST_PENDING_BYTES || this.bytes.some(bytes) < bytes) return false;
    this.pendingBytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.pendingBytes -= bytes;
  }
}
