import { ByteTable } from '../../otlp/byte-table.ts';

/** What was made of bytes, for as long as the numbers of a batch mean something. */
export class BatchCache<T> {
  private readonly table = new ByteTable();
  private values: (T | undefined)[] = [];
  private batch = -1;
  private tableEpoch = 0;

  /** Moves on whenever keys that were given mean nothing any more. */
  get epoch(): number {
    return this.table.epoch;
  }

  /** The key of bytes beside another key, or beside a negative number of the caller's. */
  key(bytes: Uint8Array, start: number, end: number, beside: number): number {
    return this.table.intern(bytes, start, end, beside);
  }

  /** @param batch epoch of the builder whose numbers the value holds */
  get(key: number, batch: number): T | undefined {
    if (batch !== this.batch || this.table.epoch !== this.tableEpoch) {
      this.values = [];
      this.batch = batch;
      this.tableEpoch = this.table.epoch;
    }
    return this.values[key];
  }

  /** To be called after {@link get} of the same key. */
  set(key: number, value: T): T {
    this.values[key] = value;
    return value;
  }
}
