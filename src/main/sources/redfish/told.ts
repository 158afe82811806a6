/**
 * What has been told of a tree: each reading, event and link once, though several resources repeat them and a live feed
 * reads the same tree again. What the last reading did not hold any more is forgotten, so that this is never more than a tree.
 */
export class Told {
  private before: ReadonlySet<string> = new Set();
  private now = new Set<string>();

  isNew(key: string): boolean {
    const isKnown = this.now.has(key) || this.before.has(key);
    this.now.add(key);
    return !isKnown;
  }

  /** The reading is over and its rows are kept. */
  keep(): void {
    this.before = this.now;
    this.now = new Set();
  }

  /** The reading is over and its rows are gone. */
  forget(): void {
    this.now = new Set();
  }
}
