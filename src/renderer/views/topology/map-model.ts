import type { Topology, TopologyEdge, TopologyNode } from '../../../model/contract/index.ts';
import { columnOf, type Flow } from './power-flow.ts';

/** One box of the map: a thing, or several alike that nothing tells apart. */
export interface MapItem {
  /** Of this box, on this map only. */
  readonly key: string;
  /** `kind:id`; null: a stack of several. */
  readonly entityKey: string | null;
  readonly kind: string;
  readonly layer: string;
  readonly label: string;
  /** One, unless it is a stack. */
  readonly members: readonly TopologyNode[];
  readonly column: number;
}

export interface MapLink {
  readonly from: string;
  readonly to: string;
  /** All links between the things of both ends. */
  readonly edges: readonly TopologyEdge[];
}

export interface MapModel {
  readonly items: readonly MapItem[];
  readonly links: readonly MapLink[];
  /** Box of each thing that is on the map. */
  readonly nodeByEntity: ReadonlyMap<string, string>;
  /** Things that would not fit and that no filter left out. */
  readonly hidden: number;
}

export interface MapOptions {
  /** Things that must stand alone: involved, selected, annotated, or unfolded. */
  readonly alone: ReadonlySet<string>;
  /** Indexes of the nodes to show; null: all. */
  readonly scope: ReadonlySet<number> | null;
}

/** Few enough to be read one by one. */
const FEW = 24;
/** Boxes on one map; more can be neither read nor drawn at once. */
const MOST_NODES = 400;

interface Fold {
  readonly members: TopologyNode[];
  readonly column: number;
}

/**
 * Folds a topology into what can be read: things of one kind under the same boxes become one stack, column by column,
 * so that an unremarkable rack is one box and its GPUs another.
 */
export function foldMap({ nodes }: Pick<Topology, 'nodes'>, flows: readonly Flow[], options: MapOptions): MapModel {
  const { alone, scope } = options;
  const shown = nodes
    .map((node, index) => ({ node, index, column: columnOf(node.kind) }))
    .filter((one): one is { node: TopologyNode; index: number; column: number } => one.column !== undefined)
    .filter(({ index }) => scope === null || scope.has(index))
    .sort((a, b) => a.column - b.column || a.node.id.localeCompare(b.node.id, 'en', { numeric: true }));
  const few = shown.length <= FEW;
  const sources = Map.groupBy(flows, ({ to }) => to);
  const nodeByEntity = new Map<number, string>();
  const folds = new Map<string, Fold>();
  const numbers = new Map<string, number>();
  for (const { node, index, column } of shown) {
    const above = new Set(
      (sources.get(index) ?? []).flatMap(({ from }) => numbers.get(nodeByEntity.get(from) ?? '') ?? []),
    );
    const stack = `${node.kind} under ${[...above].sort((a, b) => a - b).join()}`;
    const key = few || alone.has(node.key) ? node.key : stack;
    nodeByEntity.set(index, key);
    const fold = folds.get(key) ?? { members: [], column };
    fold.members.push(node);
    folds.set(key, fold);
    if (!numbers.has(key)) numbers.set(key, numbers.size);
  }
  for (const [index, key] of nodeByEntity) nodeByEntity.set(index, nameOf(key, folds));
  const mapNodes = [...folds].map(([key, fold]) => [nameOf(key, folds), fold] as const);
  const items = mapNodes.slice(0, MOST_NODES).map(([key, fold]) => toItem(key, fold));
  const itemKeys = new Set(items.map(({ key }) => key));
  return {
    items,
    links: linksOf(flows, nodeByEntity, itemKeys),
    nodeByEntity: new Map(shown.flatMap(({ node, index }) => named(node.key, nodeByEntity.get(index), itemKeys))),
    hidden: mapNodes.slice(MOST_NODES).reduce((sum, [, { members }]) => sum + members.length, 0),
  };
}

/** Nothing was folded where a stack has one member: it goes by that one's name. */
function nameOf(key: string, folds: ReadonlyMap<string, Fold>): string {
  const [only, second] = folds.get(key)?.members ?? [];
  return only && !second ? only.key : key;
}

const named = (key: string, mapNode: string | undefined, itemKeys: ReadonlySet<string>): [string, string][] =>
  mapNode !== undefined && itemKeys.has(mapNode) ? [[key, mapNode]] : [];

function toItem(key: string, { members, column }: Fold): MapItem {
  const [first] = members as [TopologyNode];
  const single = members.length === 1;
  return {
    key,
    entityKey: single ? first.key : null,
    kind: first.kind,
    layer: first.layer,
    label: single ? first.id : `${members.length} ${several(first.kind)}`,
    members,
    column,
  };
}

const acronyms: ReadonlySet<string> = new Set(['ups', 'pdu', 'psu', 'cpu', 'gpu', 'nic']);
const plurals: Readonly<Record<string, string>> = {
  switch: 'switches',
  process: 'processes',
  cooling: 'cooling units',
};
const several = (kind: string): string => plurals[kind] ?? `${kindLabel(kind)}s`;
export const kindLabel = (kind: string): string => (acronyms.has(kind) ? kind.toUpperCase() : kind);

function linksOf(
  flows: readonly Flow[],
  nodeByEntity: ReadonlyMap<number, string>,
  kept: ReadonlySet<string>,
): readonly MapLink[] {
  const found = new Map<string, { readonly from: string; readonly to: string; readonly edges: TopologyEdge[] }>();
  for (const { from, to, edge } of flows) {
    const [a, b] = [nodeByEntity.get(from), nodeByEntity.get(to)];
    if (a === undefined || b === undefined || a === b || !kept.has(a) || !kept.has(b)) continue;
    const link = found.get(`${a}\n${b}`) ?? { from: a, to: b, edges: [] };
    link.edges.push(edge);
    found.set(`${a}\n${b}`, link);
  }
  return [...found.values()];
}

/** Everything from which a thing can be harmed, and everything that the given things can harm. */
export function reachOf(flows: readonly Flow[], from: Iterable<number>, to: Iterable<number>): Set<number> {
  const down = Map.groupBy(flows, (flow) => flow.from);
  const up = Map.groupBy(flows, (flow) => flow.to);
  return new Set([
    ...walk(from, (index) => (down.get(index) ?? []).map((flow) => flow.to)),
    ...walk(to, (index) => (up.get(index) ?? []).map((flow) => flow.from)),
  ]);
}

function walk(start: Iterable<number>, next: (index: number) => readonly number[]): Set<number> {
  const reached = new Set(start);
  for (const index of reached) for (const one of next(index)) reached.add(one);
  return reached;
}

/** Boxes on the shortest way from one to another along the links, whatever their direction; [] when there is none. */
export function wayBetween(links: readonly MapLink[], from: string, to: string): string[] {
  const adjacent = new Map<string, string[]>();
  for (const link of links) {
    adjacent.set(link.from, [...(adjacent.get(link.from) ?? []), link.to]);
    adjacent.set(link.to, [...(adjacent.get(link.to) ?? []), link.from]);
  }
  const before = new Map<string, string | null>([[from, null]]);
  for (const [mapNode] of before) {
    if (mapNode === to) break;
    for (const next of adjacent.get(mapNode) ?? []) if (!before.has(next)) before.set(next, mapNode);
  }
  const way: string[] = [];
  for (let at: string | null | undefined = before.has(to) ? to : undefined; at; at = before.get(at)) way.unshift(at);
  return way;
}
