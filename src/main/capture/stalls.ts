const EVERY_MS = 100;

/**
 * How long this process has been held up since it first asked: by how much a timer of its own comes late, all in all. What holds a
 * loop up, a busy machine included, holds this up alike; an answer that takes long does not.
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
