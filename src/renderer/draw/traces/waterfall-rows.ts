import type { TraceGroup } from '../../../model/contract/index.ts';
import { isFailed, lengthOf, waitsByTrace } from './trace-group-text.ts';

/** A row that is no span: the head of a trace, or the wait before one. */
export type HeadRow =
  | { readonly kind: 'trace'; readonly trace: number }
  | { readonly kind: 'wait'; readonly trace: number; readonly link: number };

export interface WaterfallRows {
  /** Index of a span; -1 - n: the n-th of `heads`. */
  readonly rows: Int32Array;
  readonly heads: readonly HeadRow[];
  /** Spans that are left out because they are short; what is folded is not counted. */
  readonly hidden: number;
}

export interface RowFilter {
  /** Spans whose children are folded in. */
  readonly folded: ReadonlySet<number>;
  /** Traces that are folded in. */
  readonly foldedTraces: ReadonlySet<number>;
  /** Spans shorter than this are left out, unless they failed or something below them is kept. */
  readonly least_ns: number;
}

const MOST_WAITS = 8;

/** What stands in the waterfall from top to bottom. */
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
      // What lies below it is left out, too: else it would be kept.
      hidden += 1 + traceGroup.descendants[span]!;
      span += 1 + traceGroup.descendants[span]!;
      continue;
    }
    rows[placed++] = span;
    span += folded.has(span) ? 1 + traceGroup.descendants[span]! : 1;
  }
  return { rows: rows.subarray(0, placed), heads, hidden };
}

function shownSpans(story: TraceGroup, least_ns: number): Uint8Array {
  const kept = new Uint8Array(story.trace.length);
  if (least_ns <= 0) return kept.fill(1);
  for (let span = kept.length - 1; span >= 0; span--) {
    if (isFailed(story, span) || lengthOf(story, span) >= least_ns) kept[span] = 1;
    const parent = story.parent[span]!;
    if (kept[span] && parent >= 0) kept[parent] = 1;
  }
  return kept;
}

/** Where a span stands, or what it is folded into; -1: it is left out. */
export function rowOfSpan({ rows }: WaterfallRows, story: TraceGroup, span: number): number {
  for (let at = span; at >= 0; at = story.parent[at]!) {
    const row = rows.indexOf(at);
    if (row >= 0) return row;
  }
  return -1;
}

/** The next span after `from` that `wanted` says yes to, in the order of the tree and round its end; -1: none. */
export function nextSpan(count: number, from: number, by: 1 | -1, wanted: (span: number) => boolean): number {
  for (let step = 1; step <= count; step++) {
    const span = (((from + by * step) % count) + count) % count;
    if (wanted(span)) return span;
  }
  return -1;
}

/** Spans whose service or name hold a text, whatever its case; by code, so that names are looked at once. */
export function matching(story: TraceGroup, text: string): (span: number) => boolean {
  const sought = text.trim().toLowerCase();
  if (sought === '') return () => false;
  const has = (words: readonly string[]): boolean[] => words.map((word) => word.toLowerCase().includes(sought));
  const [services, names] = [has(story.services), has(story.names)];
  return (span) => (services[story.service[span]!] ?? false) || (names[story.name[span]!] ?? false);
}
