import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';

export interface Column<R> {
  readonly id: string;
  readonly title: string;
  readonly numeric?: boolean;
  /** CSS width of the grid track. */
  readonly width: string;
  readonly cell: (row: R) => ReactNode;
  /** What the column sorts by; without it, it does not sort. */
  readonly sort?: (row: R) => string | number | bigint;
}

export interface DataTableProps<R> {
  readonly label: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  readonly keyOf: (row: R) => string;
  readonly selected?: string | null;
  readonly onSelect?: (row: R) => void;
  readonly empty: string;
}

const ROW = 20;
const OVERSCAN = 8;

/** Draws only the rows in view; sorts by a click on a header. */
export function DataTable<R>(props: DataTableProps<R>) {
  const { label, columns, rows, empty } = props;
  const [order, setOrder] = useState<{ readonly id: string; readonly down: boolean } | null>(null);
  const sorted = sortRows(rows, columns.find((column) => column.id === order?.id), order?.down ?? false);
  const template = { gridTemplateColumns: columns.map((column) => column.width).join(' '), minWidth: leastWidth(columns) };
  const toggle = (id: string) => setOrder((before) => (before?.id !== id ? { id, down: false } : before.down ? null : { id, down: true }));
  return (
    <div className="data-table" role="table" aria-label={label} aria-rowcount={rows.length + 1}>
      <div className="table-scroll">
        <div className="table-head" role="row" style={template}>
          {columns.map((column) => (
            <div
              key={column.id}
              role="columnheader"
              className={column.numeric ? 'number' : ''}
              aria-sort={order?.id === column.id ? (order.down ? 'descending' : 'ascending') : 'none'}
            >
              {column.sort ? (
                <button type="button" className="plain" onClick={() => toggle(column.id)}>
                  {column.title}
                  <span aria-hidden="true">{order?.id === column.id ? (order.down ? ' ↓' : ' ↑') : ''}</span>
                </button>
              ) : (
                column.title
              )}
            </div>
          ))}
        </div>
        {rows.length === 0 ? <p className="empty muted">{empty}</p> : <TableBody {...props} rows={sorted} template={template} />}
      </div>
    </div>
  );
}

const GAP = 12;

/** Head and rows are separate grids, so their common least width is stated rather than left to their content. */
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

/** Follows the scroll of the nearest scrolling parent. */
function useVisible(count: number) {
  const body = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState({ first: 0, end: 60 });
  useEffect(() => {
    const scroller = body.current?.parentElement;
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

interface BodyProps<R> extends DataTableProps<R> {
  readonly template: { readonly gridTemplateColumns: string; readonly minWidth: number };
}

function TableBody<R>({ columns, rows, keyOf, selected, onSelect, template }: BodyProps<R>) {
  const { body, first, end } = useVisible(rows.length);
  const move = (event: KeyboardEvent, row: R) => {
    const by = event.key === 'ArrowDown' ? 'nextElementSibling' : event.key === 'ArrowUp' ? 'previousElementSibling' : null;
    if (event.key === 'Enter' || event.key === ' ') onSelect?.(row);
    else if (by) (event.currentTarget[by] as HTMLElement | null)?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={body} role="rowgroup" className="table-body" style={{ height: rows.length * ROW }}>
      {rows.slice(first, end).map((row, index) => {
        const key = keyOf(row);
        return (
          <div
            key={key}
            role="row"
            aria-rowindex={first + index + 2}
            aria-selected={key === selected}
            tabIndex={onSelect ? 0 : -1}
            className="table-row"
            style={{ ...template, transform: `translateY(${(first + index) * ROW}px)` }}
            onClick={() => onSelect?.(row)}
            onKeyDown={(event) => move(event, row)}
          >
            {columns.map((column) => (
              <div key={column.id} role="cell" className={column.numeric ? 'number ellipsis' : 'ellipsis'}>
                {column.cell(row)}
              </div>
            ))}
          </div>
        );
      })}
    </div>
  );
}
