import { layerOf } from '../../../model/entity.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import type { Mechanism } from '../causality/mechanisms.ts';
import { type Line, line, RECORDED } from '../evidence/kind.ts';
import { priorSilent } from '../evidence/priors.ts';
import { type Spread, silentWatched } from '../evidence/silent.ts';
import { rootType } from '../evidence/type.ts';
import type { EntityNode } from '../topology/entity-graph.ts';
import { companyLines, movementLines } from './event-suspects.ts';
import type { Suspect } from './hypothesis-line.ts';
import type { IncidentContext } from './incident-context.ts';

/** A thing that may have failed without a word, what it did then, and what follows from that. */
export interface Silent {
  readonly node: EntityNode;
  readonly type: string;
  readonly explained: readonly Mechanism[];
}

/** Branches that fail for one reason begin to do so within seconds: half of the weight is gone at this distance. */
const TOGETHER_S = 5;

/** What lies below a thing, by the part directly below it. */
export type Branches = ReadonlyMap<number, number>;

/** What lies below a thing, by the part directly below it through which it is reached; a rack is only where things are. */
export function branchesBelow(key: number, { input: { graph } }: IncidentContext): Branches {
  const branches = new Map<number, number>();
  const parts = graph
    .directlyBelow(key)
    .flatMap((part) => (graph.node(part)?.kind === 'rack' ? graph.directlyBelow(part) : [part]));
  for (const part of parts)
    for (const reached of graph.below(part)) if (!branches.has(reached)) branches.set(reached, part);
  return branches;
}

export interface Closeness {
  readonly value: number;
  readonly spread: Spread;
}

/** Most of the branches, for one of them may have had trouble of its own, or be told late. */
const MOST = 2 / 3;

/** How close the first signs of trouble of most branches lie, and how much that speaks for one reason, 0 to 1. */
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
  const count = Math.max(2, Math.ceil(MOST * times.length));
  const span = all <= TOGETHER_S ? all : spanOf(count);
  const part = all <= TOGETHER_S || count === times.length ? null : { count, of: times.length };
  return { value: 1 / (1 + span / TOGETHER_S), spread: { span_s: span, part } };
}

/** Machines behind a thing of which anything was recorded, and how many of them show some of these events. */
export function shareOf(
  key: number,
  events: readonly EventFact[],
  { input: { graph }, watchedMachines }: IncidentContext,
): { readonly watched: number; readonly share: number } {
  const watched = [...graph.machinesBelow(key)].filter((machine) => watchedMachines.has(machine));
  const troubled = new Set(events.flatMap(({ entity }) => [...graph.machinesBelow(entity)]));
  const share = watched.length === 0 ? 0 : watched.filter((box) => troubled.has(box)).length / watched.length;
  return { watched: watched.length, share };
}

/** Not all that hangs on a thing shows that it failed, and not all of that is recorded: from here on it is as good as all. */
const AS_GOOD_AS_ALL = 0.6;
export const shareValue = (share: number): number => Math.min(1, share / AS_GOOD_AS_ALL);

/** The suspicion against a silent thing: what holds for each of them, and the lines of its story. */
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

/** Whether a silent thing could have been heard. */
function watchedLines(node: EntityNode, { input }: IncidentContext): Line[] {
  const { background } = input;
  if (background.isWatched(node.key))
    return [line(silentWatched, 1, { device: node.id, othersOfKind: null }, RECORDED)];
  if (background.recordedLayers.has(layerOf(node.kind)))
    return [line(silentWatched, 0.5, { device: node.id, othersOfKind: node.kind }, RECORDED)];
  return [];
}
