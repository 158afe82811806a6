import type { NameMerge, NamePair, Output } from '../../../model/contract/index.ts';
import { decideNames } from '../../state/session.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';

interface NameTableProps {
  readonly names: Output<'names.list'>;
  /** Only what concerns this source. */
  readonly source: string | undefined;
}

interface Row extends NamePair {
  readonly merge: NameMerge | null;
}

/** Which names are taken for one thing, and why; each can be held apart, and joined again. */
export function NameTable({ names, source }: NameTableProps) {
  const merged = names.merged.filter(({ sources }) => source === undefined || sources.includes(source));
  const rows: readonly Row[] = [
    ...names.apart.map((pair) => ({ ...pair, merge: null })),
    ...merged.map((merge) => ({ one: merge.one, other: merge.other, merge })),
  ];
  return (
    <DataTable<Row>
      label="Merged names"
      columns={columns}
      rows={rows}
      keyOf={({ one, other, merge }) => `${merge ? 'm' : 'a'} ${text(one)} ${text(other)}`}
      empty="Every thing goes by one name only."
    />
  );
}

const text = ({ kind, id }: NamePair['one']): string => `${kind} ${id}`;

const columns: readonly Column<Row>[] = [
  { id: 'one', title: 'name', width: 'minmax(120px, 2fr)', cell: ({ one }) => text(one), sort: ({ one }) => text(one) },
  {
    id: 'other',
    title: 'other name',
    width: 'minmax(120px, 2fr)',
    cell: ({ other }) => text(other),
    sort: ({ other }) => text(other),
  },
  {
    id: 'as',
    title: 'shown as',
    width: 'minmax(100px, 1.5fr)',
    cell: ({ merge }) => (merge ? text(merge.as) : 'two things, as you said'),
  },
  {
    id: 'reason',
    title: 'because of',
    width: 'minmax(120px, 2fr)',
    cell: ({ merge }) => <span title={merge?.reason}>{merge?.reason ?? ''}</span>,
    sort: ({ merge }) => merge?.reason ?? '',
  },
  {
    id: 'act',
    title: 'your word',
    width: '80px',
    sheet: null,
    cell: ({ one, other, merge }) => (
      <button type="button" className="link" onClick={() => void decideNames({ one, other }, merge !== null)}>
        {merge ? 'hold apart' : 'join again'}
      </button>
    ),
  },
];
