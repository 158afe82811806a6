import { jsonMembers } from '../../../base/json-members.ts';
import type { DifferenceFilter, PointFact, Reader } from '../../store/facts/reader.ts';
import { rankLimit, studentTail } from '../software/significance.ts';
import { type Candidate, type Comparison, numberCandidate } from './candidate.ts';
import { type QuantileFact, quantileFacts } from './histogram-differences.ts';
import { differences } from './parameters.ts';
import { shareFor } from './span-differences.ts';
import { spreadOfFact } from './spread.ts';

/** Numeric series that changed: median against median, in robust deviations of the baseline. */
export async function pointDifferences(reader: Reader, filter: DifferenceFilter): Promise<Comparison> {
  const counts = await reader.pointCounts(filter);
  if (counts.region === 0 && counts.baseline === 0) return { candidates: [], compared: [], left_out: [] };
  const shares = {
    region: shareFor(counts.region, differences.mostPoints),
    baseline: shareFor(counts.baseline, differences.mostPoints),
  };
  const facts = await reader.points(filter, shares);
  const quantiles = await quantileFacts(reader, filter);
  const all = [...facts.map((fact) => ({ ...fact, spread: spreadOfFact(fact) })), ...quantiles.facts];
  const texts = seriesTexts(all);
  const candidates = all.map((fact, at) => toCandidate(fact, texts[at]!));
  const untested = (facts[0]?.series_count ?? 0) - facts.length;
  return {
    candidates,
    compared: [
      {
        population: 'metrics',
        ...counts,
        region_share: 1 / shares.region,
        baseline_share: 1 / shares.baseline,
        tested: candidates.length,
      },
    ],
    left_out: [
      ...(untested > 0 && facts.length > 0
        ? [{ attribute: `${untested} series`, reason: 'fewer than 3 samples in the region or 8 in the baseline' }]
        : []),
      ...(quantiles.series > quantiles.read
        ? [
            {
              attribute: `${quantiles.series - quantiles.read} histograms`,
              reason: 'only the means of so many histograms are compared',
            },
          ]
        : []),
    ],
  };
}

function toCandidate(fact: QuantileFact, value: string): Candidate {
  const { attribute, unit } = readingOf(fact);
  const candidate = numberCandidate({ population: 'metrics', attribute, value, entity: fact.entity }, unit, fact);
  const spread = spreadOf(fact);
  const moved = fact.region_median - fact.baseline_median;
  return { ...candidate, p: shiftChance(fact), deviations: spread === 0 ? null : moved / spread };
}

/** Suffixes of the readings of a histogram, the clearest one first. */
const READINGS = { p99: ', p99', p95: ', p95', p50: ', p50', mean: ', mean' } as const;
/** The series of a reading of a histogram, and how clear the reading is; undefined: no such reading. */
export function histogramReading(attribute: string): { readonly metric: string; readonly place: number } | undefined {
  const place = Object.values(READINGS).findIndex((suffix) => attribute.endsWith(suffix));
  return place < 0 ? undefined : { metric: attribute.slice(0, attribute.lastIndexOf(',')), place };
}

/** Label of a series from its name and unit. */
export function readingOf({ metric, unit, reading }: Pick<PointFact, 'metric' | 'unit' | 'reading'>) {
  const attribute =
    reading === 'value' ? metric : reading === 'rate' ? `${metric} per second` : `${metric}${READINGS[reading]}`;
  return { attribute, unit: reading === 'rate' && unit !== '' ? `${unit}/s` : unit };
}

/** Robust standard deviation of the baseline, which a few outliers or a quiet hour must not reduce to zero. */
const spreadOf = ({ baseline_mad, baseline_min, baseline_max, baseline_median }: QuantileFact): number =>
  Math.max(
    1.4826 * baseline_mad,
    (baseline_max - baseline_min) / differences.rangeSpreads,
    differences.leastSpreadShare * Math.abs(baseline_median),
  );

/**
 * Adjacent samples are correlated, and levels drift: the region counts as one value, however many samples it has. Levels that
 * the baseline reached at times are as likely.
 */
function shiftChance(fact: QuantileFact): number {
  const moved = Math.abs(fact.region_median - fact.baseline_median);
  if (moved === 0) return 1;
  if (fact.baseline_min === fact.baseline_max) return Math.min(1, 2 * rankLimit(fact.baseline, fact.region));
  const t = moved / (spreadOf(fact) * Math.sqrt(1 + 1 / fact.baseline));
  return Math.min(1, Math.max(2 * studentTail(t, fact.baseline - 1), (2 * fact.beyond) / fact.baseline));
}

/** Attributes that a series has in common with its sisters are shown up to this many in all. */
const MOST_SHOWN = 3;

type SeriesAttributes = ReadonlyMap<string, unknown>;

/**
 * The entity of each series, and its attributes: first those in which the series of one metric of an entity differ (of 8 ranks:
 * the rank), all of them; then some that they have in common.
 */
function seriesTexts(facts: readonly QuantileFact[]): string[] {
  const known = facts.map(({ attributes }) => attributesOf(attributes));
  const sisters = Map.groupBy(facts.keys(), (at) => {
    const { entity, metric, reading } = facts[at]!;
    return `${entity}\n${metric}\n${reading === 'value' || reading === 'rate' ? reading : 'collected'}`;
  });
  const texts: string[] = [];
  for (const places of sisters.values()) {
    const differing = differingNames(places.map((at) => known[at]!));
    for (const at of places) texts[at] = `${facts[at]!.entity.replace(/^[^:]*:/, '')}${shownOf(known[at]!, differing)}`;
  }
  return texts;
}

/** Names of the attributes that not all of these series have with one value. */
function differingNames(series: readonly SeriesAttributes[]): Set<string> {
  const values = new Map<string, { readonly first: unknown; times: number }>();
  const differing = new Set<string>();
  for (const attributes of series)
    for (const [name, value] of attributes) {
      const seen = values.get(name);
      if (!seen) values.set(name, { first: value, times: 1 });
      else if (seen.first === value) seen.times++;
      else differing.add(name);
    }
  for (const [name, { times }] of values) if (times < series.length) differing.add(name);
  return differing;
}

function shownOf(attributes: SeriesAttributes, differing: ReadonlySet<string>): string {
  const names = [...attributes.keys()];
  const first = names.filter((name) => differing.has(name));
  const common = names.filter((name) => !differing.has(name)).slice(0, Math.max(0, MOST_SHOWN - first.length));
  const shown = [...first, ...common].map((name) => `${name}=${attributes.get(name)}`);
  return shown.length > 0 ? ` (${shown.join(', ')})` : '';
}

function attributesOf(attributes: string): SeriesAttributes {
  if (attributes === '' || attributes === '{}') return new Map();
  const all = Object.entries(jsonMembers(attributes));
  return new Map(all.filter(([key, value]) => typeof value !== 'object' && !key.startsWith('otel.scope.')));
}
