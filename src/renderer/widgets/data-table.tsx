import {
  createSortedRowModel,
  type Column as Head,
  type RowData,
  rowSortingFeature,
  sortFn_basic,
  type Row as TableRow,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type KeyboardEvent, useMemo, useRef } from 'react';
import type { ActionTarget } from '../state/action-menu.ts';
import { actByKey, openAt } from './action-menu.tsx';
import type { Column } from './column.ts';
import { messages } from './messages.ts';
import { SheetMenu, sheetOf } from './table-sheet.tsx';
import { useWidth } from './use-width.ts';

export type { Column };

export interface DataTableProps<R extends RowData> {
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

/** Heights in CSS pixels, as the style sheet has them. */
const ROW = 20;
const HEAD = 24;
const FILTERS = 26;
/** Rows beyond the visible ones: a key that repeats, and a search of the page, find the next ones there. */
const OVERSCAN = 16;

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });
type Features = typeof features;

/** Renders only the visible rows; a click on a header sorts. */
export function DataTable<R extends RowData>(props: DataTableProps<R>) {
  const { label, columns, rows, keyOf, empty, filters, isForm } = props;
  const heads = useMemo(
    () =>
      columns.map(({ id, sort }) => ({ id, accessorFn: sort ?? none, enableSorting: !!sort, sortFn: sortFn_basic })),
    [columns],
  );
  const table = useTable<Features, R>({
    features,
    columns: heads,
    data: rows,
    getRowId: keyOf,
    enableMultiSort: false,
    sortDescFirst: false,
  });
  const sorted = table.getRowModel().rows;
  const { place, width, scrollbar } = useWidth();
  const menu = isForm ? 0 : SHEET_MENU;
  const shown = useMemo(() => columnsWithRoom(columns, width - menu), [columns, width, menu]);
  const template = { gridTemplateColumns: tracksOf(shown), minWidth: leastWidth(shown) + menu };
  // A table that is wider than its place has a line for the menu, which would cover the heads in sight.
  const overflows = !isForm && width < template.minWidth;
  const around = HEAD + (overflows ? HEAD : 0) + (filters ? FILTERS : 0) + scrollbar;
  const left = columns.filter((column) => !shown.includes(column));
  return (
    <div className="table-place">
      <div
        ref={place}
        className={`table-scroll${isForm ? '' : ' exports'}${overflows ? ' overflows' : ''}`}
        style={{ '--around': `${around}px` } as CSSProperties}
      >
        {isForm ? null : (
          <SheetMenu
            label={label}
            hasRows={rows.length > 0}
            sheet={() =>
              sheetOf(
                columns,
                sorted.map(({ original }) => original),
              )
            }
          />
        )}
        <table className="data-table" aria-label={label} aria-rowcount={rows.length + (filters ? 2 : 1)}>
          <thead>
            <tr className="table-head" style={template}>
              {shown.map((column) => (
                <HeadCell key={column.id} column={column} head={table.getColumn(column.id)} />
              ))}
            </tr>
            {filters ? <FilterRow columns={shown} filters={filters} template={template} /> : null}
          </thead>
          <TableBody {...props} columns={shown} sorted={sorted} template={template} />
        </table>
        {rows.length === 0 ? <p className="empty muted">{empty}</p> : null}
      </div>
      {left.length > 0 && rows.length > 0 ? (
        <p className="table-left muted">{messages.columnsLeft(left.map(({ title }) => title).join(', '))}</p>
      ) : null}
    </div>
  );
}

const none = () => null;

interface FilterRowProps<R extends RowData> {
  readonly columns: readonly Column<R>[];
  readonly filters: TableFilters;
  readonly template: Template;
}

function FilterRow<R extends RowData>({ columns, filters, template }: FilterRowProps<R>) {
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

interface HeadCellProps<R extends RowData> {
  readonly column: Column<R>;
  readonly head: Head<Features, R> | undefined;
}

const orders = {
  asc: { sorted: 'ascending', arrow: ' ↑' },
  desc: { sorted: 'descending', arrow: ' ↓' },
} as const;

function HeadCell<R extends RowData>({ column, head }: HeadCellProps<R>) {
  const order = head?.getIsSorted();
  const { sorted, arrow } = order ? orders[order] : { sorted: 'none' as const, arrow: '' };
  return (
    <th scope="col" className={column.numeric ? 'number' : ''} aria-sort={sorted}>
      {column.sort ? (
        <button type="button" className="plain" onClick={head?.getToggleSortingHandler()}>
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
/** Free at the end of all rows, for the menu of the export. */
const SHEET_MENU = 32;

/** Header and rows are separate grids, so their common minimum width is explicit. */
const leastWidth = <R,>(columns: readonly Column<R>[]): number =>
  columns.reduce((sum, column) => sum + GAP + Number(/\d+/.exec(column.width)?.[0] ?? 0), GAP);

/** Without the last optional columns if there is no room for all. Until the width is known, all. */
function columnsWithRoom<R>(columns: readonly Column<R>[], width: number): readonly Column<R>[] {
  let shown = columns;
  while (width > 1 && leastWidth(shown) > width) {
    const last = shown.findLast(({ optional }) => optional);
    if (!last) return shown;
    shown = shown.filter((column) => column !== last);
  }
  return shown;
}

interface Template {
  readonly gridTemplateColumns: string;
  readonly minWidth: number;
}

interface BodyProps<R extends RowData> extends DataTableProps<R> {
  readonly sorted: readonly TableRow<Features, R>[];
  readonly template: Template;
}

function TableBody<R extends RowData>({
  columns,
  sorted,
  selected,
  onSelect,
  actionsOf,
  filters,
  template,
}: BodyProps<R>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const visible = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => body.current?.closest('.table-scroll') ?? null,
    estimateSize: () => ROW,
    overscan: OVERSCAN,
  });
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
    <tbody ref={body} className="table-body" style={{ height: visible.getTotalSize() }}>
      {visible.getVirtualItems().map(({ index, start }) => {
        const { id, original: row } = sorted[index]!;
        return (
          <tr
            key={id}
            aria-rowindex={index + (filters ? 3 : 2)}
            aria-current={id === selected}
            tabIndex={onSelect ? 0 : -1}
            className="table-row"
            style={{ ...template, transform: `translateY(${start}px)` }}
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
