import { createChance } from './chance.ts';
import { planOf } from './families/index.ts';
import { type Family, families, innocentFamilies, jobFamilies, type Split, type Variant } from './label.ts';

/** What an incident is to be, before it is. */
export interface CatalogEntry {
  readonly id: string;
  readonly seed: number;
  readonly split: Split;
  readonly family: Family;
  readonly hard: boolean;
  readonly variants: readonly Variant[];
  /** With `missing_source`: the layer of the root cause was not recorded. */
  readonly withholdRoot: boolean;
  /** How the online services are measured; training jobs always export gauges. */
  readonly form: 'gauges' | 'histograms' | 'spans';
}

/** Incidents per family: half of them easy, half hard; half to tune with (even seeds), half to test with (odd ones). */
const PER_FAMILY = 20;
/** Without a physical cause there are only three families, and false accusations are counted on them alone. */
const PER_INNOCENT_FAMILY = 40;
/** More of the same to fit the weights on: as many again as this times those to tune with. */
const TRAINING = 9;
/** Seeds of the training incidents begin here within their family; none is tuned or tested with. */
const TRAINING_SEED = 1000;
/** Incidents of the check split; after inspecting its errors use later numbers, as was done with 2000. */
export const CHECK_SEED = 3000;
/** Hard incidents have the next seeds. */
export const SEEDS_END = 5000;

/** Chances of each difficulty in a hard incident; at least two are drawn. */
const odds: readonly (readonly [variant: Variant, chance: number])[] = [
  ['benign_critical', 0.6],
  ['understated_root', 0.4],
  ['skewed_source', 0.4],
  ['missing_source', 0.4],
  ['silent_root', 0.5],
  ['late_sampling', 0.3],
  ['lost_links', 0.35],
  ['stale_topology', 0.25],
  ['wrong_zone', 0.06],
  ['overlap', 0.15],
  ['telemetry_gap', 0.12],
];

/** Other incidents to check with than those of the corpus: the first seed within each family, and how many, easy and hard. */
export interface Checking {
  readonly from: number;
  readonly each?: number;
}

/** Seeds of families of jobs do not depend on how many others there are. */
const FIRST_JOB_FAMILY = 100;

/** Every incident of the corpus, in a fixed order. @param ofJobs those of training jobs instead */
export const catalog = (check: Checking = { from: CHECK_SEED }, ofJobs = false): CatalogEntry[] =>
  (ofJobs ? jobFamilies : families).flatMap((family: Family, i: number) => {
    const f = ofJobs ? FIRST_JOB_FAMILY + i : i;
    const each = (innocentFamilies.has(family) ? PER_INNOCENT_FAMILY : PER_FAMILY) / 2;
    const places = Array.from({ length: each }, (_, i) => i);
    const training = Array.from({ length: (TRAINING * each) / 2 }, (_, i) => TRAINING_SEED + i);
    const checking = Array.from({ length: check.each ?? each }, (_, i) => check.from + i);
    const all = [...places, ...training, ...checking];
    return [false, true].flatMap((hard) => all.map((i) => entryOf(family, f, hard, i)));
  });

function splitOf(i: number): Split {
  if (i >= CHECK_SEED) return 'check';
  return i >= TRAINING_SEED ? 'train' : i % 2 === 0 ? 'tune' : 'test';
}

function entryOf(family: Family, f: number, hard: boolean, i: number): CatalogEntry {
  const seed = 10_000 * (f + 1) + (hard ? SEEDS_END : 0) + i;
  const chance = createChance(seed, 'catalog');
  const form = chance.pick(['gauges', 'gauges', 'histograms', 'spans'] as const);
  const variants = hard ? drawn(family, chance) : [];
  return {
    id: `${family}-${hard ? 'h' : 'e'}-${i}`,
    seed,
    split: splitOf(i),
    family,
    hard,
    variants,
    withholdRoot: variants.includes('missing_source') && !variants.includes('silent_root') && chance.chance(0.7),
    form,
  };
}

function drawn(family: Family, chance: ReturnType<typeof createChance>): Variant[] {
  const possible = odds.filter(([variant]) => possibleFor(family, variant));
  for (;;) {
    const variants = possible.filter(([, odd]) => chance.chance(odd)).map(([variant]) => variant);
    const silent = variants.includes('silent_root');
    // A silent root cause has no severity.
    const sound = silent ? variants.filter((variant) => variant !== 'understated_root') : variants;
    if (sound.length >= 2) return sound;
  }
}

function possibleFor(family: Family, variant: Variant): boolean {
  const innocent = innocentFamilies.has(family);
  if (variant === 'silent_root') return planOf(family)?.manyFail === true;
  if (variant === 'understated_root' || variant === 'missing_source') return !innocent;
  if (variant === 'overlap' || variant === 'skewed_source') return family !== 'healthy' && family !== 'job_done';
  return true;
}
