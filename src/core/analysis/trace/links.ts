import type { ArrangedSpans } from './arrange.ts';

/** Links between spans of a story, from what was first to what followed from it. */
export interface TraceGroupLinks {
  readonly from: Int32Array<ArrayBuffer>;
  readonly to: Int32Array<ArrayBuffer>;
  /** The time between both in which neither worked; empty when they overlap. */
  readonly wait_from_ns: Float64Array<ArrayBuffer>;
  readonly wait_until_ns: Float64Array<ArrayBuffer>;
}

/** Index of the root above each span. */
export function rootsOf(parent: Int32Array): Int32Array<ArrayBuffer> {
  const root = new Int32Array(parent.length);
  for (let at = 0; at < parent.length; at++) {
    const above = parent[at]!;
    root[at] = above < 0 ? at : root[above]!;
  }
  return root;
}

/**
 * Says of each link which of its spans was first, and what lay between: a link tells that two spans belong together, and
 * only their times tell which led to which (recorders link both ways). The wait ends where the tree of the later span
 * begins, if that lies after the earlier one: what was done in it before the linked span was done already.
 * @param pairs spans that are linked: the one that bears the link, the one that it names
 */
export function orderLinks(
  spans: Pick<ArrangedSpans, 'parent' | 'start_ns' | 'end_ns'>,
  pairs: readonly (readonly [number, number])[],
): TraceGroupLinks {
  const { start_ns, end_ns } = spans;
  const root = rootsOf(spans.parent);
  const count = start_ns.length;
  // As one number each, so that what is told twice stands once.
  const unique = new Set<number>();
  for (const [bearer, named] of pairs) {
    const isBack = start_ns[named]! <= start_ns[bearer]!;
    const [from, to] = isBack ? [named, bearer] : [bearer, named];
    if (from !== to) unique.add(to * count + from);
  }
  const ordered = [...unique].sort((a, b) => a - b).map((both) => [both % count, Math.floor(both / count)] as const);
  const wait_from_ns = new Float64Array(ordered.length);
  const wait_until_ns = new Float64Array(ordered.length);
  for (const [at, [from, to]] of ordered.entries()) {
    const ended = end_ns[from]!;
    const begun = start_ns[root[to]!]!;
    const until = root[from] !== root[to] && begun >= ended ? begun : start_ns[to]!;
    wait_from_ns[at] = ended;
    wait_until_ns[at] = Math.max(until, ended);
  }
  return {
    from: Int32Array.from(ordered, ([from]) => from),
    to: Int32Array.from(ordered, ([, to]) => to),
    wait_from_ns,
    wait_until_ns,
  };
}
