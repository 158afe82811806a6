import type { NameMerge, NamePair, Output } from '../../../model/contract/index.ts';
import { decideNames } from '../../state/separate-names.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { messages } from './messages.ts';

interface NameTableProps {
  readonly names: Output<'names.list'>;
  /** Shows only names of this data source. */
  readonly source: string | undefined;
}

interface Row extends NamePair {
  readonly merge: NameMerge | null;
}

/** Names that were merged into one entity, with the reason; each pair can be separated and merged again. */
export function NameTable({ names, source }: NameTableProps) {
  const merged = names.merged.filter(({ sources }) => source === undefined || sources.includes(source));
  const rows: readonly Row[] = [
    ...names.apart.map((pair) => ({ ...pair, merge: null })),
    ...merged.map((merge) => ({ one: merge.one, other: merge.other, merge })),
  ];
  return (
    <DataTable<Row>
      label={messages.names.title}
      columns={columns}
      rows={rows}
      keyOf={({ one, other, merge }) => `${merge ? 'm' : 'a'} ${text(one)} ${text(other)}`}
      empty={messages.names.none}
    />
  );
}

const text = ({ kind, id }: NamePair['one']): string => `${kind} ${id}`;

const columns: readonly Column<Row>[] = [
  {
    id: 'one',
    title: messages.names.name,
    width: 'minmax(120px, 2fr)',
    cell: ({ one }) => text(one),
    sort: ({ one }) => text(one),
  },
  {
    id: 'other',
    title: messages.names.other,
    width: 'minmax(120px, 2fr)',
    cell: ({ other }) => text(other),
    sort: ({ other }) => text(other),
  },
  {
    id: 'as',
    title: messages.names.shownAs,
    width: 'minmax(100px, 1.5fr)',
    cell: ({ merge }) => (merge ? text(merge.as) : messages.names.separated),
  },
  {
    id: 'reason',
    title: messages.columns.reason,
    width: 'minmax(120px, 2fr)',
    cell: ({ merge }) => <span title={merge?.reason}>{merge?.reason ?? ''}</span>,
    sort: ({ merge }) => merge?.reason ?? '',
  },
  {
    id: 'act',
    title: messages.names.decision,
    width: '80px',
    sheet: null,
    cell: ({ one, other, merge }) => (
      <button type="button" className="link" onClick={() => void decideNames({ one, other }, merge !== null)}>
        {merge ? messages.names.separate : messages.names.merge}
      </button>
    ),
  },
];
