import type { Table } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { formatDuration, formatTime, type TimeFormat } from '../../draw/format-time.ts';
import { formatNumber } from '../../draw/format-value.ts';

export type Cell = Table['rows'][number][number];

export const isInstant = (name: string): boolean => /(^|_)(time|start|end|observed|timestamp)(_ns)?$/.test(name);
export const isLength = (name: string): boolean => /(^|_)(duration|lag|length)_ns$/.test(name);

/** Text of a cell as people read it; unknown is said, not left blank. */
export function cellText(name: string, cell: Cell, format: TimeFormat): string {
  if (cell === null) return '';
  if (typeof cell === 'bigint') {
    if (isInstant(name)) return formatTime(nanos(cell), format, 6);
    if (isLength(name)) return formatDuration(Number(cell));
    return cell.toString();
  }
  if (typeof cell === 'number') return isLength(name) ? formatDuration(cell) : formatNumber(cell);
  return String(cell);
}

export const sortKey = (cell: Cell): string | number | bigint => {
  if (cell === null) return '';
  return typeof cell === 'boolean' ? Number(cell) : cell;
};

/** Times stay exact nanoseconds: what is copied is for machines and must not lose digits. */
export function tableJson(table: Table): string {
  const records = table.rows.map((row) =>
    Object.fromEntries(table.columns.map((column, at) => [column.name, typeof row[at] === 'bigint' ? String(row[at]) : row[at]])),
  );
  return JSON.stringify(records, null, 2);
}

export function tableMarkdown(table: Table, format: TimeFormat): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const escape = (text: string) => text.replace(/\|/g, '\\|').replace(/\s*\n\s*/g, ' ');
  const unit = format.mode === 'utc' ? ' (UTC)' : format.mode === 'local' ? ' (local)' : ' (from onset)';
  return [
    line(table.columns.map(({ name }) => (isInstant(name) ? name.replace(/_ns$/, '') + unit : name))),
    line(table.columns.map(() => '---')),
    ...table.rows.map((row) => line(row.map((cell, at) => escape(cellText(table.columns[at]?.name ?? '', cell, format))))),
  ].join('\n');
}
