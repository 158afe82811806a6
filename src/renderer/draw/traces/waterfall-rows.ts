import type { TraceGroup } from '../../../model/contract/index.ts';
import { isFailed, lengthOf, waitsByTrace } from './trace-group-text.ts';

/** A row without a span: the header of a trace, or the wait before a trace. */
export type HeadRow =
  | { readonly kind: 'trace'; readonly trace: number }
  | { readonly kind: 'wait'; readonly trace: number; readonly link: number };

export interface WaterfallRows {
  /** Index of a span; -1 - n: the n-th of `heads`. */
  readonly rows: Int32Array;
  readonly heads: readonly HeadRow[];
  /** Spans hidden because they are short; collapsed spans do not count. */
  readonly hidden: number;
}

export interface RowFilter {
  /** Spans whose children are collapsed. */
  readonly folded: ReadonlySet<number>;
  /** Traces that are collapsed. */
  readonly foldedTraces: ReadonlySet<number>;
  /** Shorter spans are hidden, unless they failed or a span below them is visible. */
  readonly least_ns: number;
}

const MOST_WAITS = 8;
/** The rows of the waterfall from top to bottom. */
export function waterfallRows(traceGroup: TraceGroup, { folded, foldedTraces, least_ns }: RowFilter): WaterfallRows {
  const count = traceGroup.trace.length;
  const isShown = shownSpans(traceGroup, least_ns);
  const waits = traceGroup.traces.length > 1 ? waitsByTrace(traceGroup) : new Map<number, readonly number[]>();
  const heads: HeadRow[] = [];
  const rows = new Int32Array(count + traceGroup.traces.length * (1 + MOST_WAITS));
  let placed = 0;
  const addHead = (head: HeadRow) => {
    rows[placed++] = -heads.push(head);
  };
  let hidden = 0;
  let trace = -1;
  for (let span = 0; span < count; ) {
    const own = traceGroup.trace[span]!;
    if (own !== trace && traceGroup.traces.length > 1) {
      for (const link of (waits.get(own) ?? []).slice(0, MOST_WAITS)) addHead({ kind: 'wait', trace: own, link });
      addHead({ kind: 'trace', trace: own });
    }
    trace = own;
    if (foldedTraces.has(own)) {
      span += 1 + traceGroup.descendants[span]!;
      continue;
    }
    if (!isShown[span]) {
      // Its subtree is hidden too, otherwise this span would be visible.
      hidden += 1 + traceGroup.descendants[span]!;
      span += 1 + traceGroup.descendants[span]!;
      continue;
    }
    rows[placed++] = span;
    span += folded.has(span) ? 1 + traceGroup.descendants[span]! : 1;
  }
  return { rows: rows.subarray(0, placed), heads, hidden };
}

function shownSpans(traceGroup: TraceGroup, least_ns: number): Uint8Array {
  const kept = new Uint8Array(traceGroup.trace.length);
  if (least_ns <= 0) return kept.fill(1);
  for (let span = kept.length - 1; span >= 0; span--) {
    if (isFailed(traceGroup, span) || lengthOf(traceGroup, span) >= least_ns) kept[span] = 1;
    const parent = traceGroup.parent[span]!;
    if (kept[span] && parent >= 0) kept[parent] = 1;
  }
  return kept;
}

/** Row of a span, or of the span into which it is collapsed; -1: hidden. */
export function rowOfSpan({ rows }: WaterfallRows, traceGroup: TraceGroup, span: number): number {
  for (let at = span; at >= 0; at = traceGroup.parent[at]!) {
    const row = rows.indexOf(at);
    if (row >= 0) return row;
  }
  return -1;
}

/** The next span after `from` that matches, in tree order, with wrap-around; -1: none. */
export function nextSpan(count: number, from: number, by: 1 | -1, wanted: (span: number) => boolean): number {
  for (let step = 1; step <= count; step++) {
    const span = (((from + by * step) % count) + count) % count;
    if (wanted(span)) return span;
  }
  return -1;
}

/** Spans whose service or name contains a text, ignoring case. By name index, so that each name is compared once. */
export function matching(traceGroup: TraceGroup, text: string): (span: number) => boolean {
  const sought = text.trim().toLowerCase();
  if (sought === '') return () => false;
  const has = (words: readonly string[]): boolean[] => words.map((word) => word.toLowerCase().includes(sought));
  const [services, names] = [has(traceGroup.services), has(traceGroup.names)];
  return (span) => (services[traceGroup.service[span]!] ?? false) || (names[traceGroup.name[span]!] ?? false);
}
