import { spanMarks } from '../../../model/contract/story.ts';
import { clockShifts } from './clock-shifts.ts';
import { findParents } from './parents.ts';
import type { RecordedSpans } from './recorded-spans.ts';
import { depthsOf, readingOrder } from './span-tree.ts';

/** Spans in reading order, with what was worked out of each; see `storySchema` for the columns. */
export interface ArrangedSpans extends RecordedSpans {
  readonly parent: Int32Array<ArrayBuffer>;
  readonly depth: Int32Array<ArrayBuffer>;
  readonly descendants: Int32Array<ArrayBuffer>;
  readonly marks: Uint8Array<ArrayBuffer>;
  readonly shift_ns: Float64Array<ArrayBuffer>;
  readonly self_ns: Float64Array<ArrayBuffer>;
}

/** Makes a forest of recorded spans: parents, clocks, order, self time. What a span means is told in docs/traces.md. */
export function arrange(spans: RecordedSpans): ArrangedSpans {
  const { parent, marks } = findParents(spans);
  const count = parent.length;
  const asRecorded = Int32Array.from({ length: count }, (_, i) => i);
  const shift_ns = clockShifts(spans, readingOrder(parent, asRecorded));
  const start_ns = spans.start_ns.map((start, i) => start + (shift_ns[i] as number));
  const end_ns = spans.end_ns.map((end, i) => Math.max(end, spans.start_ns[i] as number) + (shift_ns[i] as number));
  const ranked = rank(spans.trace, start_ns, asRecorded);
  const { order } = readingOrder(parent, ranked);
  const place = new Int32Array(count);
  for (let at = 0; at < count; at++) place[order[at] as number] = at;
  const moved = permuted(spans, order);
  const above = Int32Array.from(order, (span) => {
    const old = parent[span] as number;
    return old < 0 ? -1 : (place[old] as number);
  });
  const arranged = {
    ...moved,
    start_ns: Float64Array.from(order, (span) => start_ns[span] as number),
    end_ns: Float64Array.from(order, (span) => end_ns[span] as number),
    shift_ns: Float64Array.from(order, (span) => shift_ns[span] as number),
    marks: Uint8Array.from(order, (span) => marks[span] as number),
    parent: above,
    ...depthsOf(above),
  };
  markTimes(arranged);
  return { ...arranged, self_ns: selfTimes(arranged) };
}

/** Traces by their first beginning, spans of one by their own. */
function rank(trace: Int32Array, start_ns: Float64Array, asRecorded: Int32Array): readonly number[] {
  const first: number[] = [];
  for (let i = 0; i < trace.length; i++) {
    const of = trace[i] as number;
    first[of] = Math.min(first[of] ?? Number.POSITIVE_INFINITY, start_ns[i] as number);
  }
  const begins = (i: number): number => first[trace[i] as number] as number;
  // A plain array: what is in order already, as nearly all is, is then looked through once.
  return Array.from(asRecorded).sort(
    (a, b) =>
      begins(a) - begins(b) ||
      (trace[a] as number) - (trace[b] as number) ||
      (start_ns[a] as number) - (start_ns[b] as number) ||
      a - b,
  );
}

function permuted(spans: RecordedSpans, order: Int32Array): RecordedSpans {
  const int32 = (column: Int32Array) => Int32Array.from(order, (span) => column[span] as number);
  const uint8 = (column: Uint8Array) => Uint8Array.from(order, (span) => column[span] as number);
  const ids = (column: BigUint64Array) =>
    BigUint64Array.from({ length: order.length }, (_, at) => column[order[at] as number] as bigint);
  return {
    ...spans,
    trace: int32(spans.trace),
    id: ids(spans.id),
    parent_id: ids(spans.parent_id),
    service: int32(spans.service),
    process: int32(spans.process),
    name: int32(spans.name),
    source: int32(spans.source),
    kind: uint8(spans.kind),
    status: uint8(spans.status),
  };
}

type Timed = Pick<ArrangedSpans, 'parent' | 'start_ns' | 'end_ns' | 'shift_ns' | 'marks'>;

function markTimes({ parent, end_ns, shift_ns, marks }: Timed): void {
  for (let at = 0; at < parent.length; at++) {
    const above = parent[at] as number;
    const outlives = above >= 0 && (end_ns[at] as number) > (end_ns[above] as number);
    marks[at] =
      (marks[at] as number) | (outlives ? spanMarks.outlives : 0) | (shift_ns[at] !== 0 ? spanMarks.shifted : 0);
  }
}

/**
 * Duration without the union of the children's times, as far as these lie within it: children at once count once, and of
 * one that outlives its parent only what lay within.
 */
function selfTimes({ parent, start_ns, end_ns }: Pick<Timed, 'parent' | 'start_ns' | 'end_ns'>) {
  const self_ns = start_ns.map((start, at) => (end_ns[at] as number) - start);
  /** Up to where the children that came so far cover each span. */
  const reached = start_ns.slice();
  for (let at = 0; at < parent.length; at++) {
    const above = parent[at] as number;
    if (above < 0) continue;
    const from = Math.max(start_ns[at] as number, reached[above] as number);
    const until = Math.min(end_ns[at] as number, end_ns[above] as number);
    if (until <= from) continue;
    self_ns[above] = (self_ns[above] as number) - (until - from);
    reached[above] = until;
  }
  return self_ns;
}
