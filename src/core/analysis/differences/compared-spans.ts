import { falseDiscoveryRates } from './false-discovery.ts';
import { type ShareCounts, shareChance } from './share-test.ts';
import { shareFor } from './span-differences.ts';

/** Spans whose attributes are read; of more, whole traces by chance. */
const MOST_SPANS = 100_000;
/** Beyond these, differences are small. */
const MOST_VALUES = 1000;

/** One value of an attribute, or all spans: spans of the selection and of the baseline, and the sums of share-test.ts. */
interface ComparedRow extends ShareCounts {
  readonly what: 'value' | 'total';
  /** As a search writes it. */
  readonly attribute: string;
  readonly value: string;
  /** Of the attribute, of which not all values may be among the rows. */
  readonly distinct_values: number;
}

/** Of so many spans, one trace of how many is read for `compare()`. */
export const comparedShare = (spans: number): number => shareFor(spans, MOST_SPANS);

/** What `compare()` of TraceQL answers: the values of either side, the greatest difference of shares first. */
export function comparedSpans(rows: readonly ComparedRow[]) {
  const total = rows.find(({ what }) => what === 'total') ?? { region: 0, baseline: 0, squares: 0 };
  const found = rows.filter(({ what }) => what === 'value');
  const isEmpty = total.region === 0 || total.baseline === 0;
  const rates = falseDiscoveryRates(found.map((row) => shareChance(row, total)));
  const difference = ({ region, baseline }: ShareCounts): number =>
    Math.abs(region / Math.max(1, total.region) - baseline / Math.max(1, total.baseline));
  const values = found
    .map((row, at) => ({ row, chance: isEmpty ? null : rates[at]! }))
    .sort((a, b) => difference(b.row) - difference(a.row) || (textOf(a.row) < textOf(b.row) ? -1 : 1))
    .slice(0, MOST_VALUES)
    .map(({ row: { attribute, value, region, baseline }, chance }) => ({
      ...{ attribute, value, chance },
      ...{ selection: region, baseline },
    }));
  const listed = Map.groupBy(found, ({ attribute }) => attribute);
  const cut = [...listed].flatMap(([attribute, own]) =>
    own.length < own[0]!.distinct_values ? [{ attribute, values: own[0]!.distinct_values }] : [],
  );
  return { selection: total.region, baseline: total.baseline, values, cut };
}

const textOf = ({ attribute, value }: ComparedRow): string => `${attribute} ${value}`;
