import type { ArrangedSpans } from './arrange.ts';

/** Links between spans of a trace group, from the earlier to the later span. */
export interface TraceGroupLinks {
  readonly from: Int32Array<ArrayBuffer>;
  readonly to: Int32Array<ArrayBuffer>;
  /** Idle time between both; empty if they overlap. */
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
 * Orders the spans of each link and finds the wait between them: a link only states that two spans belong together, so the
 * order comes from their times (recorders link in both directions). The wait ends where the tree of the later span begins, if
 * that is after the earlier span: work done there before the linked span was already complete.
 * @param pairs linked spans: the one with the link, and its target
 */
export function orderLinks(
  spans: Pick<ArrangedSpans, 'parent' | 'start_ns' | 'end_ns'>,
  pairs: readonly (readonly [number, number])[],
): TraceGroupLinks {
  const { start_ns, end_ns } = spans;
  const root = rootsOf(spans.parent);
  const count = start_ns.length;
  // As one number each, to remove duplicates.
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
