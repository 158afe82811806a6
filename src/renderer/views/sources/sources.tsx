import { useState } from 'react';
import type { Output, SourceInfo } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { clockText } from '../../draw/format-clock.ts';
import { formatOffset, formatTime, type TimeFormat, zoneName } from '../../draw/format-time.ts';
import { formatBytes, formatCount, formatRows } from '../../draw/format-value.ts';
import { useCase } from '../../state/case-state.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import './sources.css';

type Rejects = Output<'rejects.list'>;
type Reject = Rejects['rows'][number];
const none: readonly SourceInfo[] = [];

export function Sources({ rejects }: { readonly rejects: Rejects }) {
  const sources = useCase((state) => state.info?.sources ?? none);
  const missing = useCase((state) => state.info?.layers_missing ?? []);
  const format = useTimeFormat();
  const [chosen, setChosen] = useState<number | null>(null);
  const shown = chosen === null ? rejects.rows : rejects.rows.filter((row) => row.source_id === chosen);
  const name = sources.find((source) => source.source_id === chosen)?.name;
  return (
    <div className="sources">
      <div className="sources-head">
        <h2>Sources</h2>
        <span className="muted">
          {missing.length > 0 ? `not recorded: ${missing.join(', ')}` : 'every layer has data'}
        </span>
      </div>
      <DataTable<SourceInfo>
        label="Sources"
        columns={sourceColumns(format)}
        rows={sources}
        keyOf={(source) => String(source.source_id)}
        selected={chosen === null ? null : String(chosen)}
        onSelect={(source) => setChosen(source.source_id === chosen ? null : source.source_id)}
        empty="No source yet. Drop files anywhere on this window."
      />
      <div className="sources-head">
        <h2>Rejected rows</h2>
        <span className="muted">{rejectSummary(rejects, shown.length, name)}</span>
        {chosen === null ? null : (
          <button type="button" className="chip" onClick={() => setChosen(null)}>
            {name} ×
          </button>
        )}
      </div>
      <DataTable<Reject>
        label="Rejected rows"
        columns={rejectColumns}
        rows={shown}
        keyOf={(row) => `${row.source_id} ${row.file} ${row.at} ${row.reason}`}
        empty={
          chosen === null
            ? 'Nothing was rejected: every row of every source could be read.'
            : 'No row of this source was rejected.'
        }
      />
    </div>
  );
}

function rejectSummary(rejects: Rejects, shown: number, name: string | undefined): string {
  if (name !== undefined) return `${formatCount(shown)} of ${name}`;
  if (rejects.total > rejects.rows.length)
    return `first ${formatCount(rejects.rows.length)} of ${formatCount(rejects.total)}`;
  return rejects.total === 0 ? 'none' : `${formatCount(rejects.total)} rows could not be read and were left out`;
}

const total = (rows: Readonly<Record<string, number>>): number =>
  Object.values(rows).reduce((sum, count) => sum + count, 0);
function sourceColumns(format: TimeFormat): readonly Column<SourceInfo>[] {
  const time = (value: bigint | null) => (value === null ? 'unknown' : formatTime(nanos(value), format));
  return [
    {
      id: 'name',
      title: 'source',
      width: 'minmax(110px, 2fr)',
      cell: (row) => <span title={`SHA-256 ${row.sha256}`}>{row.name}</span>,
      sort: (row) => row.name,
    },
    { id: 'format', title: 'format', width: 'minmax(76px, 1fr)', cell: (row) => row.format, sort: (row) => row.format },
    {
      id: 'first',
      title: `first (${zoneName(format.mode)})`,
      width: '104px',
      cell: (row) => time(row.first_ns),
      sort: (row) => row.first_ns ?? 0n,
    },
    { id: 'last', title: 'last', width: '92px', cell: (row) => time(row.last_ns), sort: (row) => row.last_ns ?? 0n },
    {
      id: 'clock',
      title: 'clock offset',
      width: '112px',
      cell: (row) => (
        <span title={`times shown are the source's own ${formatOffset(Number(row.clock_offset_ns), 3)}`}>
          {clockText(row)}
        </span>
      ),
      sort: (row) => row.clock_offset_ns,
    },
    {
      id: 'rows',
      title: 'rows',
      width: 'minmax(120px, 3fr)',
      cell: (row) => <span title={formatRows(row.rows)}>{formatRows(row.rows) || 'none'}</span>,
      sort: (row) => total(row.rows),
    },
    {
      id: 'rejects',
      title: 'rejects',
      numeric: true,
      width: '48px',
      cell: (row) => formatCount(row.rejects),
      sort: (row) => row.rejects,
    },
    {
      id: 'bytes',
      title: 'size',
      numeric: true,
      width: '60px',
      cell: (row) => formatBytes(row.bytes),
      sort: (row) => row.bytes,
    },
  ];
}

const rejectColumns: readonly Column<Reject>[] = [
  { id: 'file', title: 'file', width: 'minmax(120px, 1fr)', cell: (row) => row.file, sort: (row) => row.file },
  { id: 'at', title: 'offset or record', numeric: true, width: '104px', cell: (row) => row.at, sort: (row) => row.at },
  {
    id: 'reason',
    title: 'reason',
    width: 'minmax(160px, 1.5fr)',
    cell: (row) => <span title={row.reason}>{row.reason}</span>,
    sort: (row) => row.reason,
  },
  {
    id: 'excerpt',
    title: 'excerpt',
    width: 'minmax(160px, 2fr)',
    cell: (row) => <code title={row.excerpt}>{row.excerpt}</code>,
  },
];
