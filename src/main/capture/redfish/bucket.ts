import { steadyNow } from '../steady-clock.ts';

/** So many at once, and so many in a second from then on. */
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

  /** Takes as many as there are. @returns how many of the wanted these are */
  some(wanted: number): number {
    this.fill();
    const granted = Math.max(0, Math.min(wanted, Math.floor(this.tokens)));
    this.tokens -= granted;
    return granted;
  }

  /** Takes all, of later seconds too. @returns milliseconds until these have come */
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
