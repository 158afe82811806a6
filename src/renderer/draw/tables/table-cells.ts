import type { Table } from '../../../model/contract/index.ts';
import { type Nanos, nanos, parseTime } from '../../../model/time.ts';
import { messages } from '../messages.ts';
import { cellMarkdown } from '../text/format-record.ts';
import { formatDuration, formatTime, type TimeFormat } from '../text/format-time.ts';
import { formatNumber } from '../text/format-value.ts';
import { type FilteredCell, parseLength, passesFilter } from './cell-filter.ts';
import type { SheetCell } from './sheet.ts';

export type Cell = Table['rows'][number][number];

export type TableColumn = Table['columns'][number];

/** By type, or else by name: times are stored as nanoseconds, and a bare number could be anything. */
export const isInstant = ({ name, type }: TableColumn): boolean =>
  type.startsWith('TIMESTAMP') || /(^|_)(time|start|end|observed|timestamp)(_ns|_utc)?$/.test(name);
export const isLength = (name: string): boolean => /(^|_)(duration|lag|length)_(ns|ms)$/.test(name);

/** Without the unit, which each cell shows. */
export const titleOf = (name: string): string => name.replace(/_(ns|ms|utc)$/, '').replaceAll('_', ' ');

/** Times arrive as nanoseconds, as a number or as digits, or as text. */
export function instantOf(column: TableColumn, cell: Cell): Nanos | null {
  if (!isInstant(column)) return null;
  if (typeof cell === 'bigint') return nanos(cell);
  if (typeof cell !== 'string') return null;
  if (/^-?\d+$/.test(cell)) return nanos(BigInt(cell));
  const text = cell.replace(/([+-]\d{2})$/, '$1:00');
  try {
    return parseTime(/(Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`);
  } catch {
    return null;
  }
}

/** Cell text for the screen. */
export function cellText(column: TableColumn, cell: Cell, format: TimeFormat): string {
  if (cell === null) return '';
  const instant = instantOf(column, cell);
  if (instant !== null) return formatTime(instant, format, 6);
  const { name } = column;
  if (isLength(name) && typeof cell !== 'string')
    return formatDuration(Number(cell) * (name.endsWith('_ms') ? 1e6 : 1));
  return typeof cell === 'number' ? formatNumber(cell) : String(cell);
}

/** Cell value for a file. */
export function sheetCell(column: TableColumn, cell: Cell): SheetCell {
  const instant = instantOf(column, cell);
  return instant === null ? cell : { instant };
}

/** Cell value for a filter. Durations are nanoseconds, whatever the unit of their column. */
export function filteredCell(column: TableColumn, cell: Cell, format: TimeFormat): FilteredCell {
  const text = cellText(column, cell, format);
  const { name } = column;
  if (isInstant(column) || (typeof cell !== 'number' && typeof cell !== 'bigint')) return { text, figure: null };
  return { text, figure: isLength(name) ? Number(cell) * (name.endsWith('_ms') ? 1e6 : 1) : Number(cell) };
}

/** The number that a filter text means in a column. */
export function parseFigure(name: string, text: string): number | null {
  if (isLength(name)) return parseLength(text, name.endsWith('_ms') ? 'ms' : 'ns');
  const figure = Number(text.replaceAll(/[\s\u202f]/g, ''));
  return text === '' || Number.isNaN(figure) ? null : figure;
}

/** The rows that pass the filters and the columns that are shown. */
export function narrowTable(
  table: Table,
  {
    hidden,
    filters,
    format,
  }: {
    readonly hidden: readonly string[];
    readonly filters: Readonly<Record<string, string>>;
    readonly format: TimeFormat;
  },
): { readonly rows: Table['rows']; readonly shown: Table } {
  const tests = table.columns.flatMap((column, at) => {
    const filter = filters[column.name] ?? '';
    return filter.trim() === '' || hidden.includes(column.name) ? [] : [{ column, at, filter }];
  });
  const rows = table.rows.filter((row) =>
    tests.every(({ column, at, filter }) =>
      passesFilter(filter, filteredCell(column, row[at] ?? null, format), (text) => parseFigure(column.name, text)),
    ),
  );
  const shownColumns = table.columns.flatMap(({ name }, at) => (hidden.includes(name) ? [] : [at]));
  return {
    rows,
    shown: {
      ...table,
      columns: shownColumns.map((at) => table.columns[at]!),
      rows: rows.map((row) => shownColumns.map((at) => row[at] ?? null)),
    },
  };
}

/** Pixels for the longest of the first cells. */
export function cellWidth(title: string, texts: readonly string[]): number {
  const longest = texts.reduce((most, text) => Math.max(most, text.length), title.length + 2);
  return Math.min(320, Math.max(48, Math.ceil(longest * 7.2)));
}

export const sortKey = (cell: Cell): string | number | bigint => {
  if (cell === null) return '';
  return typeof cell === 'boolean' ? Number(cell) : cell;
};

/** Times stay exact nanoseconds: programs read this, so no digit may be lost. */
export function tableJson(table: Table): string {
  const records = table.rows.map((row) =>
    Object.fromEntries(
      table.columns.map((column, at) => [column.name, typeof row[at] === 'bigint' ? String(row[at]) : row[at]]),
    ),
  );
  return JSON.stringify(records, null, 2);
}

export function tableMarkdown(table: Table, format: TimeFormat): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const unit =
    format.mode === 'utc' ? messages.unitUtc : format.mode === 'local' ? messages.unitLocal : messages.unitRelative;
  return [
    line(table.columns.map((column) => titleOf(column.name) + (isInstant(column) ? unit : ''))),
    line(table.columns.map(() => '---')),
    ...table.rows.map((row) => line(row.map((cell, at) => cellMarkdown(cellText(table.columns[at]!, cell, format))))),
  ].join('\n');
}
