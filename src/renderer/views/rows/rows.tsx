import { useEffect, useMemo, useState } from 'react';
import type { Table } from '../../../model/contract/index.ts';
import type { TimeFormat } from '../../draw/format-time.ts';
import { formatCount } from '../../draw/format-value.ts';
import { showDetails, useCase } from '../../state/case-state.ts';
import { client } from '../../state/client.ts';
import { select, selectEntity, useFocus } from '../../state/focus.ts';
import { copyText } from '../../state/toasts.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { type Column, DataTable } from '../../widgets/data-table.tsx';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { TabList } from '../../widgets/tab-list.tsx';
import { cellText, cellWidth, instantOf, isInstant, sortKey, tableJson, tableMarkdown } from './cells.ts';
import './rows.css';

const tabs = [
  { id: 'event', title: 'Events' },
  { id: 'span', title: 'Spans' },
  { id: 'log', title: 'Logs' },
] as const;
type TableName = (typeof tabs)[number]['id'];
type Row = Table['rows'][number];

const LIMIT = 1000;
const SETTLE_MS = 150;

/** A window that is still moving is not worth a question. */
function useSettledWindow() {
  const moving = useFocus((focus) => focus.window);
  const [settled, setSettled] = useState(moving);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(moving), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [moving]);
  return settled;
}

export function Rows() {
  const [table, setTable] = useState<TableName>('event');
  const { startNs, endNs } = useSettledWindow();
  const entities = useFocus((focus) => focus.entities);
  const revision = useCase((state) => state.revision);
  const format = useTimeFormat();
  const answer = useAnswer(`${revision} ${table} ${startNs} ${endNs} ${entities.join(' ')}`, async (signal) => ({
    table,
    rows: await client().call(
      'rows.list',
      { start_ns: startNs, end_ns: endNs, table, entities: [...entities], limit: LIMIT },
      signal,
    ),
  }));
  const rows = answer.value?.rows;
  return (
    <section className="rows" aria-label="Rows of the selection">
      <div className="rows-bar">
        <TabList label="Kinds of rows" tabs={tabs} selected={table} onSelect={setTable} />
        <span className="muted ellipsis">
          {rows ? countText(rows) : ''}
          {answer.slow ? ' loading' : ''}
        </span>
        {entities.map((entity) => (
          <button
            key={entity}
            type="button"
            className="chip"
            aria-label={`Stop filtering by ${entity}`}
            onClick={() => selectEntity(null)}
          >
            {entity} ×
          </button>
        ))}
        <span className="spring" />
        <CopyButtons rows={rows} format={format} />
      </div>
      {answer.problem ? <ProblemNote problem={answer.problem} what="Rows" onRetry={answer.retry} /> : null}
      {rows ? (
        <RowTable key={answer.value?.table} rows={rows} format={format} name={answer.value?.table ?? table} />
      ) : null}
    </section>
  );
}

function CopyButtons({ rows, format }: { readonly rows: Table | undefined; readonly format: TimeFormat }) {
  const empty = !rows || rows.rows.length === 0;
  return (
    <>
      <button
        type="button"
        className="plain"
        disabled={empty}
        onClick={() => rows && void copyText(tableJson(rows), 'JSON')}
      >
        Copy JSON
      </button>
      <button
        type="button"
        className="plain"
        disabled={empty}
        onClick={() => rows && void copyText(tableMarkdown(rows, format), 'Markdown')}
      >
        Copy Markdown
      </button>
    </>
  );
}

const countText = (table: Table): string =>
  table.truncated
    ? `first ${formatCount(table.rows.length)} in this window; zoom in for the rest`
    : `${formatCount(table.rows.length)} in this window`;

interface RowTableProps {
  readonly rows: Table;
  readonly format: TimeFormat;
  readonly name: TableName;
}

function RowTable({ rows, format, name }: RowTableProps) {
  const selected = useFocus((focus) => focus.selected);
  const columns = useMemo(() => columnsOf(rows, format), [rows, format]);
  const timeAt = rows.columns.findIndex((column) => isInstant(column.name));
  const refOf = (row: Row) => String(row[0] ?? '');
  return (
    <DataTable<Row>
      label={`${name} rows`}
      columns={columns}
      rows={rows.rows}
      keyOf={refOf}
      selected={selected}
      onSelect={(row) => {
        select(refOf(row), instantOf(rows.columns[timeAt]?.name ?? '', row[timeAt] ?? null));
        showDetails();
      }}
      empty={`No ${name}s in this window${useFocus.getState().entities.length > 0 ? ' for the selected entity' : ''}.`}
    />
  );
}

const MEASURED_ROWS = 100;

function columnsOf(table: Table, format: TimeFormat): readonly Column<Row>[] {
  return table.columns.map((column, at): Column<Row> => {
    const instant = isInstant(column.name);
    const numeric = !instant && table.rows.some((row) => typeof row[at] === 'number' || typeof row[at] === 'bigint');
    const title = column.name.replace(/_(ns|ms|utc)$/, '').replaceAll('_', ' ');
    const width = cellWidth(
      title,
      table.rows.slice(0, MEASURED_ROWS).map((row) => cellText(column.name, row[at] ?? null, format)),
    );
    return {
      id: column.name,
      title,
      numeric,
      width: width >= 160 ? `minmax(${width}px, 1fr)` : `${width}px`,
      cell: (row) => {
        const text = cellText(column.name, row[at] ?? null, format);
        return width >= 160 ? <span title={text}>{text}</span> : text;
      },
      sort: (row) => sortKey(row[at] ?? null),
    };
  });
}
