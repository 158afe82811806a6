import type { Mechanisms } from '../causality/mechanisms.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';
import type { EventGroup } from './event-groups.ts';
import { kindOfMechanism, type PairKind, twinOf } from './pair-kind.ts';
import { clocks } from './parameters.ts';

/** Possible cause and effect pairs of two data sources, at any times. */
export interface SourceLink {
  /** `first <= second`; equal if one data source recorded both, which shows the delay but no clock. */
  readonly first: number;
  readonly second: number;
  readonly pairs: readonly GroupPair[];
}
export interface GroupPair {
  readonly kind: PairKind;
  readonly cause: EventGroup;
  readonly effect: EventGroup;
}

type Topology = Pick<EntityGraph, 'below'>;
type ByEntity = ReadonlyMap<number, readonly EventGroup[]>;

export function linkSources(
  groups: readonly EventGroup[],
  graph: Topology,
  mechanisms: Pick<Mechanisms, 'about'>,
): SourceLink[] {
  const byType = new Map(
    [...Map.groupBy(groups, ({ type }) => type)].map(([type, list]) => [
      type,
      Map.groupBy(list, ({ entity }) => entity),
    ]),
  );
  const links = new Map<string, { first: number; second: number; pairs: GroupPair[] }>();
  const add = (kind: PairKind, cause: EventGroup, effect: EventGroup): void => {
    const first = Math.min(cause.source, effect.source);
    const second = Math.max(cause.source, effect.source);
    const key = `${first} ${second}`;
    const link = links.get(key);
    if (link) link.pairs.push({ kind, cause, effect });
    else links.set(key, { first, second, pairs: [{ kind, cause, effect }] });
  };
  for (const [type, causes] of [...byType].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const twin = twinOf(type);
    if (twin) addTwins(twin, causes, add);
    for (const mechanism of mechanisms.about(type)) {
      if (mechanism.cause !== type || mechanism.delay_s[1] - mechanism.delay_s[0] > clocks.widestKindSeconds) continue;
      // A type that causes itself on the same entity looks like one event in two data sources.
      if (mechanism.effect === type && mechanism.relation === 'same') continue;
      const effects = byType.get(mechanism.effect);
      if (effects) addRelated(kindOfMechanism(mechanism), { causes, effects, graph }, add);
    }
  }
  return [...links.values()]
    .map((link) => ({ ...link, pairs: affordable(link.pairs) }))
    .sort((a, b) => a.first - b.first || a.second - b.second);
}

type Add = (kind: PairKind, cause: EventGroup, effect: EventGroup) => void;

function addTwins(kind: PairKind, groups: ByEntity, add: Add): void {
  for (const list of groups.values())
    list.forEach((cause, i) => {
      for (const effect of list.slice(i + 1)) if (cause.source !== effect.source) add(kind, cause, effect);
    });
}

function addRelated(
  kind: PairKind,
  { causes, effects, graph }: { readonly causes: ByEntity; readonly effects: ByEntity; readonly graph: Topology },
  add: Add,
): void {
  const cross = (from: readonly EventGroup[], to: readonly EventGroup[]): void => {
    for (const cause of from) for (const effect of to) add(kind, cause, effect);
  };
  if (kind.relation !== 'same' && kind.relation !== 'below' && kind.relation !== 'above') return;
  // 'above' is 'below' with cause and effect exchanged.
  const [upper, lower] = kind.relation === 'above' ? [effects, causes] : [causes, effects];
  for (const [entity, list] of upper) {
    if (kind.relation === 'same') {
      cross(list, effects.get(entity) ?? []);
      continue;
    }
    for (const reached of graph.below(entity)) {
      const others = reached === entity ? undefined : lower.get(reached);
      if (others)
        cross(...((kind.relation === 'above' ? [others, list] : [list, others]) as [EventGroup[], EventGroup[]]));
    }
  }
}

const cost = ({ cause, effect }: GroupPair): number => cause.time_s.length * effect.time_s.length;

function affordable(pairs: GroupPair[]): GroupPair[] {
  const sorted = pairs.sort(
    (a, b) =>
      cost(a) - cost(b) ||
      a.cause.entity - b.cause.entity ||
      a.effect.entity - b.effect.entity ||
      a.cause.source - b.cause.source ||
      (a.kind.name < b.kind.name ? -1 : a.kind.name > b.kind.name ? 1 : 0),
  );
  let left = clocks.mostPairs;
  const end = sorted.findIndex((pair) => {
    left -= cost(pair);
    return left < 0;
  });
  return end < 0 ? sorted : sorted.slice(0, Math.max(1, end));
}
