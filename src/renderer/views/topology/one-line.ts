import type { Topology } from '../../../model/contract/index.ts';
import { foldMap, type MapLink, type MapModel, reachOf } from './map-model.ts';
import type { EntityState } from './playhead-state.ts';
import type { Flow } from './power-flow.ts';
import { layOut, MARGIN, NODE_HEIGHT, type NodeRect } from './power-layout.ts';

/** From the mains to the machines; other kinds are no part of an electrical one-line diagram. */
const supplyKinds: ReadonlySet<string> = new Set(['ups', 'breaker', 'pdu', 'outlet', 'psu']);
const loadKinds: ReadonlySet<string> = new Set(['server', 'instance', 'node', 'device']);
export const isLoad = (kind: string): boolean => loadKinds.has(kind);
const isDrawn = (kind: string | undefined): boolean =>
  kind !== undefined && (supplyKinds.has(kind) || loadKinds.has(kind));

/** So many are drawn one by one; of more, those without differences are folded. */
const MOST_ALONE = 60;
const PITCH = 176;
const LEVEL = 116;
/** Between the middles of rows in the layout of the map. */
const ROW = NODE_HEIGHT + 18;

export interface OneLine {
  readonly model: MapModel;
  /** Upper middle of each symbol. */
  readonly places: readonly NodeRect[];
  readonly width: number;
  readonly height: number;
}

/** Supplies and machines of an incident, levels from top to bottom: the layout of the power map, turned. @param chain [] is the whole site */
export function oneLineOf(topology: Topology, flows: readonly Flow[], chain: readonly string[]): OneLine {
  const { nodes } = topology;
  const power = flows.filter(
    ({ from, to, edge }) =>
      isDrawn(nodes[from]?.kind) && isDrawn(nodes[to]?.kind) && (edge.kind === 'feeds' || nodes[from]?.kind === 'psu'),
  );
  const indexOf = new Map(nodes.map(({ key }, at) => [key, at]));
  const seeds = chain.flatMap((key) => indexOf.get(key) ?? []).filter((at) => isDrawn(nodes[at]?.kind));
  const below = reachOf(power, seeds, []);
  const reached = reachOf(power, [], below);
  const scope = seeds.length > 0 ? reached : new Set([...power.flatMap(({ from, to }) => [from, to])]);
  const alone = new Set(scope.size <= MOST_ALONE ? [...scope].map((at) => nodes[at]?.key ?? '') : chain);
  const model = foldMap(topology, power, { alone, scope });
  const { nodeRects, width } = layOut(model);
  const columns = [...new Set([...nodeRects.values()].map(({ x }) => x))].sort((a, b) => a - b);
  const top = Math.min(...[...nodeRects.values()].map(({ y }) => y));
  const places = [...nodeRects.values()].map(({ item, x, y }) => ({
    item,
    x: MARGIN + PITCH / 2 + ((y - top) / ROW) * PITCH,
    y: MARGIN + columns.indexOf(x) * LEVEL,
  }));
  const right = Math.max(0, ...places.map(({ x }) => x));
  return { model, places, width: width === 0 ? 0 : right + PITCH / 2, height: columns.length * LEVEL + MARGIN };
}

/** Events after which a supply does not feed as it should. */
const disturbances: ReadonlySet<string> = new Set([
  'utility_outage',
  'voltage_sag',
  'breaker_trip',
  'outlet_off',
  'ups_output_off',
  'psu_failure',
]);

/** State of a link of supply at an instant. */
export interface Feed {
  /** `disturbed`: by what its supply reported; `alone`: the machine reported that it lost its other supply. */
  readonly state: 'disturbed' | 'alone' | 'only' | 'shared';
  /** Type of the disturbance; '' of the others. */
  readonly type: string;
  /** Supplies of the target. */
  readonly of: number;
}

/** Redundancy of the supply of each link, by what the map and the records state. @param stateOf state of a node of the map */
export function feedsOf(links: readonly MapLink[], stateOf: (key: string) => EntityState): ReadonlyMap<MapLink, Feed> {
  const byTarget = Map.groupBy(links, ({ to }) => to);
  return new Map(
    links.map((link): [MapLink, Feed] => {
      const all = byTarget.get(link.to) ?? [link];
      const own = stateOf(link.from);
      const isDisturbed = (key: string): boolean => disturbances.has(stateOf(key).type);
      if (disturbances.has(own.type)) return [link, { state: 'disturbed', type: own.type, of: all.length }];
      if (all.length === 1) return [link, { state: 'only', type: '', of: 1 }];
      const others = all.filter((one) => one !== link);
      const isAlone = stateOf(link.to).type === 'psu_failover' && others.every(({ from }) => isDisturbed(from));
      return [link, { state: isAlone ? 'alone' : 'shared', type: '', of: all.length }];
    }),
  );
}
