import type { Flame } from '../../../model/contract/index.ts';

/** What is known of one box of a flame graph; times in ms. */
export interface FlameNode {
  /** Its place among the others, stable while the flame is. */
  readonly key: string;
  readonly service: string | null;
  readonly name: string | null;
  readonly isOther: boolean;
  /** From the root of the graph to this box; of the graph by self time, from the operation to its callers. */
  readonly parent: FlameNode | null;
  readonly children: FlameNode[];
  /** Self time of the box and of all that is drawn upon it: its width. */
  time: number;
  self: number;
  /** Durations of its spans, what they wait for included; unknown (NaN) where boxes were put together. */
  total: number;
  spans: number;
  errors: number;
  /** What the baseline would have taken for as many requests; NaN: it had none of these requests. */
  baseTime: number;
  baseSelf: number;
  baseSpans: number;
}

/** How many requests the window had for one of the baseline, of the root that a path begins with. */
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

/** A value of the baseline for as many requests; what is not there at all is 0 wherever its requests were. */
const scaled = (value: number, scale: number): number => (Number.isNaN(scale) ? Number.NaN : value * scale);

/** By time: roots at the bottom of the list, what they call upon them. Children of most time first. */
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

/** By self time: every operation with the time that it spent itself, wherever it was called; upon it who called it. */
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

/** `GET /v1` below its own service, `store: read` where it is another's. */
export function flameLabel({ service, name, isOther, parent }: FlameNode): string {
  if (isOther) return 'other, rarer paths';
  const own = name ?? 'unnamed';
  return parent && parent.service === service ? own : `${service ?? 'unknown service'}: ${own}`;
}

/** One box: fractions of the graph's width, row from the top. */
export interface FlameFrame {
  readonly node: FlameNode;
  readonly left: number;
  readonly width: number;
  readonly row: number;
}

/** Boxes that are too small to be drawn one by one, side by side: together as wide as they would be. */
export interface FlameRest extends Omit<FlameFrame, 'node'> {
  readonly key: string;
  readonly count: number;
  readonly time: number;
}

/** Shares of the whole below which boxes may be put together, ascending. */
export const flameShares = [0.001, 0.005, 0.01, 0.05] as const;

/** Half a percent, or less where that would hide most of what is at the bottom: nobody must take an empty graph for idleness. */
export function defaultFlameShare(roots: readonly FlameNode[], all: number): number {
  const [least, defaultShare] = flameShares;
  const drawn = roots.reduce((sum, { time }) => sum + (time >= all * defaultShare ? time : 0), 0);
  return drawn >= all / 2 ? defaultShare : least;
}

/**
 * Boxes of the subtree `zoomed` (all: null) in the order of a walk, parents before children. Boxes below a share of the
 * whole, or narrower than `narrowest`, are left out with all that stands upon them; `rests` says where they would be.
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
    /** Time of the whole. */
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
    // They are in order of time: what is left out comes last.
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

/** Which of the two graphs. */
export type FlameOrder = 'time' | 'self';

/** A search that finds the spans of a box: its path from the root on, each step a child of the one before. */
export function flameSearch(node: FlameNode, order: FlameOrder): string {
  const steps: string[] = [];
  for (let step: FlameNode | null = node; step && steps.length < MOST_STEPS; step = step.parent)
    steps.push(stepSearch(step));
  return (order === 'time' ? steps.toReversed() : steps).join(' > ');
}

/** As many as a search may have. */
const MOST_STEPS = 12;

function stepSearch({ service, name, isOther }: FlameNode): string {
  if (isOther) return '{ }';
  const of = service === null ? '.service.name = nil' : `resource.service.name = ${quoted(service)}`;
  return name === null ? `{ ${of} }` : `{ ${of} && name = ${quoted(name)} }`;
}

const quoted = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}"`;
