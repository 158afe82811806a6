/** What readers skip or trim, as members of a class of characters; RE2 and JavaScript read it alike. */
const BLANK = '\\x00-\\x20\\u00a0\\ufeff';

/**
 * What spreadsheets take for a formula: `=`, `+`, `-`, `@` and their wide forms, behind whatever they skip. An apostrophe in front
 * makes text of it; texts that begin with such apostrophes get one more, so that taking one away gives each back as it was.
 */
const FORMULA = `^'*[${BLANK}]*[=+\\-@＝＋－＠]`;
/** Quoted are also what other separators would cut, what readers that trim would change, and the empty text, which is a value. */
const SPECIAL = `[",;\\x00\\t\\r\\n]|^$|^[${BLANK}]|[${BLANK}]$`;
const formula = new RegExp(FORMULA);
const special = new RegExp(SPECIAL);

/** The same expressions for RE2 (`core/store/copies/csv-select.ts`). */
export const csvPatterns = {
  formula: FORMULA.replaceAll(/\\u(\w{4})/g, '\\x{$1}'),
  special: SPECIAL.replaceAll(/\\u(\w{4})/g, '\\x{$1}'),
};

/** A text as one cell. */
export function csvText(text: string): string {
  // UTF-8 has no halves of characters.
  const whole = text.toWellFormed();
  const safe = formula.test(whole) ? `'${whole}` : whole;
  return special.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A value as one cell: numbers and truth values as they are, null as nothing. */
export const csvCell = (value: string | number | bigint | boolean | null): string =>
  value === null ? '' : typeof value === 'string' ? csvText(value) : String(value);

/** RFC 4180: lines end with CR LF, the first one names the columns. */
export const csvLines = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `${lineOf(cells)}\r\n`).join('');

/** An empty line is no row: a lone empty cell is written as an empty text. */
const lineOf = (cells: readonly string[]): string => (cells.length === 1 && cells[0] === '' ? '""' : cells.join(','));
