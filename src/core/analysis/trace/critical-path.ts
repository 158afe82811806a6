import type { ArrangedSpans } from './arrange.ts';
import { rootsOf, type TraceGroupLinks } from './links.ts';

/** Ascending, contiguous parts from the start of the path to the end of the trace group. */
export interface CriticalPath {
  /** The active span; for a wait, the span that began after it. */
  readonly span: Int32Array<ArrayBuffer>;
  readonly from_ns: Float64Array<ArrayBuffer>;
  readonly until_ns: Float64Array<ArrayBuffer>;
  readonly is_wait: Uint8Array<ArrayBuffer>;
  /** For a wait, the span that ended before it; -1 otherwise. */
  readonly after: Int32Array<ArrayBuffer>;
}

type Spans = Pick<ArrangedSpans, 'parent' | 'descendants' | 'start_ns' | 'end_ns'>;

/**
 * Critical path of a trace group, backwards from the span that ends last: within a span, the child that ended last before the
 * current time, then from that child's start; time without a child is the span's own. Before the start of a span its parent
 * follows, before that of a root the linked span that ended last. If that parent or linked span had already ended, the time
 * between is a wait.
 */
export function criticalPath(spans: Spans, links: TraceGroupLinks): CriticalPath {
  const path = new Backwards(spans);
  const last = lastToEnd(spans.end_ns);
  if (last < 0) return path.ascending();
  const predecessors = predecessorsOf(spans, links);
  const { parent, start_ns, end_ns } = spans;
  let span = last;
  let at = end_ns[last]!;
  for (;;) {
    path.within(span, at);
    at = Math.min(at, start_ns[span]!);
    const above = parent[span]!;
    const before = above >= 0 ? above : predecessor(spans, predecessors.get(span), at);
    if (before < 0) return path.ascending();
    const ended = end_ns[before]!;
    if (ended < at) {
      path.wait(span, before, ended, at);
      at = ended;
    }
    span = before;
  }
}

/** The outermost of those that end last. */
function lastToEnd(end_ns: Float64Array): number {
  let last = -1;
  for (let at = 0; at < end_ns.length; at++) if (last < 0 || end_ns[at]! > end_ns[last]!) last = at;
  return last;
}

/** By root: the spans that any span of its tree is linked back to, of other trees. */
function predecessorsOf({ parent }: Spans, { from, to }: TraceGroupLinks): ReadonlyMap<number, readonly number[]> {
  const root = rootsOf(parent);
  const found = new Map<number, number[]>();
  for (let at = 0; at < from.length; at++) {
    const [first, second] = [from[at]!, to[at]!];
    const tree = root[second]!;
    if (root[first] === tree) continue;
    const known = found.get(tree);
    if (known) known.push(first);
    else found.set(tree, [first]);
  }
  return found;
}

/** Of the started ones, the one that ended last or was still running; -1: none. */
function predecessor({ start_ns, end_ns }: Spans, candidates: readonly number[] = [], at: number): number {
  let best = -1;
  const ended = (span: number): number => Math.min(end_ns[span]!, at);
  for (const span of candidates) if (start_ns[span]! < at && (best < 0 || ended(span) > ended(best))) best = span;
  return best;
}

interface Frame {
  readonly span: number;
  /** Start of this span. */
  readonly floor: number;
  at: number;
  /** Children by descending end, and the number processed. */
  readonly children: Int32Array;
  seen: number;
}

class Backwards {
  private readonly spans: Spans;
  private readonly span: number[] = [];
  private readonly from: number[] = [];
  private readonly until: number[] = [];
  private readonly after: number[] = [];

  constructor(spans: Spans) {
    this.spans = spans;
  }

  wait(span: number, after: number, from: number, until: number): void {
    this.push(span, after, from, until);
  }

  /** Path within a span from `at` back to its start. */
  within(span: number, at: number): void {
    const stack = [this.frame(span, at, Number.NEGATIVE_INFINITY)];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const child = this.nextChild(top);
      if (child < 0) {
        this.push(top.span, -1, top.floor, top.at);
        stack.pop();
        continue;
      }
      const ended = this.spans.end_ns[child]!;
      this.push(top.span, -1, ended, top.at);
      top.at = Math.max(this.spans.start_ns[child]!, top.floor);
      stack.push(this.frame(child, ended, top.floor));
    }
  }

  private frame(span: number, at: number, floor: number): Frame {
    return {
      span,
      at,
      floor: Math.max(floor, this.spans.start_ns[span]!),
      children: this.childrenByEnd(span),
      seen: 0,
    };
  }

  private childrenByEnd(span: number): Int32Array {
    const { descendants, start_ns, end_ns } = this.spans;
    const children: number[] = [];
    const behind = span + 1 + descendants[span]!;
    for (let at = span + 1; at < behind; at += 1 + descendants[at]!) children.push(at);
    return Int32Array.from(children).sort((a, b) => end_ns[b]! - end_ns[a]! || start_ns[a]! - start_ns[b]!);
  }

  /** A span that had ended by then; a running one was not waited for. */
  private nextChild(frame: Frame): number {
    const { end_ns } = this.spans;
    while (frame.seen < frame.children.length) {
      const child = frame.children[frame.seen++]!;
      const ended = end_ns[child]!;
      if (ended <= frame.floor) return -1;
      if (ended <= frame.at) return child;
    }
    return -1;
  }

  private push(span: number, after: number, from: number, until: number): void {
    if (until <= from) return;
    this.span.push(span);
    this.after.push(after);
    this.from.push(from);
    this.until.push(until);
  }

  ascending(): CriticalPath {
    const after = Int32Array.from(this.after).reverse();
    return {
      span: Int32Array.from(this.span).reverse(),
      from_ns: Float64Array.from(this.from).reverse(),
      until_ns: Float64Array.from(this.until).reverse(),
      is_wait: Uint8Array.from(after, (span) => (span >= 0 ? 1 : 0)),
      after,
    };
  }
}
