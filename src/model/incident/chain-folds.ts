/** Equal steps of a chain: one event type on several entities of one kind. */
export interface ChainFold {
  /** Place of the one that stands for them. */
  readonly first: number;
  /** Places of the others, in order. */
  readonly others: readonly number[];
}

/** So many steps are read one by one. */
const SHORT = 12;

type Caused = { readonly type: string; readonly cause: number | null };

/**
 * A chain for display: in a long one, steps of one type with equal causes are folded. Steps that lead to the end represent
 * the group, else effects of a representing step, so that the chain stays on the same entities.
 * @param steps in order; `cause` is the place of an earlier step, or null
 * @returns by the places of those that stand for them
 */
export function foldChain(steps: readonly Caused[]): ChainFold[] {
  if (steps.length <= SHORT) return steps.map((_, first) => ({ first, others: [] }));
  const path = wayToEnd(steps);
  const representatives = new Set<number>();
  const folds = groupsOf(steps).map((places) => {
    const isLed = (at: number): boolean => representatives.has(steps[at]?.cause ?? -1);
    const first = places.find((at) => path.has(at)) ?? places.find(isLed) ?? places[0]!;
    representatives.add(first);
    return { first, others: places.filter((at) => at !== first) };
  });
  return folds.sort((a, b) => a.first - b.first);
}

/** Places of each group, groups after those of their causes. */
function groupsOf(steps: readonly Caused[]): number[][] {
  const groups = new Map<string, number[]>();
  const keys: string[] = [];
  steps.forEach(({ type, cause }, at) => {
    const key = `${type} ${cause === null ? '' : groups.get(keys[cause] ?? '')?.[0]}`;
    keys.push(key);
    const group = groups.get(key);
    if (group) group.push(at);
    else groups.set(key, [at]);
  });
  return [...groups.values()];
}

/** Places of the steps that lie on the way from the first to the last; of a short chain all. */
export function onTheWay(steps: readonly Caused[]): ReadonlySet<number> {
  return steps.length <= SHORT ? new Set(steps.keys()) : wayToEnd(steps);
}

function wayToEnd(steps: readonly Caused[]): ReadonlySet<number> {
  const way = new Set<number>();
  for (let at: number | null = steps.length - 1; at !== null && !way.has(at); at = steps[at]?.cause ?? null)
    way.add(at);
  return way.add(0);
}

/** As people call the device of a step. */
export const deviceName = ({ name, device }: { readonly name?: string | undefined; readonly device: string }): string =>
  name ?? device;

const NAMED = 3;

/** `GPU-1, GPU-2, GPU-3 and 2 more`. */
export function shortList(devices: readonly string[]): string {
  const more = devices.length > NAMED ? ` and ${devices.length - NAMED} more` : '';
  return `${devices.slice(0, NAMED).join(', ')}${more}`;
}

/** Steps as they are counted everywhere, from 1: `steps 3 to 5, 8`. */
export function stepNumbers(places: readonly number[]): string {
  const runs: { readonly from: number; readonly to: number }[] = [];
  for (const place of places) {
    const last = runs.at(-1);
    if (last && place === last.to + 1) runs[runs.length - 1] = { from: last.from, to: place };
    else runs.push({ from: place, to: place });
  }
  const rangeTexts = runs.flatMap(({ from, to }) =>
    to - from > 1 ? [`${from + 1} to ${to + 1}`] : [...new Set([`${from + 1}`, `${to + 1}`])],
  );
  return `step${places.length > 1 ? 's' : ''} ${rangeTexts.join(', ')}`;
}
