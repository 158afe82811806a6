/** One row of a table of text, and the number of its record, the header being 1. */
export interface CsvRow {
  readonly record: number;
  readonly cells: readonly string[];
}

/** NetBox writes commas unless the user has chosen otherwise. */
const delimiters = [',', ';', '\t', '|'] as const;

/** `Device A` and `device_a` are the same column. */
const columnName = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');

/** The columns of the first row and what parts them; undefined when it has a single column only. */
export function headerOf(text: string): { readonly columns: string[]; readonly delimiter: string } | undefined {
  const line = text.split(/\r?\n/, 1)[0] ?? '';
  const delimiter = delimiters.find((one) => line.includes(one));
  if (delimiter === undefined || line.length > 8192) return undefined;
  const [row] = csvRows(line, delimiter);
  return row && { columns: row.cells.map(columnName), delimiter };
}

/** Rows by RFC 4180: quoted cells may hold delimiters, quotes and line ends. Empty lines are none. */
export function* csvRows(text: string, delimiter: string): Generator<CsvRow> {
  let cells: string[] = [];
  let record = 1;
  let at = 0;
  while (at < text.length) {
    const cell = text[at] === '"' ? quotedCell(text, at) : unquotedCell(text, at, delimiter);
    cells.push(cell.value);
    at = cell.end;
    if (text[at] === delimiter) {
      at++;
      // A delimiter at the very end is followed by one more, empty cell.
      if (at < text.length && text[at] !== '\n' && text[at] !== '\r') continue;
      cells.push('');
    }
    while (text[at] === '\r' || text[at] === '\n') at++;
    if (cells.some((value) => value !== '')) yield { record, cells };
    record++;
    cells = [];
  }
}

interface Cell {
  readonly value: string;
  readonly end: number;
}

function unquotedCell(text: string, start: number, delimiter: string): Cell {
  let end = start;
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end++;
  return { value: text.slice(start, end).trim(), end };
}

function quotedCell(text: string, start: number): Cell {
  let value = '';
  let from = start + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return { value: value + text.slice(from), end: text.length };
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') return afterQuote(text, quote + 1, value);
    value += '"';
    from = quote + 2;
  }
}

/** What stands between a closing quote and the next delimiter is noise, and belongs to no other cell. */
function afterQuote(text: string, start: number, value: string): Cell {
  let end = start;
  while (end < text.length && !/[,;\t|\r\n]/.test(text[end]!)) end++;
  return { value, end };
}
