import type { Table } from '../../../model/contract/index.ts';
import { type Nanos, nanos, parseTime } from '../../../model/time.ts';
import { formatDuration, formatTime, type TimeFormat } from '../../draw/format-time.ts';
import { formatNumber } from '../../draw/format-value.ts';

export type Cell = Table['rows'][number][number];

export const isInstant = (name: string): boolean => /(^|_)(time|start|end|observed|timestamp)(_ns|_utc)?$/.test(name);
export const isLength = (name: string): boolean => /(^|_)(duration|lag|length)_(ns|ms)$/.test(name);

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
  const quote = (text: string) => text.replace(/\|/g, '\\|').replace(/\s*\n\s*/g, ' ');
  const unit = format.mode === 'utc' ? ' (UTC)' : format.mode === 'local' ? ' (local)' : ' (from onset)';
  return [
    line(table.columns.map(({ name }) => (isInstant(name) ? name.replace(/_(ns|utc)$/, '') + unit : name))),
    line(table.columns.map(() => '---')),
    ...table.rows.map((row) =>
      line(row.map((cell, at) => quote(cellText(table.columns[at]?.name ?? '', cell, format)))),
    ),
  ].join('\n');
}
