import { useMemo, useState } from 'react';
import type { Table } from '../../../model/contract/index.ts';
import { problemOf } from '../../client/problem-of.ts';
import { chartable, type Drawing, firstDrawing, MOST_SERIES } from '../../draw/tables/chart-model.ts';
import { instantOf, isInstant, tableJson, tableMarkdown } from '../../draw/tables/table-cells.ts';
import { formatCount } from '../../draw/text/format-value.ts';
import { recordTarget } from '../../state/actions.ts';
import { showDetails } from '../../state/case-state.ts';
import { client } from '../../state/client.ts';
import { select } from '../../state/focus.ts';
import { saveFile } from '../../state/save-file.ts';
import { cancelSql, useSqlAnswer } from '../../state/sql.ts';
import { copyText, showError } from '../../state/toasts.ts';
import { useTimeFormat } from '../../state/use-time-format.ts';
import { DataTable } from '../../widgets/data-table.tsx';
import { ProblemNote } from '../../widgets/problem-note.tsx';
import { Progress } from '../../widgets/progress.tsx';
import { TabList } from '../../widgets/tab-list.tsx';
import { columnsOf, type Row } from '../../widgets/table-columns.tsx';
import { Chart } from './chart.tsx';
import { messages } from './messages.ts';
import { rowRef } from './row-ref.ts';

const tabs = [
  { id: 'table', title: messages.results.table },
  { id: 'chart', title: messages.results.chart },
] as const;

/** The result of the last query, or its error. */
export function Results() {
  const { value: answer, problem, isLoading: isRunning, retry } = useSqlAnswer();
  const [tab, setTab] = useState<'table' | 'chart'>('table');
  const table = answer?.table;
  return (
    <section className="sql-results" aria-label={messages.results.label}>
      <div className="rows-bar">
        <TabList label={messages.results.views} tabs={tabs} selected={tab} onSelect={setTab} />
        <span className="muted ellipsis" data-testid="sql-count" aria-live="polite">
          {answer ? countText(answer.table, answer.ms) : ''}
        </span>
        <span className="spring" />
        {table ? <Copying table={table} sql={answer.sql} /> : null}
      </div>
      {isRunning ? (
        <div className="sql-running">
          <Progress label={messages.results.running} />
          <button type="button" onClick={cancelSql}>
            {messages.results.cancel}
          </button>
        </div>
      ) : null}
      {problem ? <ProblemNote problem={problem} what={messages.title} onRetry={retry} /> : null}
      {table && tab === 'table' ? <Answer table={table} /> : null}
      {table && tab === 'chart' ? <ChartPane table={table} /> : null}
      {table || problem || isRunning ? null : <p className="empty muted">{messages.results.hint}</p>}
    </section>
  );
}

const countText = ({ rows, truncated }: Table, ms: number): string =>
  messages.results.count(
    formatCount(rows.length),
    truncated,
    rows.length === 1,
    ms < 10 ? ms.toFixed(1) : `${Math.round(ms)}`,
  );

function Answer({ table }: { readonly table: Table }) {
  const format = useTimeFormat();
  const columns = useMemo(() => columnsOf(table, format, (name) => name), [table, format]);
  const places = useMemo(() => new Map(table.rows.map((row, at) => [row, at])), [table]);
  const timeAt = table.columns.findIndex(isInstant);
  const openRow = (row: Row) => {
    const ref = rowRef(table, row);
    select(ref, timeAt < 0 ? null : instantOf(table.columns[timeAt]!, row[timeAt] ?? null));
    if (ref !== null) showDetails();
  };
  return (
    <DataTable<Row>
      label={messages.results.rows}
      columns={columns}
      rows={table.rows}
      keyOf={(row) => String(places.get(row))}
      onSelect={openRow}
      actionsOf={(row) => {
        const ref = rowRef(table, row);
        return ref === null ? null : recordTarget(ref, [ref]);
      }}
      empty={messages.results.none}
    />
  );
}

interface CopyingProps {
  readonly table: Table;
  readonly sql: string;
}

/** Copies the rows on screen; the exported file has all rows. */
function Copying({ table, sql }: CopyingProps) {
  const format = useTimeFormat();
  const exportParquet = async () => {
    try {
      const { bytes } = await client().call('query.parquet', { sql });
      await saveFile('answer.parquet', new Blob([bytes as Uint8Array<ArrayBuffer>]));
    } catch (error) {
      showError(problemOf(error));
    }
  };
  return (
    <>
      <button type="button" className="plain" onClick={() => void copyText(tableJson(table), messages.json)}>
        {messages.copyJson}
      </button>
      <button
        type="button"
        className="plain"
        onClick={() => void copyText(tableMarkdown(table, format), messages.markdown)}
      >
        {messages.copyMarkdown}
      </button>
      <button type="button" className="plain" onClick={() => void exportParquet()}>
        {messages.exportParquet}
      </button>
    </>
  );
}

function ChartPane({ table }: { readonly table: Table }) {
  const { along, heights, by } = useMemo(() => chartable(table), [table]);
  const [drawn, setDrawn] = useState<{ readonly of: Table; readonly drawing: Drawing }>();
  const drawing = useMemo(() => (drawn?.of === table ? drawn.drawing : firstDrawing(table)), [drawn, table]);
  const change = (part: Partial<Drawing>) => setDrawn({ of: table, drawing: { ...drawing, ...part } });
  const nameOf = (at: number): string => table.columns[at]?.name ?? '';
  if (drawing.heights.length === 0) return <p className="empty muted">{messages.chart.needsNumber}</p>;
  const toggle = (at: number) => {
    const others = drawing.heights.filter((one) => one !== at);
    const next = others.length < drawing.heights.length ? others : [...drawing.heights, at].slice(-MOST_SERIES);
    if (next.length > 0) change({ heights: next, by: next.length > 1 ? null : drawing.by });
  };
  return (
    <div className="sql-chart-pane">
      <div className="button-row">
        <label>
          {messages.chart.xAxis}{' '}
          <select value={drawing.along} onChange={(event) => change({ along: Number(event.target.value) })}>
            {along.map((at) => (
              <option key={at} value={at}>
                {nameOf(at)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {messages.chart.groupBy}{' '}
          <select
            value={drawing.by ?? ''}
            onChange={({ target: { value } }) => change({ by: value === '' ? null : Number(value) })}
          >
            <option value="">{messages.chart.noGroup}</option>
            {by.map((at) => (
              <option key={at} value={at}>
                {nameOf(at)}
              </option>
            ))}
          </select>
        </label>
        <fieldset className="button-group" aria-label={messages.chart.heights}>
          {heights.map((at) => (
            <button
              key={at}
              type="button"
              className="plain"
              aria-pressed={drawing.heights.includes(at)}
              onClick={() => toggle(at)}
            >
              {nameOf(at)}
            </button>
          ))}
        </fieldset>
      </div>
      <Chart table={table} drawing={drawing} />
    </div>
  );
}
