import type { TraceGroup } from '../../../model/contract/index.ts';
import { isFailed, lengthOf, nameOf, serviceOf } from './trace-group-text.ts';

/** All spans of a trace group with the same path of services and names. */
export interface CallNode {
  readonly service: string;
  readonly name: string;
  readonly depth: number;
  readonly children: readonly CallNode[];
  readonly spans: number;
  readonly errors: number;
  /** Sums over its spans. */
  readonly time_ns: number;
  readonly self_ns: number;
  /** From each start to the last end below it, summed: longer than its time if it did not wait for its children. */
  readonly reach_ns: number;
  /** The longest span. */
  readonly example: number;
}

interface Growing extends CallNode {
  readonly children: Growing[];
  spans: number;
  errors: number;
  time_ns: number;
  self_ns: number;
  reach_ns: number;
  example: number;
}

/** Merges calls with the same path of callers and names. */
export function callTree(traceGroup: TraceGroup): readonly CallNode[] {
  const roots: Growing[] = [];
  const nodes: Growing[] = [];
  const known = new Map<Growing | null, Map<string, Growing>>();
  const nodeOf = (parent: Growing | null, span: number): Growing => {
    const below = known.get(parent) ?? new Map<string, Growing>();
    known.set(parent, below);
    const key = `${traceGroup.service[span]} ${traceGroup.name[span]}`;
    const found = below.get(key);
    if (found) return found;
    const node: Growing = {
      service: serviceOf(traceGroup, span),
      name: nameOf(traceGroup, span),
      depth: parent ? parent.depth + 1 : 0,
      children: [],
      spans: 0,
      errors: 0,
      time_ns: 0,
      self_ns: 0,
      reach_ns: 0,
      example: span,
    };
    below.set(key, node);
    (parent?.children ?? roots).push(node);
    return node;
  };
  const lastEnds = lastEndsOf(traceGroup);
  for (let span = 0; span < traceGroup.trace.length; span++) {
    const parent = traceGroup.parent[span]!;
    const node = nodeOf(parent < 0 ? null : nodes[parent]!, span);
    nodes[span] = node;
    node.spans++;
    if (isFailed(traceGroup, span)) node.errors++;
    node.time_ns += lengthOf(traceGroup, span);
    node.self_ns += traceGroup.self_ns[span]!;
    node.reach_ns += lastEnds[span]! - traceGroup.start_ns[span]!;
    if (lengthOf(traceGroup, span) > lengthOf(traceGroup, node.example)) node.example = span;
  }
  return roots;
}

/** When the last span of each subtree ended; parents come before children. */
function lastEndsOf({ end_ns, parent }: TraceGroup): Float64Array {
  const ends = Float64Array.from(end_ns);
  for (let span = ends.length - 1; span >= 0; span--) {
    const above = parent[span]!;
    if (above >= 0) ends[above] = Math.max(ends[above]!, ends[span]!);
  }
  return ends;
}

export type FlameWeight = 'time' | 'self';

/** A frame of a flame graph, in shares of its width. */
export interface FlameFrame {
  readonly node: CallNode;
  readonly left: number;
  readonly width: number;
}

/**
 * Frames of a flame graph, callers first. By self time, a frame is as wide as the self time of its subtree. By time, it is
 * as wide as its duration next to its caller, including work that the caller did not wait for: otherwise a message that
 * is handled after its sender ended would have no width. Parallel children that together exceed their caller share its
 * width.
 * @param least frames narrower than this share are left out with their subtree; `hidden` counts the spans of both
 */
export function flameFrames(roots: readonly CallNode[], weight: FlameWeight, least: number) {
  const total = weight === 'self' ? selfBelow(roots) : null;
  const weigh = (node: CallNode): number => (total ? total.get(node)! : node.reach_ns);
  const frames: FlameFrame[] = [];
  let hidden = 0;
  const place = (nodes: readonly CallNode[], from: number, width: number, whole: number) => {
    const together = nodes.reduce((sum, node) => sum + weigh(node), 0);
    const unit = width / Math.max(whole, together, 1);
    let left = from;
    for (const node of nodes) {
      const wide = weigh(node) * unit;
      if (wide < least) hidden += spansBelow(node);
      else {
        frames.push({ node, left, width: wide });
        open.push({ node, left, width: wide });
      }
      left += wide;
    }
  };
  const open: FlameFrame[] = [];
  place(roots, 0, 1, 0);
  // No recursion: a trace may be deeper than the call stack.
  for (let frame = open.pop(); frame; frame = open.pop())
    place(frame.node.children, frame.left, frame.width, weigh(frame.node));
  return { boxes: frames, hidden };
}

function spansBelow(top: CallNode): number {
  let spans = 0;
  const open = [top];
  for (let node = open.pop(); node; node = open.pop()) {
    spans += node.spans;
    open.push(...node.children);
  }
  return spans;
}

function selfBelow(roots: readonly CallNode[]): ReadonlyMap<CallNode, number> {
  const order: CallNode[] = [...roots];
  for (let at = 0; at < order.length; at++) order.push(...order[at]!.children);
  const sums = new Map<CallNode, number>();
  for (const node of order.reverse())
    sums.set(
      node,
      node.children.reduce((sum, child) => sum + sums.get(child)!, node.self_ns),
    );
  return sums;
}

/** One call path in two trace groups; null where one has no such path. */
export interface ComparedCall {
  readonly service: string;
  readonly name: string;
  readonly depth: number;
  readonly key: string;
  readonly before: CallNode | null;
  readonly after: CallNode | null;
}

/** Aligns two trace groups by their call paths, in tree order; paths of only one come last. */
export function compareCalls(before: readonly CallNode[], after: readonly CallNode[]): readonly ComparedCall[] {
  const rows: ComparedCall[] = [];
  interface Pair {
    readonly before: CallNode | null;
    readonly after: CallNode | null;
    readonly key: string;
  }
  const pairsOf = (old: readonly CallNode[], now: readonly CallNode[], above: string): Pair[] => {
    const nameOfNode = ({ service, name }: CallNode): string => `${service}\u0000${name}`;
    const left = new Map(now.map((node) => [nameOfNode(node), node]));
    const both = old.map((node) => {
      const other = left.get(nameOfNode(node)) ?? null;
      left.delete(nameOfNode(node));
      return { before: node, after: other, key: `${above}\u0001${nameOfNode(node)}` };
    });
    const added = [...left.values()].map((node) => ({
      before: null,
      after: node,
      key: `${above}\u0001${nameOfNode(node)}`,
    }));
    return [...both, ...added];
  };
  const open = pairsOf(before, after, '').reverse();
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const { service, name, depth } = (pair.before ?? pair.after) as CallNode;
    rows.push({ service, name, depth, ...pair });
    open.push(...pairsOf(pair.before?.children ?? [], pair.after?.children ?? [], pair.key).reverse());
  }
  return rows;
}
