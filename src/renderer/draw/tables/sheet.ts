import { csvCell, csvLines, csvText } from '../../../base/csv.ts';
import { formatExact, type Nanos } from '../../../model/time.ts';
import { messages } from '../messages.ts';

/** A cell for other programs: an instant, a number, a text, or empty. */
export type SheetCell = { readonly instant: Nanos } | string | number | bigint | boolean | null;

export interface Sheet {
  readonly names: readonly string[];
  readonly rows: readonly (readonly SheetCell[])[];
}

const plain = (cell: SheetCell) => (typeof cell === 'object' && cell !== null ? formatExact(cell.instant) : cell);

/** CSV as docs/export.md specifies it. */
export const sheetCsv = ({ names, rows }: Sheet): string =>
  csvLines([names.map(csvText), ...rows.map((row) => row.map((cell) => csvCell(plain(cell))))]);

/** Tab-separated for the clipboard. Cells are escaped, because spreadsheets split at tabs and newlines and run formulas. */
export const sheetTabs = ({ names, rows }: Sheet): string =>
  [names, ...rows.map((row) => row.map(plain))].map((row) => row.map((cell) => tabbed(cell)).join('\t')).join('\n');

/** Quoted as in CSV if a spreadsheet would split the cell. */
const tabbed = (cell: string | number | bigint | boolean | null): string => {
  const text = csvCell(cell);
  return text === '""' ? '' : text;
};

/** `night-log-templates.csv` */
export const csvFileName = (caseName: string, label: string): string =>
  `${
    `${caseName} ${label}`
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replaceAll(/^-|-$/g, '')
      .slice(0, 100) || messages.table
  }.csv`;

/** A number without its thousands separators; other texts unchanged. */
export function shownCell(text: string, isNumeric: boolean): SheetCell {
  if (text === '') return null;
  const digits = text.replaceAll(/[\s\u00a0\u202f]/g, '').replace('\u2212', '-');
  return isNumeric && /^-?\d+(\.\d+)?$/.test(digits) ? Number(digits) : text;
}
