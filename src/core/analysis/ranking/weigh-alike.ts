import type { EntityGraph } from '../topology/entity-graph.ts';
import { logOdds, type Suspect } from './hypothesis-line.ts';
import { ranking } from './parameters.ts';
import type { Weights } from './weights.ts';

/** What may be a cause, as it is weighed. */
export interface Weighing<T> {
  /** Equal for those that no evidence but the time can distinguish. */
  likenessOf(one: T): string;
  timeOf(one: T): bigint;
  /** null: nothing accuses it. */
  weigh(one: T): Suspect | null;
  /** One with the evidence of another that is like it. */
  supposed(one: T, like: Suspect): Suspect;
}

interface Weighed<T> {
  readonly one: T;
  readonly suspect: Suspect | null;
  /** Log-odds. */
  readonly odds: number;
  /** It has the evidence of another for now. */
  readonly isSupposed: boolean;
}

export interface Among {
  readonly weights: Weights;
  /** Suspects that are weighed already and may be listed before these. */
  readonly others?: readonly Suspect[];
}

/**
 * A suspect for each, in their order. Of thousands, those that are alike are weighed by their first and last one; each of them
 * that may be listed is weighed itself.
 */
export function weighAlike<T>(all: readonly T[], how: Weighing<T>, { weights, others = [] }: Among): Suspect[] {
  const weighed = (one: T): Weighed<T> => {
    const suspect = how.weigh(one);
    return { one, suspect, odds: suspect ? logOdds(suspect, weights) : Number.NEGATIVE_INFINITY, isSupposed: false };
  };
  if (all.length < ranking.manySuspects) return all.flatMap((one) => how.weigh(one) ?? []);
  const before = others.map((suspect) => logOdds(suspect, weights));
  let groups = [...Map.groupBy(all, how.likenessOf).values()].map((group) => represented(group, how, weighed));
  for (;;) {
    const wanted = mayBeListed(groups.flat(), before);
    if (wanted.size === 0) break;
    groups = groups.map((group) =>
      group.some((one) => wanted.has(one)) ? group.map(({ one }) => weighed(one)) : group,
    );
  }
  const found = new Map(groups.flat().map(({ one, suspect }) => [one, suspect]));
  return all.flatMap((one) => found.get(one) ?? []);
}

/** Where the first and the last of a group differ, or nothing accuses one of them, each of them is weighed. */
function represented<T>(group: readonly T[], how: Weighing<T>, weighed: (one: T) => Weighed<T>): Weighed<T>[] {
  if (group.length < ranking.leastAlike) return group.map(weighed);
  const inOrder = group.toSorted((a, b) => Number(how.timeOf(a) - how.timeOf(b)));
  const first = weighed(inOrder[0]!);
  const last = weighed(inOrder.at(-1)!);
  const lower = first.odds < last.odds ? first : last;
  const { suspect, odds } = lower;
  if (!suspect || Math.abs(first.odds - last.odds) > ranking.alikeLogOdds) return group.map(weighed);
  const between = inOrder.slice(1, -1);
  return [first, ...between.map((one) => ({ one, suspect: how.supposed(one, suspect), odds, isSupposed: true })), last];
}

/**
 * Those without evidence of their own that are among the first, or nearly as probable as what is listed.
 * @param before log-odds of others that are weighed
 */
function mayBeListed<T>(all: readonly Weighed<T>[], before: readonly number[]): ReadonlySet<Weighed<T>> {
  const places = [
    ...before.map((odds) => ({ odds, supposed: undefined })),
    ...all.map((one) => ({ odds: one.odds, supposed: one.isSupposed ? one : undefined })),
  ].sort((a, b) => b.odds - a.odds || Number(a.supposed !== undefined) - Number(b.supposed !== undefined));
  const highest = places[0]!.odds;
  const total = places.reduce((sum, { odds }) => sum + Math.exp(odds - highest), 0);
  const least = highest + Math.log((ranking.leastListedProbability / 2) * total);
  const near = places.filter(({ odds }, i) => i < ranking.listed || odds >= least);
  return new Set(near.flatMap(({ supposed }) => supposed ?? []));
}

/** What feeds an entity, what it carries, and how many machines are behind it. */
export function placeLikeness(entity: number, graph: EntityGraph): string {
  const machines = new Set(graph.machinesOf(entity));
  const above = [...graph.above(entity)].filter((key) => key !== entity && !machines.has(key));
  const services = [...graph.servicesOn(entity)];
  return [above.sort().join(' '), services.sort().join(' '), graph.machinesBelow(entity).size].join('; ');
}
