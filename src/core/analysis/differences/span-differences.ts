import type { DifferenceFilter, Reader, Shares, SpanNumberFact, SpanValueFact } from '../../store/facts/reader.ts';
import { type Candidate, type Comparison, numberCandidate, shareCandidate } from './candidate.ts';
import { differences } from './parameters.ts';
import type { ShareTotals } from './share-test.ts';
import { spreadOfFact } from './spread.ts';

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
const statuses = ['unset', 'ok', 'error'];

export const spanAttribute = (dim: number, key: string): string =>
  ['attribute', 'resource'][dim] === undefined
    ? ['service', 'span name', 'span kind', 'status'][dim - 2]!
    : `${['attribute', 'resource'][dim]} ${key}`;

const valueLabel = (dim: number, value: string): string =>
  dim === 4 ? (kinds[Number(value)] ?? value) : dim === 5 ? (statuses[Number(value)] ?? value) : value;

/** A power of two, that leaves about so many. */
export const shareFor = (count: number, most: number): number => 2 ** Math.max(0, Math.ceil(Math.log2(count / most)));

/** Values and numbers of spans; counted per trace and side (share-test.ts, number-test.ts). */
export async function spanDifferences(reader: Reader, filter: DifferenceFilter, isTimed: boolean): Promise<Comparison> {
  const counts = await reader.spanCounts(filter);
  if (counts.region === 0 || counts.baseline === 0) return nothingOf(counts);
  const shares: Shares = {
    region: shareFor(counts.region, differences.mostSpans),
    baseline: shareFor(counts.baseline, differences.mostSpans),
  };
  const { values, numbers, all } = await drawSpans(reader, filter, shares);
  const valueTexts = values
    .filter((fact) => fact.what === 'value' && !isTwice(fact))
    .map((fact) => valueCandidate(fact, all));
  const testable = numbers.filter((fact) => numberFault(fact) === null && (isTimed || fact.dim !== 1));
  const candidates = [...valueTexts, ...testable.map(toNumber)];
  return {
    candidates,
    compared: [
      {
        population: 'spans',
        ...counts,
        region_share: 1 / shares.region,
        baseline_share: 1 / shares.baseline,
        tested: candidates.length,
      },
    ],
    left_out: [
      ...values.flatMap(identityOf),
      ...numbers.flatMap((fact) => {
        const reason = numberFault(fact);
        return reason === null ? [] : [{ attribute: spanAttribute(fact.dim, fact.key), reason }];
      }),
    ],
  };
}

/** Ids with equal lower halves are drawn all or none: if none, both halves are used. */
async function drawSpans(reader: Reader, sides: DifferenceFilter, shares: Shares) {
  const draw = async (idHalves: 'lower' | 'both') => {
    const facts = await reader.spans(sides, shares, differences.leastGroups, idHalves);
    const values = facts.filter((fact) => fact.what !== 'number');
    const all: ShareTotals = values.find(({ what }) => what === 'total') ?? { region: 0, baseline: 0, squares: 0 };
    return { values, numbers: facts.filter((fact) => fact.what === 'number'), all };
  };
  const drawn = await draw('lower');
  return drawn.all.region > 0 && drawn.all.baseline > 0 ? drawn : draw('both');
}

/** The service is reported separately. */
const isTwice = ({ dim, key }: SpanValueFact): boolean => dim === 1 && key === 'service.name';

const nothingOf = (counts: { readonly region: number; readonly baseline: number }): Comparison => ({
  candidates: [],
  compared:
    counts.region + counts.baseline === 0
      ? []
      : [{ population: 'spans', ...counts, region_share: 1, baseline_share: 1, tested: 0 }],
  left_out: [],
});

const valueCandidate = (fact: SpanValueFact, all: ShareTotals): Candidate => {
  const value = valueLabel(fact.dim, fact.value ?? '');
  const named = { population: 'spans', attribute: spanAttribute(fact.dim, fact.key), value } as const;
  return shareCandidate(fact.dim === 2 ? { ...named, entity: `service:${value}` } : named, fact, all);
};

/** The same limits as in difference-span-values.sql: there to save rows, here for the text. */
function identityOf({
  what,
  dim,
  key,
  region_groups,
  distinct_values,
  is_number,
}: SpanValueFact): Comparison['left_out'] {
  if (what !== 'attribute' || distinct_values === null || is_number) return [];
  if (distinct_values <= Math.max(differences.mostValues, differences.distinctValuesShare * region_groups)) return [];
  const reason = `nearly every trace has its own (${distinct_values} values in ${region_groups})`;
  return [{ attribute: spanAttribute(dim, key), reason }];
}

/** Reason why a number is not compared; null: it is. */
function numberFault({ dim, distinct_values, region, baseline, is_whole, rises }: SpanNumberFact): string | null {
  if (dim === 1) return null;
  if (Math.abs(rises) > differences.counterCorrelation) return 'it is a counter that grows with time';
  return is_whole && distinct_values > differences.distinctNumbersShare * (region + baseline)
    ? 'nearly every trace has its own number'
    : null;
}

function toNumber(fact: SpanNumberFact): Candidate {
  const part = { ...fact, spread: spreadOfFact(fact) };
  if (fact.dim === 0)
    return numberCandidate({ population: 'spans', attribute: `attribute ${fact.key}`, value: '' }, '', part);
  const value = fact.service === '' ? fact.key : `${fact.key} of ${fact.service}`;
  const entity = fact.service === '' ? null : `service:${fact.service}`;
  return numberCandidate({ population: 'spans', attribute: 'duration', value, entity }, 'ms', part);
}
