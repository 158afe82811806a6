import { useMemo, useState } from 'react';
import type { Table } from '../../../model/contract/index.ts';
import { instantOf, isInstant, narrowTable, tableJson, tableMarkdown, titleOf } from '../../draw/tables/table-cells.ts';
import type { TimeFormat } from '../../draw/text/format-time.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import { recordTarget } from '../../state/actions.ts';
import { showDetails } from '../../state/case-state.ts';
import { client } from '../../state/client.ts';
import { select, useFocus } from '../../state/focus.ts';
import { prefer, usePreferences } from '../../state/preferences.ts';
import { setRowsTable, type RowsTable as TableName, useRowsTable } from '../../state/show-rows.ts';
import { copyText } from '../../state/toasts.ts';
import { useAnswer } from '../../state/use-answer.ts';
import { useSettledWindow } from '../../state/use-settled-window.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { ColumnChooser } from '../../widgets/column-chooser.tsx';
import { DataTable, type TableFilters } from '../../widgets/data-table.tsx';
import { EntityChips } from '../../widgets/entity-chips.tsx';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { TabList } from '../../widgets/tab-list.tsx';
import { columnsOf, type Row } from '../../widgets/table-columns.tsx';
import { messages } from './messages.ts';
import './rows.css';

const tabs = [
  { id: 'event', title: messages.tabs.events },
  { id: 'span', title: messages.tabs.spans },
  { id: 'log', title: messages.tabs.logs },
] as const;

const LIMIT = 1000;

const none: readonly string[] = [];
type FilterTexts = Readonly<Record<string, string>>;
const noTexts: FilterTexts = {};

/** The selected columns, and the rows that pass the filters while the filters are visible. */
function useNarrowed(table: TableName, rows: Table | undefined, format: TimeFormat) {
  const [texts, setTexts] = useState<Readonly<Partial<Record<TableName, FilterTexts>>>>({});
  const hidden = usePreferences((state) => state.hiddenColumns[table]) ?? none;
  const isFiltered = usePreferences((state) => state.filterRow);
  const own = texts[table] ?? noTexts;
  const narrowed = useMemo(
    () => rows && narrowTable(rows, { hidden, filters: isFiltered ? own : noTexts, format }),
    [rows, hidden, isFiltered, own, format],
  );
  const filters: TableFilters = {
    texts: own,
    onChange: (column, text) => setTexts((before) => ({ ...before, [table]: { ...before[table], [column]: text } })),
  };
  return { hidden, narrowed, filters: isFiltered ? filters : undefined };
}

export function Rows() {
  const table = useRowsTable((state) => state.table);
  const { startNs, endNs } = useSettledWindow();
  const entities = useFocus((focus) => focus.entities);
  const format = useTimeFormat();
  const answer = useAnswer(['rows.list', table, startNs, endNs, entities], async (signal) => ({
    table,
    rows: await client().call(
      'rows.list',
      { start_ns: startNs, end_ns: endNs, table, entities: [...entities], limit: LIMIT },
      signal,
    ),
  }));
  const rows = answer.value?.rows;
  const name = answer.value?.table ?? table;
  const { hidden, narrowed, filters } = useNarrowed(name, rows, format);
  return (
    <section className="rows" aria-label={messages.label}>
      <div className="rows-bar">
        <TabList label={messages.tabs.label} tabs={tabs} selected={table} onSelect={setRowsTable} />
        <span className="muted ellipsis" data-testid="rows-count">
          {rows && narrowed ? countText(rows, narrowed.rows.length) : ''}
          {answer.slow ? messages.loading : ''}
        </span>
        <EntityChips entities={entities} />
        <span className="spring" />
        <TableTools table={name} rows={rows} hidden={hidden} />
        <CopyButtons rows={narrowed?.shown} format={format} />
      </div>
      {answer.problem ? <ProblemNote problem={answer.problem} what={messages.title} onRetry={answer.retry} /> : null}
      {rows && narrowed ? (
        <RowTable key={name} table={rows} rows={narrowed.rows} {...{ format, name, hidden, filters }} />
      ) : null}
    </section>
  );
}

interface TableToolsProps {
  readonly table: TableName;
  readonly rows: Table | undefined;
  readonly hidden: readonly string[];
}

function TableTools({ table, rows, hidden }: TableToolsProps) {
  const isFiltered = usePreferences((state) => state.filterRow);
  const choose = (selectedColumns: readonly string[]) =>
    prefer({ hiddenColumns: { ...usePreferences.getState().hiddenColumns, [table]: selectedColumns } });
  return (
    <>
      <button
        type="button"
        className="plain"
        aria-pressed={isFiltered}
        title={messages.filterTitle}
        onClick={() => prefer({ filterRow: !isFiltered })}
      >
        {messages.filter}
      </button>
      <ColumnChooser
        columns={(rows?.columns ?? []).map(({ name }) => ({ id: name, title: titleOf(name) }))}
        hidden={hidden}
        onChange={choose}
      />
    </>
  );
}

/** Copies the rows on screen. */
function CopyButtons({ rows, format }: { readonly rows: Table | undefined; readonly format: TimeFormat }) {
  const empty = !rows || rows.rows.length === 0;
  return (
    <>
      <button
        type="button"
        className="plain"
        disabled={empty}
        onClick={() => rows && void copyText(tableJson(rows), messages.json)}
      >
        {messages.copyJson}
      </button>
      <button
        type="button"
        className="plain"
        disabled={empty}
        onClick={() => rows && void copyText(tableMarkdown(rows, format), messages.markdown)}
      >
        {messages.copyMarkdown}
      </button>
    </>
  );
}

/** A filter only covers the loaded rows; the text shows if there are more. */
function countText({ rows, truncated }: Table, passed: number): string {
  const all = formatCount(rows.length);
  if (passed < rows.length) return messages.count.filtered(formatCount(passed), all, truncated);
  return truncated ? messages.count.first(all) : messages.count.all(all);
}

interface RowTableProps {
  /** All columns. */
  readonly table: Table;
  /** The rows that pass the filters. */
  readonly rows: Table['rows'];
  readonly format: TimeFormat;
  readonly name: TableName;
  readonly hidden: readonly string[];
  readonly filters: TableFilters | undefined;
}

function RowTable({ table, rows, format, name, hidden, filters }: RowTableProps) {
  const selected = useFocus((focus) => focus.selected);
  const columns = useMemo(
    () => columnsOf(table, format).filter(({ id }) => !hidden.includes(id)),
    [table, format, hidden],
  );
  const timeAt = table.columns.findIndex(isInstant);
  const refOf = (row: Row) => String(row[0] ?? '');
  const isNarrowed = rows.length < table.rows.length;
  return (
    <DataTable<Row>
      label={messages.table(name)}
      columns={columns}
      rows={rows}
      keyOf={refOf}
      selected={selected}
      {...(filters ? { filters } : {})}
      actionsOf={(row) => recordTarget(refOf(row), [refOf(row)])}
      onSelect={(row) => {
        const time = table.columns[timeAt];
        select(refOf(row), time ? instantOf(time, row[timeAt] ?? null) : null);
        showDetails();
      }}
      empty={
        isNarrowed ? messages.empty.filtered(name) : messages.empty.none(name, useFocus.getState().entities.length > 0)
      }
    />
  );
}
