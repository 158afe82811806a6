import type { TableRows } from '../../../model/rows/rows.ts';
import type { AppendRows } from '../../../model/storage/engine.ts';

/** As many bits of a trace's id as table trace_place keeps. */
const PLACE_KEY = (1n << 36n) - 1n;
/** A trace's place: slices of 17 s; table span_count: slices of 0.13 s. */
const PLACE_SHIFT = 34n;
const COUNT_SHIFT = 27n;
/** Of places that are remembered: four minutes. Who comes later is entered once more, which does no harm. */
const MOST_SLICES = 15;

/** Where the traces of a source have spans, and how many spans there are by time, as `writeSpanDirectory` does it at its end. */
export class LiveSpanDirectory {
  private readonly source_id: number;
  /** Keys that were entered, by slice. */
  private readonly entered = new Map<number, Set<number>>();
  private keys: bigint[] = [];
  private slices: number[] = [];
  private counts = new Map<bigint, number>();

  constructor(source_id: number) {
    this.source_id = source_id;
  }

  take({ columns, count }: TableRows<'span'>): void {
    const { trace_hi, trace_lo, start_ns } = columns;
    for (let at = 0; at < count; at++) {
      const start = start_ns[at]!;
      const counted = start >> COUNT_SHIFT;
      this.counts.set(counted, (this.counts.get(counted) ?? 0) + 1);
      const key = (trace_hi[at]! ^ trace_lo[at]!) & PLACE_KEY;
      const slice = Number(start >> PLACE_SHIFT);
      const known = this.slice(slice);
      if (known.has(Number(key))) continue;
      known.add(Number(key));
      this.keys.push(key);
      this.slices.push(slice);
    }
  }

  private slice(slice: number): Set<number> {
    let known = this.entered.get(slice);
    if (known) return known;
    known = new Set();
    this.entered.set(slice, known);
    const [oldest] = this.entered.keys();
    if (this.entered.size > MOST_SLICES && oldest !== undefined) this.entered.delete(oldest);
    return known;
  }

  /** What was taken since this was last asked. */
  rows(): { readonly places: AppendRows; readonly counts: AppendRows } {
    const id = { type: 'constant', value: this.source_id } as const;
    const { keys, slices, counts } = this;
    [this.keys, this.slices, this.counts] = [[], [], new Map()];
    return {
      places: {
        columns: [
          id,
          { type: 'u64', values: BigUint64Array.from(keys) },
          { type: 'i32', values: Int32Array.from(slices) },
        ],
        count: keys.length,
      },
      counts: {
        columns: [
          id,
          { type: 'i64', values: BigInt64Array.from(counts.keys()) },
          { type: 'i64', values: BigInt64Array.from(counts.values(), BigInt) },
        ],
        count: counts.size,
      },
    };
  }
}
