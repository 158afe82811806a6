import { SpanIndex, uint32WordsOf } from './span-index.ts';

/** Spans of whole traces in any order: columns with one entry per span. */
export interface PathSpans {
  /** Equal for spans of one trace. */
  readonly trace: Int32Array;
  readonly span_id: BigUint64Array;
  /** 0: none. */
  readonly parent_id: BigUint64Array;
  readonly start_ns: Float64Array;
  readonly end_ns: Float64Array;
  /** Time slice of its start. */
  readonly slice: Int32Array;
  readonly service: Int32Array;
  readonly name: Int32Array;
  readonly failed: Uint8Array;
}

/** First and last slice of a time range, inclusive. */
export interface Slices {
  readonly first: number;
  readonly last: number;
}

const figures = ['spans', 'errors', 'total_ns', 'self_ns', 'time_ns'] as const;
type Figure = (typeof figures)[number];
type Figures = Readonly<Record<Figure, Float64Array>>;

/** Call paths, (service, name) of the root, of its child and so on: columns with one entry per path, parents before children. */
export interface SummedPaths {
  /** Index of the path above; -1: a root. */
  readonly parent: Int32Array;
  /** 1: a root. */
  readonly depth: Int32Array;
  readonly service: Int32Array;
  readonly name: Int32Array;
  readonly window: Figures;
  /** Zeros without one. */
  readonly baseline: Figures;
}

/**
 * Sums spans by path, as `call-paths.ts` does for a whole case: self time is a span's duration minus the union of its
 * children's times; an orphan begins a path, spans in a parent cycle have none. `time_ns` is the self time of a path and its
 * descendants.
 */
export function sumPaths(spans: PathSpans, window: Slices, baseline: Slices | null): SummedPaths {
  const parents = parentsOf(spans);
  const self = selfTimes(spans, parents);
  const paths = new Paths(spans, parents);
  const count = paths.parent.length;
  const sums = [window, baseline].map((slices) => {
    const figures = emptyFigures(count);
    if (slices) addSpans(figures, { spans, self, path: paths.of }, slices);
    addUpward(figures, paths.parent);
    return figures;
  }) as [Figures, Figures];
  return {
    parent: Int32Array.from(paths.parent),
    depth: Int32Array.from(paths.depth),
    service: Int32Array.from(paths.service),
    name: Int32Array.from(paths.name),
    window: sums[0],
    baseline: sums[1],
  };
}

/** Of several spans with the parent's id the one that began last: the server half of a call. */
function parentsOf({ trace, span_id, parent_id, start_ns }: PathSpans): Int32Array {
  const index = new SpanIndex(trace, span_id);
  const words = uint32WordsOf(parent_id);
  const parents = new Int32Array(trace.length).fill(-1);
  for (let i = 0; i < trace.length; i++) {
    if (words[2 * i] === 0 && words[2 * i + 1] === 0) continue;
    let best = index.first(trace[i]!, words, i);
    for (let at = best; at >= 0; at = index.next[at]!) if (start_ns[at]! > start_ns[best]!) best = at;
    parents[i] = best;
  }
  return parents;
}

function selfTimes({ start_ns, end_ns }: PathSpans, parents: Int32Array): Float64Array {
  const order = new Uint32Array(parents.length).map((_, i) => i);
  order.sort((a, b) => start_ns[a]! - start_ns[b]!);
  const reached = new Float64Array(parents.length).fill(Number.NEGATIVE_INFINITY);
  const covered = new Float64Array(parents.length);
  for (const i of order) {
    const parent = parents[i]!;
    if (parent < 0) continue;
    const from = Math.max(start_ns[i]!, start_ns[parent]!, reached[parent]!);
    const to = Math.min(end_ns[i]!, end_ns[parent]!);
    if (to <= from) continue;
    covered[parent] = covered[parent]! + to - from;
    reached[parent] = to;
  }
  return covered.map((part, i) => Math.max(0, end_ns[i]! - start_ns[i]! - part));
}

/** Deeper spans are omitted, as `call-paths.ts` does. */
const DEEPEST = 100;
const ROOT = -1;
const UNKNOWN = -2;
/** For a span in a cycle, below one, or too deep. */
const NO_PATH = -3;

/** Paths are numbered in order of discovery, after their parent. */
class Paths {
  readonly parent: number[] = [];
  readonly depth: number[] = [];
  readonly service: number[] = [];
  readonly name: number[] = [];
  /** Per span. */
  readonly of: Int32Array;
  private readonly numbers = new Map<string, number>();

  constructor({ service, name }: PathSpans, parents: Int32Array) {
    this.of = new Int32Array(parents.length).fill(UNKNOWN);
    const way: number[] = [];
    for (let i = 0; i < parents.length; i++) {
      let at = i;
      for (; at >= 0 && this.of[at] === UNKNOWN; at = parents[at]!) {
        way.push(at);
        // Meeting it again on this walk is a cycle.
        this.of[at] = NO_PATH;
      }
      let path = at < 0 ? ROOT : this.of[at]!;
      for (let span = way.pop(); span !== undefined; span = way.pop()) {
        path = path === NO_PATH ? NO_PATH : this.below(path, service[span]!, name[span]!);
        this.of[span] = path;
      }
    }
  }

  private below(parent: number, service: number, name: number): number {
    const key = `${parent} ${service} ${name}`;
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    const depth = parent === ROOT ? 1 : this.depth[parent]! + 1;
    if (depth > DEEPEST) return NO_PATH;
    const made = this.parent.length;
    this.numbers.set(key, made);
    this.parent.push(parent);
    this.depth.push(depth);
    this.service.push(service);
    this.name.push(name);
    return made;
  }
}

const emptyFigures = (count: number): Figures => ({
  spans: new Float64Array(count),
  errors: new Float64Array(count),
  total_ns: new Float64Array(count),
  self_ns: new Float64Array(count),
  time_ns: new Float64Array(count),
});

const add = (column: Float64Array, at: number, more: number): void => {
  column[at] = column[at]! + more;
};

interface Placed {
  readonly spans: PathSpans;
  readonly self: Float64Array;
  readonly path: Int32Array;
}

function addSpans(figures: Figures, { spans, self, path }: Placed, { first, last }: Slices): void {
  const { slice, start_ns, end_ns, failed } = spans;
  for (let i = 0; i < path.length; i++) {
    const at = path[i]!;
    if (at < 0 || slice[i]! < first || slice[i]! > last) continue;
    add(figures.spans, at, 1);
    add(figures.errors, at, failed[i]!);
    add(figures.total_ns, at, end_ns[i]! - start_ns[i]!);
    add(figures.self_ns, at, self[i]!);
    add(figures.time_ns, at, self[i]!);
  }
}

/** Parents come before children: in reverse order all descendants are already added. */
function addUpward({ time_ns }: Figures, parent: readonly number[]): void {
  for (let at = parent.length - 1; at >= 0; at--) if (parent[at]! >= 0) add(time_ns, parent[at]!, time_ns[at]!);
}
