/** Steps of a chain that say the same: what one kind of thing did to several of its kind. */
export interface ChainFold {
  /** Place of the one that stands for them. */
  readonly first: number;
  /** Places of the others, in order. */
  readonly others: readonly number[];
}

/** So many steps are read one by one. */
const SHORT = 12;

/**
 * A chain as people read it: of a long one, steps of one type whose causes say the same are one.
 * @param steps in order; `cause` is the place of an earlier step, or null
 */
export function foldChain(steps: readonly { readonly type: string; readonly cause: number | null }[]): ChainFold[] {
  if (steps.length <= SHORT) return steps.map((_, first) => ({ first, others: [] }));
  const folds = new Map<string, { readonly first: number; readonly others: number[] }>();
  const standsFor: number[] = [];
  steps.forEach(({ type, cause }, at) => {
    const key = `${type} ${cause === null ? '' : standsFor[cause]}`;
    const fold = folds.get(key);
    if (fold) fold.others.push(at);
    else folds.set(key, { first: at, others: [] });
    standsFor.push(fold?.first ?? at);
  });
  return [...folds.values()];
}

const NAMED = 3;

/** `, and on GPU-1, GPU-2, GPU-3 and 2 more`; nothing where there are none. */
export function alsoOn(devices: readonly string[]): string {
  if (devices.length === 0) return '';
  const more = devices.length > NAMED ? ` and ${devices.length - NAMED} more` : '';
  return `, and on ${devices.slice(0, NAMED).join(', ')}${more}`;
}
