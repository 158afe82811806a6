import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { ActionTarget } from '../state/action-menu.ts';
import { actByKey, openAt } from './action-menu.tsx';
import type { Column } from './column.ts';
import { messages } from './messages.ts';
import { TableSheet } from './table-sheet.tsx';

export type { Column };

export interface DataTableProps<R> {
  readonly label: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  readonly keyOf: (row: R) => string;
  readonly selected?: string | null;
  readonly onSelect?: (row: R) => void;
  readonly empty: string;
  /** If set, a row of filters is below the header. */
  readonly filters?: TableFilters;
  /** A form rather than rows that are worth copying. */
  readonly isForm?: boolean;
  /** Actions of a row, by right-click or `.`. */
  readonly actionsOf?: (row: R) => ActionTarget | null;
}

export interface TableFilters {
  /** By column id. */
  readonly texts: Readonly<Record<string, string>>;
  readonly onChange: (column: string, text: string) => void;
}

const ROW = 20;
const OVERSCAN = 8;

interface Order {
  readonly id: string;
  readonly down: boolean;
}

/** Renders only the visible rows; a click on a header sorts. */
export function DataTable<R>(props: DataTableProps<R>) {
  const { label, columns, rows, empty, filters, isForm } = props;
  const [order, setOrder] = useState<Order | null>(null);
  const by = columns.find((column) => column.id === order?.id);
  const sorted = sortRows(rows, by, order?.down ?? false);
  const template = { gridTemplateColumns: tracksOf(columns), minWidth: leastWidth(columns) };
  const toggle = (id: string) =>
    setOrder((before) => (before?.id !== id ? { id, down: false } : before.down ? null : { id, down: true }));
  return (
    <div className="table-scroll">
      {isForm ? null : <TableSheet label={label} columns={columns} rows={sorted} />}
      <table className="data-table" aria-label={label} aria-rowcount={rows.length + (filters ? 2 : 1)}>
        <thead>
          <tr className="table-head" style={template}>
            {columns.map((column) => (
              <HeadCell
                key={column.id}
                column={column}
                order={order?.id === column.id ? order : null}
                onToggle={toggle}
              />
            ))}
          </tr>
          {filters ? <FilterRow columns={columns} filters={filters} template={template} /> : null}
        </thead>
        <TableBody {...props} rows={sorted} template={template} />
      </table>
      {rows.length === 0 ? <p className="empty muted">{empty}</p> : null}
    </div>
  );
}

interface FilterRowProps<R> {
  readonly columns: readonly Column<R>[];
  readonly filters: TableFilters;
  readonly template: Template;
}

function FilterRow<R>({ columns, filters, template }: FilterRowProps<R>) {
  return (
    <tr className="table-head table-filters" style={template}>
      {columns.map(({ id, title }, at) => (
        <td key={id}>
          <input
            value={filters.texts[id] ?? ''}
            aria-label={messages.filterBy(title)}
            title={FILTER_HELP}
            placeholder={at === 0 ? messages.filter : ''}
            spellCheck={false}
            onChange={(event) => filters.onChange(id, event.target.value)}
          />
        </td>
      ))}
    </tr>
  );
}

const FILTER_HELP = messages.filterHelp;

interface HeadCellProps<R> {
  readonly column: Column<R>;
  readonly order: Order | null;
  readonly onToggle: (id: string) => void;
}

function HeadCell<R>({ column, order, onToggle }: HeadCellProps<R>) {
  const sorted = order ? (order.down ? 'descending' : 'ascending') : 'none';
  const arrow = order ? (order.down ? ' ↓' : ' ↑') : '';
  return (
    <th scope="col" className={column.numeric ? 'number' : ''} aria-sort={sorted}>
      {column.sort ? (
        <button type="button" className="plain" onClick={() => onToggle(column.id)}>
          {column.title}
          <span aria-hidden="true">{arrow}</span>
        </button>
      ) : (
        column.title
      )}
    </th>
  );
}

/** If no column stretches, an empty last track does, so that the others keep their content width. */
const tracksOf = <R,>(columns: readonly Column<R>[]): string => {
  const tracks = columns.map((column) => column.width).join(' ');
  return tracks.includes('fr') ? tracks : `${tracks} minmax(0, 1fr)`;
};

const GAP = 12;

/** Header and rows are separate grids, so their common minimum width is explicit. */
const leastWidth = <R,>(columns: readonly Column<R>[]): number =>
  columns.reduce((sum, column) => sum + GAP + Number(/\d+/.exec(column.width)?.[0] ?? 0), GAP);

function sortRows<R>(rows: readonly R[], column: Column<R> | undefined, down: boolean): readonly R[] {
  const sort = column?.sort;
  if (!sort) return rows;
  const sign = down ? -1 : 1;
  return [...rows].sort((a, b) => {
    const left = sort(a);
    const right = sort(b);
    return left < right ? -sign : left > right ? sign : 0;
  });
}

/** Follows the scroll position of the nearest scrolling parent. */
function useVisible(count: number) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [range, setRange] = useState({ first: 0, end: 60 });
  useEffect(() => {
    const scroller = body.current?.closest('.table-scroll');
    if (!scroller) return undefined;
    const measure = () => {
      const first = Math.max(0, Math.floor(scroller.scrollTop / ROW) - OVERSCAN);
      setRange({ first, end: first + Math.ceil(scroller.clientHeight / ROW) + 2 * OVERSCAN });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(scroller);
    scroller.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      scroller.removeEventListener('scroll', measure);
    };
  }, []);
  return { body, first: Math.min(range.first, Math.max(0, count - 1)), end: Math.min(range.end, count) };
}

interface Template {
  readonly gridTemplateColumns: string;
  readonly minWidth: number;
}

interface BodyProps<R> extends DataTableProps<R> {
  readonly template: Template;
}

function TableBody<R>({ columns, rows, keyOf, selected, onSelect, actionsOf, filters, template }: BodyProps<R>) {
  const { body, first, end } = useVisible(rows.length);
  const move = (event: KeyboardEvent<HTMLElement>, row: R) => {
    const by =
      event.key === 'ArrowDown' ? 'nextElementSibling' : event.key === 'ArrowUp' ? 'previousElementSibling' : null;
    const isOwn = event.target === event.currentTarget;
    // Enter on a button in the row belongs to the button.
    if (event.key === 'Enter' || event.key === ' ') {
      if (!isOwn || !onSelect) return;
      onSelect(row);
    } else if (by) (event.currentTarget[by] as HTMLElement | null)?.focus();
    else if (!actionsOf || !actByKey(event, () => actionsOf(row))) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <tbody ref={body} className="table-body" style={{ height: rows.length * ROW }}>
      {rows.slice(first, end).map((row, index) => {
        const key = keyOf(row);
        return (
          <tr
            key={key}
            aria-rowindex={first + index + (filters ? 3 : 2)}
            aria-current={key === selected}
            tabIndex={onSelect ? 0 : -1}
            className="table-row"
            style={{ ...template, transform: `translateY(${(first + index) * ROW}px)` }}
            onClick={() => onSelect?.(row)}
            onContextMenu={actionsOf ? (event) => openAt(event, () => actionsOf(row)) : undefined}
            onKeyDown={(event) => move(event, row)}
          >
            {columns.map((column) => (
              <td key={column.id} className={column.numeric ? 'number ellipsis' : 'ellipsis'}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        );
      })}
    </tbody>
  );
}
