import type { TraceMetric } from '../../../model/contract/index.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { metricMessages } from './metric-messages.ts';

type Comparison = NonNullable<TraceMetric['comparison']>;
type Compared = Comparison['values'][number];

/** What a selection has more or less often than the other spans. */
export function MetricCompare({ comparison }: { readonly comparison: Comparison }) {
  const texts = metricMessages.compare;
  const { selection, baseline, share, cut } = comparison;
  const cutText = cut.slice(0, 5).map(({ attribute, values }) => texts.values(attribute, values));
  return (
    <>
      <p className="muted" data-testid="compared-spans">
        {texts.about(selection, baseline, share)}
        {selection === 0 || baseline === 0 ? texts.oneSide : ''}
        {cut.length > 0 ? texts.cut(cutText, cut.length - cutText.length) : ''}
      </p>
      <DataTable<Compared>
        label={texts.table}
        columns={columnsOf(comparison)}
        rows={comparison.values}
        keyOf={({ attribute, value }) => `${attribute} ${value}`}
        empty={metricMessages.none}
      />
    </>
  );
}

function columnsOf({ selection, baseline }: Comparison): readonly Column<Compared>[] {
  const texts = metricMessages.compare;
  const shareOf = (row: Compared, side: 'selection' | 'baseline'): number =>
    row[side] / Math.max(1, side === 'selection' ? selection : baseline);
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const side = (id: 'selection' | 'baseline'): Column<Compared> => ({
    id,
    title: texts[id],
    width: '170px',
    cell: (row) => (
      <span className={`compare-share of-${id}`}>
        <i style={{ width: 80 * shareOf(row, id) }} /> {percent(shareOf(row, id))}
      </span>
    ),
    sort: (row) => shareOf(row, id),
    sheet: { cell: (row) => row[id] },
  });
  return [
    {
      id: 'attribute',
      title: texts.attribute,
      width: 'minmax(140px, 1fr)',
      cell: (row) => row.attribute,
      sort: (row) => row.attribute,
    },
    {
      id: 'value',
      title: texts.value,
      width: 'minmax(140px, 2fr)',
      cell: (row) => row.value,
      sort: (row) => row.value,
    },
    side('selection'),
    side('baseline'),
    {
      id: 'difference',
      title: texts.difference,
      numeric: true,
      width: '100px',
      cell: (row) => texts.points(100 * (shareOf(row, 'selection') - shareOf(row, 'baseline'))),
      sort: (row) => Math.abs(shareOf(row, 'selection') - shareOf(row, 'baseline')),
    },
    {
      id: 'chance',
      title: texts.chance,
      width: '110px',
      cell: ({ chance }) => (chance === null ? texts.unknown : chance <= 0.05 ? texts.real : texts.perhaps),
      sort: ({ chance }) => chance ?? 2,
      sheet: { cell: ({ chance }) => chance },
    },
  ];
}
