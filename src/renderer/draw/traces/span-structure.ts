import type { ComparedCall } from './call-tree.ts';
import type { FlameNode } from './flame-tree.ts';

/** `longer`, `shorter`: by time; `more`, `fewer`: as long, by another number of spans. */
export type StructureChange = 'new' | 'gone' | 'longer' | 'shorter' | 'more' | 'fewer' | null;

/** What the spans of one path amount to. */
export interface StructureSide {
  /** Of groups: for as many requests on both sides, so not always whole. */
  readonly spans: number;
  /** Sum over the spans. */
  readonly time_ns: number;
}

/** One path of services and span names, of two traces or of two groups of them. */
export interface StructureRow {
  readonly key: string;
  readonly depth: number;
  /** null: not recorded. */
  readonly service: string | null;
  readonly name: string | null;
  /** null: there was no such path. */
  readonly before: StructureSide | null;
  readonly after: StructureSide | null;
  readonly change: StructureChange;
}

export interface Structure {
  /** Callers before what they call. */
  readonly rows: readonly StructureRow[];
  /** Paths that were left out: those that changed least. */
  readonly left: number;
  /** The longest time of any row: the scale of all bars. */
  readonly longest_ns: number;
}

/** Times that differ by less than this share of the longer one count as equal, as in a flame graph. */
const NOTEWORTHY = 0.1;
/** And by less than this share of the longest time of the tree. */
const LEAST_OF_ALL = 0.01;
/** Numbers of spans per request that differ by less are chance. */
const MORE = 1.2;

type Sides = Omit<StructureRow, 'change'>;

function changeOf({ before, after }: Sides, longest: number): StructureChange {
  if (!before) return after ? 'new' : null;
  if (!after) return 'gone';
  const difference = after.time_ns - before.time_ns;
  const noteworthy = Math.max(NOTEWORTHY * Math.max(after.time_ns, before.time_ns), LEAST_OF_ALL * longest);
  if (Math.abs(difference) >= noteworthy && difference !== 0) return difference > 0 ? 'longer' : 'shorter';
  if (after.spans >= MORE * before.spans) return 'more';
  return after.spans * MORE <= before.spans ? 'fewer' : null;
}

/** Rows in the order of their tree, at most so many: those that changed most, with their callers. */
function structureOf(all: readonly Sides[], most: number): Structure {
  const longest_ns = all.reduce((high, { before, after }) => {
    return Math.max(high, before?.time_ns ?? 0, after?.time_ns ?? 0);
  }, 1);
  const rows = all.map((row) => ({ ...row, change: changeOf(row, longest_ns) }));
  if (rows.length <= most) return { rows, left: 0, longest_ns };
  const above = callersOf(rows);
  const weight = ({ before, after, change }: StructureRow): number =>
    (change === null ? 0 : longest_ns) + Math.abs((after?.time_ns ?? 0) - (before?.time_ns ?? 0));
  const order = rows.map((_, at) => at).sort((a, b) => weight(rows[b]!) - weight(rows[a]!) || a - b);
  const kept = new Set<number>();
  for (const at of order) {
    const path: number[] = [];
    for (let step = at; step >= 0 && !kept.has(step); step = above[step]!) path.push(step);
    if (kept.size + path.length > most) continue;
    for (const step of path) kept.add(step);
  }
  return { rows: rows.filter((_, at) => kept.has(at)), left: rows.length - kept.size, longest_ns };
}

/** Index of the caller of each row; -1: none. */
function callersOf(rows: readonly StructureRow[]): readonly number[] {
  const open: number[] = [];
  return rows.map(({ depth }, at) => {
    open.length = depth;
    open[depth] = at;
    return depth === 0 ? -1 : (open[depth - 1] ?? -1);
  });
}

/** Of two traces. */
export const structureOfCalls = (calls: readonly ComparedCall[], most: number): Structure => structureOf(calls, most);

const MS = 1e6;

/** Of two groups of traces, the earlier scaled to as many requests: paths of a flame graph with a baseline. */
export function structureOfFlame(roots: readonly FlameNode[], most: number): Structure {
  const rows: Sides[] = [];
  const open = roots.map((node) => ({ node, depth: 0 })).reverse();
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, depth } = next;
    if (!node.isOther) {
      const { key, service, name, spans, time, baseSpans, baseTime } = node;
      const before = baseSpans > 0 ? { spans: baseSpans, time_ns: baseTime * MS } : null;
      rows.push({ key, depth, service, name, before, after: spans > 0 ? { spans, time_ns: time * MS } : null });
    }
    for (const child of node.children.toReversed()) open.push({ node: child, depth: depth + 1 });
  }
  return structureOf(rows, most);
}

export const changedRows = ({ rows }: Structure): readonly StructureRow[] =>
  rows.filter(({ change }) => change !== null);
