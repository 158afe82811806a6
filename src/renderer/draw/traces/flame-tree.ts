import type { Flame } from '../../../model/contract/index.ts';
import { messages } from '../messages.ts';

/** One frame of a flame graph; times in ms. */
export interface FlameNode {
  /** Unique in the graph and stable while its data does not change. */
  readonly key: string;
  readonly service: string | null;
  readonly name: string | null;
  readonly isOther: boolean;
  /** From the root of the graph to this frame; by self time, from the operation to its callers. */
  readonly parent: FlameNode | null;
  readonly children: FlameNode[];
  /** Self time of the frame and of all frames above it: its width. */
  time: number;
  self: number;
  /** Durations of its spans, including waits; NaN (unknown) for merged frames. */
  total: number;
  spans: number;
  errors: number;
  /** Baseline time for the same number of requests; NaN: the baseline has no such requests. */
  baseTime: number;
  baseSelf: number;
  baseSpans: number;
}

/** Requests of the window per request of the baseline, by the root of a path. */
function scales(flame: Flame): number[] {
  const found: number[] = [];
  for (let at = 0; at < flame.parent.length; at++) {
    const parent = flame.parent[at]!;
    const base = flame.base_spans[at]!;
    found.push(parent >= 0 ? found[parent]! : base > 0 ? flame.spans[at]! / base : Number.NaN);
  }
  return found;
}

const blank = (key: string, of: Pick<FlameNode, 'service' | 'name' | 'isOther' | 'parent'>): FlameNode => ({
  key,
  ...of,
  children: [],
  ...{ time: 0, self: 0, total: 0, spans: 0, errors: 0, baseTime: 0, baseSelf: 0, baseSpans: 0 },
});

/** A baseline value for the same number of requests; 0 if the baseline has the requests but not the path. */
const scaled = (value: number, scale: number): number => (Number.isNaN(scale) ? Number.NaN : value * scale);

/** By time: roots first, callees above them. Children in descending order of time. */
export function flameByTime(flame: Flame): FlameNode[] {
  const roots: FlameNode[] = [];
  const nodes: FlameNode[] = [];
  const scale = scales(flame);
  for (let at = 0; at < flame.parent.length; at++) {
    const parent = nodes[flame.parent[at]!] ?? null;
    const node: FlameNode = {
      ...blank(String(at), { ...operationAt(flame, at), parent }),
      time: flame.time_ms[at]!,
      self: flame.self_ms[at]!,
      total: flame.total_ms[at]!,
      spans: flame.spans[at]!,
      errors: flame.errors[at]!,
      baseTime: scaled(flame.base_time_ms[at]!, scale[at]!),
      baseSelf: scaled(flame.base_self_ms[at]!, scale[at]!),
      baseSpans: scaled(flame.base_spans[at]!, scale[at]!),
    };
    nodes.push(node);
    (parent ? parent.children : roots).push(node);
  }
  return sorted(roots);
}

const operationAt = (flame: Flame, at: number): Pick<FlameNode, 'service' | 'name' | 'isOther'> => ({
  service: flame.service[at] ?? null,
  name: flame.name[at] ?? null,
  isOther: flame.is_other[at] === 1,
});

/** By self time: each operation with its total self time, its callers above it. */
export function flameBySelfTime(flame: Flame): FlameNode[] {
  const scale = scales(flame);
  const top = new Map<string, FlameNode>();
  const within = new Map<FlameNode, Map<string, FlameNode>>();
  for (let at = 0; at < flame.parent.length; at++) {
    const self = flame.self_ms[at]!;
    const base = flame.base_self_ms[at]!;
    if (self === 0 && base === 0) continue;
    let place = top;
    let above: FlameNode | null = null;
    for (let step = at; step >= 0; step = flame.parent[step]!) {
      const operation = operationAt(flame, step);
      const name = JSON.stringify([operation.service, operation.name, operation.isOther]);
      let node: FlameNode | undefined = place.get(name);
      if (!node) {
        node = blank(`${above?.key ?? ''}${name}`, { ...operation, parent: above });
        place.set(name, node);
        within.set(node, new Map());
        above?.children.push(node);
      }
      add(node, flame, { at, scale: scale[at]!, isOwn: step === at });
      above = node;
      place = within.get(node)!;
    }
  }
  return sorted([...top.values()]);
}

interface Added {
  readonly at: number;
  readonly scale: number;
  readonly isOwn: boolean;
}

function add(node: FlameNode, flame: Flame, { at, scale, isOwn }: Added): void {
  node.time += flame.self_ms[at]!;
  node.baseTime += scaled(flame.base_self_ms[at]!, scale);
  node.spans += flame.spans[at]!;
  node.errors += flame.errors[at]!;
  node.baseSpans += scaled(flame.base_spans[at]!, scale);
  node.total = Number.NaN;
  if (!isOwn) return;
  node.self += flame.self_ms[at]!;
  node.baseSelf += scaled(flame.base_self_ms[at]!, scale);
}

function sorted(nodes: FlameNode[]): FlameNode[] {
  nodes.sort((a, b) => b.time - a.time);
  for (const { children } of nodes) sorted(children);
  return nodes;
}

/** `GET /v1` under a frame of the same service, otherwise `store: read`. */
export function flameLabel({ service, name, isOther, parent }: FlameNode): string {
  if (isOther) return messages.otherPaths;
  const own = name ?? messages.unnamed;
  return parent && parent.service === service ? own : `${service ?? messages.unknownService}: ${own}`;
}

/** One frame: fractions of the graph's width, row from the top. */
export interface FlameFrame {
  readonly node: FlameNode;
  readonly left: number;
  readonly width: number;
  readonly row: number;
}

/** Adjacent frames that are too small to draw: one rectangle of their total width. */
export interface FlameRest extends Omit<FlameFrame, 'node'> {
  readonly key: string;
  readonly count: number;
  readonly time: number;
}

/** Shares of the total below which frames may be merged, ascending. */
export const flameShares = [0.001, 0.005, 0.01, 0.05] as const;

/** Half a percent, or less if that would hide most of the bottom row: an empty graph would look idle. */
export function defaultFlameShare(roots: readonly FlameNode[], all: number): number {
  const [least, defaultShare] = flameShares;
  const drawn = roots.reduce((sum, { time }) => sum + (time >= all * defaultShare ? time : 0), 0);
  return drawn >= all / 2 ? defaultShare : least;
}

/**
 * Frames of the subtree `zoomed` (null: all), parents before children. Frames below a share of the total, or narrower than
 * `narrowest`, are left out with their subtree; `rests` are the rectangles in their place.
 */
export function layoutFlame(
  roots: readonly FlameNode[],
  {
    zoomed,
    share,
    all,
    narrowest,
  }: {
    readonly zoomed: FlameNode | null;
    readonly share: number;
    /** Total time of the graph. */
    readonly all: number;
    readonly narrowest: number;
  },
): {
  readonly frames: readonly FlameFrame[];
  readonly rests: readonly FlameRest[];
  readonly rows: number;
  readonly hidden: number;
} {
  const first = zoomed ? [zoomed] : roots;
  const width = first.reduce((sum, { time }) => sum + time, 0);
  const frames: FlameFrame[] = [];
  const rests: FlameRest[] = [];
  let rows = 0;
  let hidden = 0;
  const place = (nodes: readonly FlameNode[], from: number, row: number): void => {
    let left = from;
    // Children are in descending order of time, so the small ones come last.
    const rest = { count: 0, time: 0, left: 0 };
    for (const node of nodes) {
      const own = node.time / width;
      if (node.time <= 0 || node.time < all * share || own < narrowest) {
        if (rest.count === 0) rest.left = left;
        rest.count++;
        rest.time += Math.max(node.time, 0);
      } else {
        frames.push({ node, left, width: own, row });
        rows = Math.max(rows, row + 1);
        place(node.children, left, row + 1);
      }
      left += own;
    }
    hidden += rest.count;
    const own = rest.time / width;
    if (own < narrowest) return;
    rests.push({
      key: nodes[0]?.parent?.key ?? '',
      count: rest.count,
      time: rest.time,
      left: rest.left,
      width: own,
      row,
    });
    rows = Math.max(rows, row + 1);
  };
  if (width > 0) place(first, 0, 0);
  return { frames, rests, rows, hidden };
}

export type FlameOrder = 'time' | 'self';

/** A trace query for the spans of a frame: its path from the root, each step a child of the previous. */
export function flameSearch(node: FlameNode, order: FlameOrder): string {
  const steps: string[] = [];
  for (let step: FlameNode | null = node; step && steps.length < MOST_STEPS; step = step.parent)
    steps.push(stepSearch(step));
  return (order === 'time' ? steps.toReversed() : steps).join(' > ');
}

/** Limit of the query language. */
const MOST_STEPS = 12;

function stepSearch({ service, name, isOther }: FlameNode): string {
  if (isOther) return '{ }';
  const of = service === null ? '.service.name = nil' : `resource.service.name = ${quoted(service)}`;
  return name === null ? `{ ${of} }` : `{ ${of} && name = ${quoted(name)} }`;
}

const quoted = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}"`;
