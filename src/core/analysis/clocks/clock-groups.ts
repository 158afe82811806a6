import type { ClockFact } from '../../store/facts/reader.ts';
import { clocks } from './parameters.ts';
import type { Shift } from './shift-test.ts';

/** Data sources joined by linked pairs, and their reference. */
export interface ClockGroup {
  readonly sources: readonly number[];
  readonly shifts: readonly Shift[];
  readonly reference: number;
}

/**
 * Data sources with a manual offset share the case's clock and form one group. The reference of a group is the requested
 * one, else a manual one, else the one with the smallest stated uncertainty, else the one that agrees with most others: if one
 * of five clocks is wrong, the four are right.
 */
export function groupClocks(
  sources: ReadonlyMap<number, ClockFact>,
  shifts: readonly Shift[],
  referenceSource: number | undefined,
): ClockGroup[] {
  const parent = new Map([...sources.keys()].map((id) => [id, id]));
  const root = (id: number): number => {
    let at = id;
    while (parent.get(at) !== at) {
      parent.set(at, parent.get(parent.get(at)!)!);
      at = parent.get(at)!;
    }
    return at;
  };
  const join = (a: number, b: number): void => {
    const [x, y] = [root(a), root(b)];
    parent.set(Math.max(x, y), Math.min(x, y));
  };
  for (const { first, second } of shifts) join(first, second);
  const fixedSources = [...sources.values()].filter(({ fixed }) => fixed).map(({ source_id }) => source_id);
  for (const id of fixedSources) join(id, fixedSources[0]!);
  const members = Map.groupBy(
    [...sources.keys()].sort((a, b) => a - b),
    root,
  );
  const links = Map.groupBy(shifts, ({ first }) => root(first));
  return [...members]
    .sort(([a], [b]) => a - b)
    .map(([at, list]) => {
      const own = links.get(at) ?? [];
      return { sources: list, shifts: own, reference: referenceOf(list, own, { sources, referenceSource }) };
    });
}

function referenceOf(
  list: readonly number[],
  shifts: readonly Shift[],
  {
    sources,
    referenceSource,
  }: { readonly sources: ReadonlyMap<number, ClockFact>; readonly referenceSource: number | undefined },
): number {
  if (referenceSource !== undefined && list.includes(referenceSource)) return referenceSource;
  const agreeing = new Map<number, number>();
  const pairs = new Map<number, number>();
  for (const { first, second, shift, pairs: linked } of shifts)
    for (const id of [first, second]) {
      if (Math.abs(shift) <= clocks.agreeSeconds) agreeing.set(id, (agreeing.get(id) ?? 0) + 1);
      pairs.set(id, (pairs.get(id) ?? 0) + linked.length);
    }
  const stated = (id: number): number => {
    const uncertainty = Number(sources.get(id)?.clock_uncertainty_ns ?? 0n);
    return uncertainty > 0 ? uncertainty : Number.POSITIVE_INFINITY;
  };
  const rank = (id: number) => [
    sources.get(id)?.fixed ? 0 : 1,
    stated(id),
    -(agreeing.get(id) ?? 0),
    -(pairs.get(id) ?? 0),
    id,
  ];
  return [...list].sort((a, b) => {
    const [x, y] = [rank(a), rank(b)];
    const at = x.findIndex((value, i) => value !== y[i]);
    return at < 0 ? 0 : x[at]! - y[at]!;
  })[0]!;
}
