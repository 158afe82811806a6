import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { ByteTable } from './byte-table.ts';

/** Codes of repeated texts given as bytes, each looked up in the batch once for as long as codes are valid. */
export class NameCodes {
  private readonly names = new ByteTable();
  private epoch = 0;
  private codes = new Int32Array(1 << 9);
  private generations = new Int32Array(1 << 9).fill(-1);

  /**
   * Code of a text in UTF-8; an empty one is -1.
   * @param generation changes whenever codes of the batch end
   */
  codeOf(batch: BatchBuilder, generation: number, bytes: Uint8Array, start: number, end: number): number {
    if (start === end) return -1;
    const entry = this.names.intern(bytes, start, end);
    if (this.names.epoch !== this.epoch) {
      this.epoch = this.names.epoch;
      this.generations.fill(-1);
    }
    if (this.generations[entry] === generation) return this.codes[entry]!;
    if (entry >= this.codes.length) this.grow(entry);
    const code = batch.name(this.names.text(entry));
    this.codes[entry] = code;
    this.generations[entry] = generation;
    return code;
  }

  private grow(entry: number): void {
    const size = Math.max(entry + 1, this.codes.length * 2);
    const codes = new Int32Array(size);
    codes.set(this.codes);
    const generations = new Int32Array(size).fill(-1);
    generations.set(this.generations);
    this.codes = codes;
    this.generations = generations;
  }
}
