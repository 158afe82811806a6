import { spanMarks } from '../../../model/contract/trace-group.ts';
import { clockShifts } from './clock-shifts.ts';
import { findParents } from './parents.ts';
import type { RecordedSpans } from './recorded-spans.ts';
import { depthsOf, readingOrder } from './span-tree.ts';

/** Spans in reading order, with computed columns; see `storySchema`. */
export interface ArrangedSpans extends RecordedSpans {
  readonly parent: Int32Array<ArrayBuffer>;
  readonly depth: Int32Array<ArrayBuffer>;
  readonly descendants: Int32Array<ArrayBuffer>;
  readonly marks: Uint8Array<ArrayBuffer>;
  readonly shift_ns: Float64Array<ArrayBuffer>;
  readonly self_ns: Float64Array<ArrayBuffer>;
}

/** Makes a forest of recorded spans: parents, clocks, order, self time. See docs/traces.md. */
export function arrange(spans: RecordedSpans): ArrangedSpans {
  const { parent, marks } = findParents(spans);
  const count = parent.length;
  const asRecorded = new Int32Array(count);
  for (let i = 0; i < count; i++) asRecorded[i] = i;
  const tree = readingOrder(parent, asRecorded);
  const shift_ns = clockShifts(spans, tree);
  const { start_ns, end_ns } = movedTimes(spans, shift_ns);
  const isMoved = shift_ns.some((shift) => shift !== 0);
  const { order } = isMoved ? readingOrder(parent, rank(spans.trace, start_ns, asRecorded)) : tree;
  const above = parentsInOrder(parent, order);
  const arranged = {
    ...inOrder(spans, order),
    start_ns: float64(start_ns, order),
    end_ns: float64(end_ns, order),
    shift_ns: float64(shift_ns, order),
    marks: uint8(marks, order),
    parent: above,
    ...depthsOf(above),
  };
  markTimes(arranged);
  return { ...arranged, self_ns: selfTimes(arranged) };
}

function movedTimes(spans: RecordedSpans, shift_ns: Float64Array) {
  const start_ns = new Float64Array(shift_ns.length);
  const end_ns = new Float64Array(shift_ns.length);
  for (let at = 0; at < shift_ns.length; at++) {
    const start = spans.start_ns[at]!;
    start_ns[at] = start + shift_ns[at]!;
    // One that ends before it begins is an instant.
    end_ns[at] = Math.max(spans.end_ns[at]!, start) + shift_ns[at]!;
  }
  return { start_ns, end_ns };
}

/** Traces by their first start, spans of a trace by their own. */
function rank(trace: Int32Array, start_ns: Float64Array, asRecorded: Int32Array): readonly number[] {
  const first: number[] = [];
  for (let i = 0; i < trace.length; i++) {
    const of = trace[i]!;
    first[of] = Math.min(first[of] ?? Number.POSITIVE_INFINITY, start_ns[i]!);
  }
  const begins = (i: number): number => first[trace[i]!]!;
  // A plain array: sorted input, which is nearly always the case, is scanned once.
  return Array.from(asRecorded).sort(
    (a, b) => begins(a) - begins(b) || trace[a]! - trace[b]! || start_ns[a]! - start_ns[b]! || a - b,
  );
}

/** Plain loops per type: a function per entry, or one loop for all types, takes ten times as long. */
function int32(column: Int32Array, order: Int32Array): Int32Array<ArrayBuffer> {
  const made = new Int32Array(order.length);
  for (let at = 0; at < order.length; at++) made[at] = column[order[at]!]!;
  return made;
}
function uint8(column: Uint8Array, order: Int32Array): Uint8Array<ArrayBuffer> {
  const made = new Uint8Array(order.length);
  for (let at = 0; at < order.length; at++) made[at] = column[order[at]!]!;
  return made;
}
function float64(column: Float64Array, order: Int32Array): Float64Array<ArrayBuffer> {
  const made = new Float64Array(order.length);
  for (let at = 0; at < order.length; at++) made[at] = column[order[at]!]!;
  return made;
}
/** As two halves, without a bigint. */
function uint64(column: BigUint64Array, order: Int32Array): BigUint64Array {
  const bits = new Uint32Array(column.buffer, column.byteOffset, 2 * column.length);
  const made = new Uint32Array(2 * order.length);
  for (let at = 0; at < order.length; at++) {
    const from = 2 * order[at]!;
    made[2 * at] = bits[from]!;
    made[2 * at + 1] = bits[from + 1]!;
  }
  return new BigUint64Array(made.buffer);
}

function parentsInOrder(parent: Int32Array, order: Int32Array): Int32Array<ArrayBuffer> {
  const place = new Int32Array(order.length);
  for (let at = 0; at < order.length; at++) place[order[at]!] = at;
  const above = new Int32Array(order.length);
  for (let at = 0; at < order.length; at++) {
    const old = parent[order[at]!]!;
    above[at] = old < 0 ? -1 : place[old]!;
  }
  return above;
}

function inOrder(spans: RecordedSpans, order: Int32Array): RecordedSpans {
  return {
    ...spans,
    trace: int32(spans.trace, order),
    id: uint64(spans.id, order),
    parent_id: uint64(spans.parent_id, order),
    service: int32(spans.service, order),
    process: int32(spans.process, order),
    name: int32(spans.name, order),
    kind: uint8(spans.kind, order),
    status: uint8(spans.status, order),
  };
}

type Timed = Pick<ArrangedSpans, 'parent' | 'start_ns' | 'end_ns' | 'shift_ns' | 'marks'>;

function markTimes({ parent, end_ns, shift_ns, marks }: Timed): void {
  for (let at = 0; at < parent.length; at++) {
    const above = parent[at]!;
    const outlives = above >= 0 && end_ns[at]! > end_ns[above]!;
    marks[at] = marks[at]! | (outlives ? spanMarks.outlives : 0) | (shift_ns[at] !== 0 ? spanMarks.shifted : 0);
  }
}

/**
 * Duration minus the union of the children's times within it: concurrent children count once, and of a child that outlives its
 * parent only the part within.
 */
function selfTimes({ parent, start_ns, end_ns }: Pick<Timed, 'parent' | 'start_ns' | 'end_ns'>) {
  const self_ns = new Float64Array(start_ns.length);
  for (let at = 0; at < self_ns.length; at++) self_ns[at] = end_ns[at]! - start_ns[at]!;
  /** End of the covered time per span so far. */
  const reached = start_ns.slice();
  for (let at = 0; at < parent.length; at++) {
    const above = parent[at]!;
    if (above < 0) continue;
    const from = Math.max(start_ns[at]!, reached[above]!);
    const until = Math.min(end_ns[at]!, end_ns[above]!);
    if (until <= from) continue;
    self_ns[above] = self_ns[above]! - (until - from);
    reached[above] = until;
  }
  return self_ns;
}
