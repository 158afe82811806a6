import { layerOf } from '../../../model/entity.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import { machinesShowing, watchedBehind } from '../causality/coverage.ts';
import type { Mechanism } from '../causality/mechanisms.ts';
import { causality } from '../causality/parameters.ts';
import { type Line, line, RECORDED } from '../evidence/kind.ts';
import { priorSilent } from '../evidence/priors.ts';
import { type Spread, silentWatched } from '../evidence/silent.ts';
import type { EntityNode } from '../topology/entity-graph.ts';
import { companyLines } from './event-evidence/company.ts';
import { movementLines } from './event-evidence/machines.ts';
import { rootType } from './event-evidence/type.ts';
import type { Suspect } from './hypothesis-line.ts';
import type { IncidentContext } from './incident-context.ts';
import { ranking } from './parameters.ts';

/** An entity that may have failed without a report, the assumed event, and its effects. */
export interface Silent {
  readonly node: EntityNode;
  readonly type: string;
  readonly explained: readonly Mechanism[];
}

/** Entities below an entity, by its direct child. */
export type Branches = ReadonlyMap<number, number>;

/**
 * Entities below an entity, by the direct child on the path; racks are only locations. A map that links a machine to its rack PDU and to
 * what feeds that PDU, too, has one branch there.
 */
export function branchesBelow(key: number, { input: { graph } }: IncidentContext): Branches {
  const branches = new Map<number, number>();
  const parts = graph
    .directlyBelow(key)
    .flatMap((part) => (graph.node(part)?.kind === 'rack' ? graph.directlyBelow(part) : [part]));
  const direct = new Set(parts);
  const inner = new Set<number>();
  for (const part of parts)
    for (const reached of graph.below(part))
      if (reached !== part && direct.has(reached) && !graph.below(reached).has(part)) inner.add(reached);
  for (const part of [...parts.filter((one) => !inner.has(one)), ...inner])
    for (const reached of graph.below(part)) if (!branches.has(reached)) branches.set(reached, part);
  return branches;
}

export interface Closeness {
  readonly value: number;
  readonly spread: Spread;
}

/** How close in time the first faults of most branches are, and how strongly that supports a common cause, 0 to 1. */
export function closeness(effects: readonly EventFact[], branches: Branches): Closeness {
  const firsts = new Map<number | undefined, bigint>();
  for (const { entity, time_ns } of effects) {
    const branch = branches.get(entity);
    if (!firsts.has(branch)) firsts.set(branch, time_ns);
  }
  const times = [...firsts.values()].sort((a, b) => (a < b ? -1 : 1));
  const spanOf = (count: number): number =>
    Math.min(...times.slice(count - 1).map((last, i) => Number(last - times[i]!) / 1e9));
  const all = spanOf(times.length);
  const count = Math.max(2, Math.ceil(ranking.branchShare * times.length));
  const span = all <= ranking.branchSeconds ? all : spanOf(count);
  const part = all <= ranking.branchSeconds || count === times.length ? null : { count, of: times.length };
  return { value: 1 / (1 + span / ranking.branchSeconds), spread: { span_s: span, part } };
}

/** Machines with data behind an entity, and how many show any of these events. */
export function shareOf(
  key: number,
  events: readonly EventFact[],
  { input: { graph }, watchedMachines }: IncidentContext,
): { readonly watched: number; readonly share: number } {
  const watched = watchedBehind(key, { graph, watchedMachines });
  const troubled = machinesShowing(events, { graph });
  const share = watched.size === 0 ? 0 : [...watched].filter((box) => troubled.has(box)).length / watched.size;
  return { watched: watched.size, share };
}

/** Two of three machines may show faults by chance, twenty of thirty do not: some more without any are supposed. */
export const shareValue = ({ share, watched }: { readonly share: number; readonly watched: number }): number =>
  Math.min(1, (share * watched) / (watched + ranking.supposedMachines) / causality.recordedShare);

/** A silent entity as a suspect: evidence that all have, and its own lines. */
export const silentSuspect = ({ node, type }: Silent, context: IncidentContext, lines: readonly Line[]): Suspect => ({
  event: null,
  subject: { kind: node.kind, id: node.id },
  type: 'unobserved_fault',
  lines: [
    line(priorSilent, 1, { device: node.id }),
    line(rootType, context.input.mechanisms.rootWeight(type), { type, isRoot: true }, [`mechanism:${type}`]),
    ...lines,
    ...movementLines(node.key, context),
    ...companyLines(node.key, context),
    ...watchedLines(node, context),
  ].filter(({ value }) => value !== 0),
});

/** Whether the recording would contain reports of a silent entity. */
function watchedLines(node: EntityNode, { input }: IncidentContext): Line[] {
  const { background } = input;
  if (background.isWatched(node.key))
    return [line(silentWatched, 1, { device: node.id, othersOfKind: null }, RECORDED)];
  if (background.recordedLayers.has(layerOf(node.kind)))
    return [line(silentWatched, ranking.kindWatchedValue, { device: node.id, othersOfKind: node.kind }, RECORDED)];
  return [];
}
