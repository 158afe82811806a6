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

const NO_CHILDREN = new Int32Array(0);

/** Parts in typed columns that grow: as lists of numbers those of 100,000 tokens took three times as long. */
class Backwards {
  private readonly spans: Spans;
  private count = 0;
  private span = new Int32Array(1024);
  private after = new Int32Array(1024);
  private from = new Float64Array(1024);
  private until = new Float64Array(1024);

  constructor(spans: Spans) {
    this.spans = spans;
  }

  wait(span: number, after: number, from: number, until: number): void {
    this.push(span, after, from, until);
  }

  /** Path within a span from `at` back to its start. */
  within(span: number, at: number): void {
    const { start_ns, end_ns, descendants } = this.spans;
    const stack = [this.frame(span, at, Number.NEGATIVE_INFINITY)];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const child = this.nextChild(top);
      if (child < 0) {
        this.push(top.span, -1, top.floor, top.at);
        stack.pop();
        continue;
      }
      const ended = end_ns[child]!;
      this.push(top.span, -1, ended, top.at);
      top.at = Math.max(start_ns[child]!, top.floor);
      if (descendants[child] === 0) this.push(child, -1, top.at, ended);
      else stack.push(this.frame(child, ended, top.floor));
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
    const behind = span + 1 + descendants[span]!;
    if (behind === span + 1) return NO_CHILDREN;
    // Counted first: room for all descendants, at each level of a deep trace, is the square of its spans.
    let count = 0;
    for (let at = span + 1; at < behind; at += 1 + descendants[at]!) count++;
    const children = new Int32Array(count);
    let isAscending = true;
    for (let at = span + 1, child = 0; child < count; at += 1 + descendants[at]!, child++) {
      isAscending &&= child === 0 || end_ns[at]! > end_ns[children[child - 1]!]!;
      children[child] = at;
    }
    // Tokens follow one another: then there is nothing to sort.
    if (isAscending) return children.reverse();
    return children.sort((a, b) => end_ns[b]! - end_ns[a]! || start_ns[a]! - start_ns[b]!);
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
    if (this.count === this.span.length) this.grow();
    this.span[this.count] = span;
    this.after[this.count] = after;
    this.from[this.count] = from;
    this.until[this.count++] = until;
  }

  private grow(): void {
    const { span, after, from, until } = this;
    const room = 2 * span.length;
    this.span = new Int32Array(room);
    this.after = new Int32Array(room);
    this.from = new Float64Array(room);
    this.until = new Float64Array(room);
    this.span.set(span);
    this.after.set(after);
    this.from.set(from);
    this.until.set(until);
  }

  ascending(): CriticalPath {
    const { count } = this;
    const after = this.after.slice(0, count).reverse();
    const is_wait = new Uint8Array(count);
    for (let at = 0; at < count; at++) is_wait[at] = after[at]! >= 0 ? 1 : 0;
    return {
      span: this.span.slice(0, count).reverse(),
      from_ns: this.from.slice(0, count).reverse(),
      until_ns: this.until.slice(0, count).reverse(),
      is_wait,
      after,
    };
  }
}
