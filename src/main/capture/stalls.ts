const EVERY_MS = 100;

/**
 * Total time that this process was stalled since the first call, measured by how late a timer fires. A busy event loop
 * or machine counts; a slow answer does not.
 */
class Stalls {
  private blocked_ms = 0;
  private seen_ms = 0;

  /** Milliseconds so far. */
  total(): number {
    if (this.seen_ms === 0) {
      this.seen_ms = performance.now();
      setInterval(() => this.see(), EVERY_MS).unref();
    }
    this.see();
    return this.blocked_ms;
  }

  private see(): void {
    const now = performance.now();
    this.blocked_ms += Math.max(0, now - this.seen_ms - EVERY_MS);
    this.seen_ms = now;
  }
}

export const stalls = new Stalls();
