import type { Topology, TopologyNode } from '../../../model/contract/index.ts';
import { nodeName } from './map-model.ts';

export interface Slot {
  readonly node: TopologyNode;
  /** GPUs inside. */
  readonly parts: readonly TopologyNode[];
}
export interface Rack {
  readonly node: TopologyNode;
  /** Highest unit first; entities without a unit follow by name. */
  readonly slots: readonly Slot[];
}

/** Racks and their contents, at any time: racks do not change within an hour. */
export function racksOf({ nodes, edges }: Pick<Topology, 'nodes' | 'edges'>): Rack[] {
  const inside = Map.groupBy(
    edges.filter(({ kind }) => kind === 'contains'),
    ({ from }) => from,
  );
  const contents = (index: number): { readonly index: number; readonly node: TopologyNode }[] =>
    [...new Set((inside.get(index) ?? []).map(({ to }) => to))].flatMap((to) => {
      const node = nodes[to];
      return node ? [{ index: to, node }] : [];
    });
  return nodes
    .map((node, index) => ({ node, index }))
    .filter(({ node }) => node.kind === 'rack')
    .sort((a, b) => byName(a.node, b.node))
    .map(({ node, index }) => ({
      node,
      slots: contents(index)
        .map(({ index: slot, node: each }) => ({
          node: each,
          parts: contents(slot)
            .map((part) => part.node)
            .filter(({ kind }) => kind === 'gpu')
            .sort(byName),
        }))
        .sort((a, b) => (b.node.unit ?? -1) - (a.node.unit ?? -1) || byName(a.node, b.node)),
    }));
}

/** node-2 before node-10. */
const byName = (a: TopologyNode, b: TopologyNode): number =>
  nodeName(a).localeCompare(nodeName(b), 'en', { numeric: true });
