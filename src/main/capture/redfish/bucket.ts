import { steadyNow } from '../steady-clock.ts';

/** Token bucket: a burst of so many, then so many per second. */
export class Bucket {
  private readonly capacity: number;
  private readonly per_ms: number;
  private tokens: number;
  private at = steadyNow();

  constructor(capacity: number, per_s: number) {
    this.capacity = capacity;
    this.per_ms = per_s / 1000;
    this.tokens = capacity;
  }

  /** Takes what is available. @returns how many of the wanted */
  some(wanted: number): number {
    this.fill();
    const granted = Math.max(0, Math.min(wanted, Math.floor(this.tokens)));
    this.tokens -= granted;
    return granted;
  }

  /** Takes all, also from later seconds. @returns milliseconds until they are available */
  all(wanted: number): number {
    this.fill();
    this.tokens -= wanted;
    return this.tokens >= 0 ? 0 : -this.tokens / this.per_ms;
  }

  private fill(): void {
    const now = steadyNow();
    this.tokens = Math.min(this.capacity, this.tokens + (now - this.at) * this.per_ms);
    this.at = now;
  }
}
