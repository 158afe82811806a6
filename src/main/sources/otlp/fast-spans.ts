import type { Output } from './output.ts';
import { type Kind, type Machine, machineOfThread } from './wasm-span-decoder.ts';

/** After this many unusual spans in a row, the fast path is paused for this many spans. */
const MOST_MISSES = 8;
const PAUSE = 64;

/**
 * The fast path for spans of the common shape, seven times as fast as the general decoders (`assembly/`, WebAssembly).
 * Its results are the same: a span that is unusual, broken or to be rejected is left to the general decoders.
 */
export class FastSpans {
  private readonly out: Output;
  private readonly kind: Kind;
  private readonly machine = machineOfThread();
  /** The part of the text that is in the memory of the WebAssembly module. */
  private start = 0;
  private end = 0;
  private misses = 0;
  private pause = 0;

  constructor(out: Output, kind: Kind) {
    this.out = out;
    this.kind = kind;
  }

  /** Another text comes, perhaps at the same place. */
  open(): void {
    this.start = 0;
    this.end = 0;
  }

  /**
   * Reads spans from `position` of `bytes` on, where one begins; answers where the last one ends of which a row was made,
   * `position` when there is none. `base` is the stream offset of position 0.
   */
  read(bytes: Uint8Array, position: number, end: number, base: number): number {
    const { machine } = this;
    if (!machine || machine.at('SCOPE_BYTES') < this.out.scopePairs.length) return this.left(position);
    if (this.pause > 0) {
      this.pause--;
      return this.left(position);
    }
    if (position < this.start || position >= this.end) this.copy(machine, bytes, position, end);
    let after = this.attempt(machine, position, base);
    // It may be too long for what was left of the part.
    if (after === position && this.start < position && this.end < end && this.isCut(machine)) {
      this.copy(machine, bytes, position, end);
      after = this.attempt(machine, position, base);
    }
    this.misses = after === position ? this.misses + 1 : 0;
    if (this.misses >= MOST_MISSES) this.pause = PAUSE;
    return after === position ? this.left(position) : after;
  }

  /** Others read on: the rows before theirs go first. */
  release(): void {
    this.machine?.release();
  }

  private left(position: number): number {
    this.release();
    return position;
  }

  private isCut(machine: Machine): boolean {
    return machine.exports.position() + machine.at('SLACK') > machine.at('INPUT') + this.end - this.start;
  }

  private copy(machine: Machine, bytes: Uint8Array, position: number, end: number): void {
    const input = machine.at('INPUT');
    const size = Math.min(end - position, machine.at('INPUT_BYTES'));
    machine.bytes.set(bytes.subarray(position, position + size), input);
    machine.bytes.fill(0, input + size, input + size + machine.at('SLACK'));
    this.start = position;
    this.end = position + size;
  }

  private attempt(machine: Machine, position: number, base: number): number {
    const { out, start, end, kind } = this;
    const shift = machine.at('INPUT') - start;
    const part = { from: position + shift, end: end + shift, until: out.room.until - base + shift };
    const { after, rows } = machine.read(out, kind, part);
    if (rows > 0) out.recordDone(base + after - shift, rows);
    return after - shift;
  }
}
