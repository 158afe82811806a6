import type { Topology, TopologyEdge, TopologyNode } from '../../../model/contract/index.ts';
import { messages } from './messages.ts';
import { columnOf, type Flow } from './power-flow.ts';

/** One node of the map: an entity, or a stack of similar entities without differences. */
export interface MapItem {
  /** Key of this node on this map. */
  readonly key: string;
  /** Entity key; null: a stack. */
  readonly entityKey: string | null;
  readonly kind: string;
  readonly layer: string;
  readonly label: string;
  /** One entity, unless it is a stack. */
  readonly members: readonly TopologyNode[];
  readonly column: number;
}

export interface MapLink {
  readonly from: string;
  readonly to: string;
  /** All links between the entities of both ends. */
  readonly edges: readonly TopologyEdge[];
}

export interface MapModel {
  readonly items: readonly MapItem[];
  readonly links: readonly MapLink[];
  /** Node of each entity on the map. */
  readonly nodeByEntity: ReadonlyMap<string, string>;
  /** Entities that do not fit, although no filter hides them. */
  readonly hidden: number;
}

export interface MapOptions {
  /** Entities that must not be stacked: involved, selected, annotated, or unfolded. */
  readonly alone: ReadonlySet<string>;
  /** Indexes of the nodes to show; null: all. */
  readonly scope: ReadonlySet<number> | null;
}

/** So few that each can have its own node. */
const FEW = 24;
/** Maximum number of nodes on a map; more would be unreadable and slow. */
const MOST_NODES = 400;

interface Fold {
  readonly members: TopologyNode[];
  readonly column: number;
}

/**
 * Folds a topology to a readable size: entities of one kind with the same parents become one stack, column by column. A rack
 * without anomalies becomes one node, and its GPUs another.
 */
export function foldMap({ nodes }: Pick<Topology, 'nodes'>, flows: readonly Flow[], options: MapOptions): MapModel {
  const { alone, scope } = options;
  const shown = nodes
    .map((node, index) => ({ node, index, column: columnOf(node.kind) }))
    .filter((one): one is { node: TopologyNode; index: number; column: number } => one.column !== undefined)
    .filter(({ index }) => scope === null || scope.has(index))
    .sort((a, b) => a.column - b.column || nodeName(a.node).localeCompare(nodeName(b.node), 'en', { numeric: true }));
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

/** What people call an entity; its id where nothing else is known. */
export const nodeName = ({ name, id }: TopologyNode): string => name ?? id;

/** A stack with one member has the name of the member. */
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
    label: single ? nodeName(first) : `${members.length} ${several(first.kind)}`,
    members,
    column,
  };
}

const acronyms: ReadonlySet<string> = new Set(['ups', 'pdu', 'psu', 'cpu', 'gpu', 'nic']);
const plurals: Readonly<Record<string, string>> = {
  switch: messages.kinds.switch,
  process: messages.kinds.process,
  cooling: messages.kinds.cooling,
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

/** All entities that can harm the given ones, and all that these can harm. */
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

/** Links between causes and effects, as `from\nto`, along the shortest path. */
export function linksOnChain(
  { nodeByEntity, links }: MapModel,
  pairs: readonly (readonly [cause: string, effect: string])[],
): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [cause, effect] of pairs) {
    const [from, to] = [nodeByEntity.get(cause), nodeByEntity.get(effect)];
    const way = from === undefined || to === undefined ? [] : pathBetween(links, from, to);
    for (const [at, nodeRect] of way.slice(1).entries())
      found.add([way[at], nodeRect].join('\n')).add([nodeRect, way[at]].join('\n'));
  }
  return found;
}

/** Nodes on the shortest path between two nodes, ignoring link direction; [] if there is none. */
export function pathBetween(links: readonly MapLink[], from: string, to: string): string[] {
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
