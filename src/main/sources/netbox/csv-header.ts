import { csvRows } from '../../../base/csv-reader.ts';

/** NetBox writes commas unless configured otherwise. */
const delimiters = [',', ';', '\t', '|'] as const;

/** `Device A` and `device_a` are the same column. */
const columnName = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');

/** The columns of the first row and their separator; undefined for a single column. */
export function headerOf(text: string): { readonly columns: string[]; readonly delimiter: string } | undefined {
  const line = text.split(/\r?\n/, 1)[0] ?? '';
  const delimiter = delimiters.find((one) => line.includes(one));
  if (delimiter === undefined || line.length > 8192) return undefined;
  const [row] = csvRows(line, delimiter);
  return row && { columns: row.cells.map(columnName), delimiter };
}
