import { csvCell, csvLines, csvText } from '../../base/csv.ts';

type Cell = string | number | bigint | boolean | null;

interface Answer {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly Cell[])[];
}

const PLAIN = /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|U?INTEGER|DOUBLE|FLOAT|DECIMAL.*|BOOLEAN)$/;
/** Whether values of a column are numbers or truth values, however they arrive: long numbers come as text. */
export const isPlainType = (type: string): boolean => PLAIN.test(type);

/** An answer of SQL as CSV: points in time as RFC 3339 with all digits that they have. */
export const tableCsv = ({ columns, rows }: Answer): string =>
  csvLines([
    columns.map(({ name }) => csvText(name)),
    ...rows.map((row) => columns.map(({ type }, at) => cellOf(type, row[at] ?? null))),
  ]);

function cellOf(type: string, value: Cell): string {
  if (typeof value !== 'string') return csvCell(value);
  if (isPlainType(type)) return value;
  return type.startsWith('TIMESTAMP') ? rfc3339(value, type === 'TIMESTAMP_NS' ? 9 : 0) : csvText(value);
}

/** `2026-01-01 00:00:00.5`, in UTC or with its offset; what is no such time (`infinity`) stays. */
function rfc3339(text: string, digits: number): string {
  const [, day, time, fraction = '', offset] =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d(?::?\d\d)?)?$/.exec(text) ?? [];
  if (day === undefined) return csvText(text);
  const zone =
    offset === undefined || /^[+-]00(:?00)?$/.test(offset) ? 'Z' : offset.length === 3 ? `${offset}:00` : offset;
  const part = fraction.padEnd(digits, '0');
  return `${day}T${time}${part === '' ? '' : `.${part}`}${zone}`;
}
