/** Rate limit: so many per second on average, and as many at once. */
export class Rate {
  private readonly perSecond: number;
  private left: number;
  private at: number;

  constructor(perSecond: number, now = performance.now()) {
    this.perSecond = perSecond;
    this.left = perSecond;
    this.at = now;
  }

  allows(now = performance.now()): boolean {
    this.left = Math.min(this.perSecond, this.left + ((now - this.at) / 1000) * this.perSecond);
    this.at = now;
    if (this.left < 1) return false;
    this.left -= 1;
    return true;
  }
}

/** Remembers the latest keys. */
export class Recent {
  private readonly most: number;
  private readonly seen = new Set<string>();

  constructor(most: number) {
    this.most = most;
  }

  /** Whether the key was seen before; adds it. */
  has(key: string): boolean {
    if (this.seen.delete(key)) {
      this.seen.add(key);
      return true;
    }
    this.seen.add(key);
    const [oldest] = this.seen;
    if (this.seen.size > this.most && oldest !== undefined) this.seen.delete(oldest);
    return false;
  }
}
