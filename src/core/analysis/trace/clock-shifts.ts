import { CLIENT, ERROR, type RecordedSpans, SERVER } from './recorded-spans.ts';
import type { Tree } from './span-tree.ts';

/**
 * Clock shift of each span so that no call contradicts its caller, in nanoseconds; 0 if none is needed.
 *
 * Spans of one process share a clock: a child in its parent's process moves with it. A child in another process moves
 * with it only when it would otherwise begin before the call, or outlast a call that was answered (client and server,
 * the client without an error, the child no longer than the call). It is put in the middle of the call where the call
 * waited for it, since the split between both network directions is unknown; else at the start of the call.
 */
export function clockShifts(spans: RecordedSpans, tree: Tree): Float64Array<ArrayBuffer> {
  const shift_ns = new Float64Array(spans.id.length);
  for (const child of tree.order) {
    const parent = tree.parent[child]!;
    if (parent < 0) continue;
    const moved = shift_ns[parent]!;
    const sameClock = spans.process[child] === spans.process[parent] && spans.process[child] !== -1;
    shift_ns[child] = sameClock ? moved : shiftInto(spans, child, parent, moved);
  }
  return shift_ns;
}

function shiftInto(spans: RecordedSpans, child: number, parent: number, moved: number): number {
  const { start_ns, end_ns, kind, status } = spans;
  const from = start_ns[parent]! + moved;
  const until = end_ns[parent]! + moved;
  const start = start_ns[child]!;
  const end = end_ns[child]!;
  const room = until - from - (end - start);
  // The wait of a call that was recorded as an instant is unknown.
  const waited = kind[parent] === CLIENT && kind[child] === SERVER && room >= 0 && until > from;
  const isEarly = start < from;
  const isLate = waited && end > until && status[parent] !== ERROR;
  if (!isEarly && !isLate) return 0;
  return (waited ? from + Math.floor(room / 2) : from) - start;
}
