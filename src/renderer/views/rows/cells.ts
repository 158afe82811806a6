import type { Table } from '../../../model/contract/index.ts';
import { type Nanos, nanos, parseTime } from '../../../model/time.ts';
import { type FilteredCell, parseLength, passesFilter } from '../../draw/cell-filter.ts';
import { cellMarkdown } from '../../draw/format-record.ts';
import { formatDuration, formatTime, type TimeFormat } from '../../draw/format-time.ts';
import { formatNumber } from '../../draw/format-value.ts';

export type Cell = Table['rows'][number][number];

export const isInstant = (name: string): boolean => /(^|_)(time|start|end|observed|timestamp)(_ns|_utc)?$/.test(name);
export const isLength = (name: string): boolean => /(^|_)(duration|lag|length)_(ns|ms)$/.test(name);

/** Without the unit: cells say theirs. */
export const titleOf = (name: string): string => name.replace(/_(ns|ms|utc)$/, '').replaceAll('_', ' ');

/** Times come as nanoseconds or, from `…_utc` columns, as text. */
export function instantOf(name: string, cell: Cell): Nanos | null {
  if (typeof cell === 'bigint') return isInstant(name) ? nanos(cell) : null;
  if (typeof cell !== 'string' || !isInstant(name)) return null;
  try {
    return parseTime(/(Z|[+-]\d{2}:?\d{2})$/.test(cell) ? cell : `${cell}Z`);
  } catch {
    return null;
  }
}

/** Text of a cell as people read it. */
export function cellText(name: string, cell: Cell, format: TimeFormat): string {
  if (cell === null) return '';
  const instant = instantOf(name, cell);
  if (instant !== null) return formatTime(instant, format, 6);
  if (isLength(name) && typeof cell !== 'string')
    return formatDuration(Number(cell) * (name.endsWith('_ms') ? 1e6 : 1));
  return typeof cell === 'number' ? formatNumber(cell) : String(cell);
}

/** A cell as filters see it. Lengths of time are nanoseconds, whatever their column counts in. */
export function filteredCell(name: string, cell: Cell, format: TimeFormat): FilteredCell {
  const text = cellText(name, cell, format);
  if (isInstant(name) || (typeof cell !== 'number' && typeof cell !== 'bigint')) return { text, figure: null };
  return { text, figure: isLength(name) ? Number(cell) * (name.endsWith('_ms') ? 1e6 : 1) : Number(cell) };
}

/** What a filter's text means in a column. */
export function parseFigure(name: string, text: string): number | null {
  if (isLength(name)) return parseLength(text, name.endsWith('_ms') ? 'ms' : 'ns');
  const figure = Number(text.replaceAll(/[\s\u202f]/g, ''));
  return text === '' || Number.isNaN(figure) ? null : figure;
}

/** The rows that pass, and the columns that are shown. */
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
  const tests = table.columns.flatMap(({ name }, at) => {
    const filter = filters[name] ?? '';
    return filter.trim() === '' || hidden.includes(name) ? [] : [{ name, at, filter }];
  });
  const rows = table.rows.filter((row) =>
    tests.every(({ name, at, filter }) =>
      passesFilter(filter, filteredCell(name, row[at] ?? null, format), (text) => parseFigure(name, text)),
    ),
  );
  const kept = table.columns.flatMap(({ name }, at) => (hidden.includes(name) ? [] : [at]));
  return {
    rows,
    shown: {
      ...table,
      columns: kept.map((at) => table.columns[at] as Table['columns'][number]),
      rows: rows.map((row) => kept.map((at) => row[at] ?? null)),
    },
  };
}

/** Pixels that the longest of the first cells needs. */
export function cellWidth(title: string, texts: readonly string[]): number {
  const longest = texts.reduce((most, text) => Math.max(most, text.length), title.length + 2);
  return Math.min(320, Math.max(48, Math.ceil(longest * 7.2)));
}

export const sortKey = (cell: Cell): string | number | bigint => {
  if (cell === null) return '';
  return typeof cell === 'boolean' ? Number(cell) : cell;
};

/** Times stay exact nanoseconds: what is copied is for machines and must not lose digits. */
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
  const unit = format.mode === 'utc' ? ' (UTC)' : format.mode === 'local' ? ' (local)' : ' (from onset)';
  return [
    line(table.columns.map(({ name }) => titleOf(name) + (isInstant(name) ? unit : ''))),
    line(table.columns.map(() => '---')),
    ...table.rows.map((row) =>
      line(row.map((cell, at) => cellMarkdown(cellText(table.columns[at]?.name ?? '', cell, format)))),
    ),
  ].join('\n');
}
