/** One row of a table of text, and the number of its record, the header being 1. */
export interface CsvRow {
  readonly record: number;
  readonly cells: readonly string[];
}

/**
 * Rows by RFC 4180: quoted cells may hold delimiters, quotes and line ends. Cells are trimmed, empty lines skipped.
 *
 * @param delimiters each character is one: `','`, or `',;'` for files that may use either
 */
export function* csvRows(text: string, delimiters: string): Generator<CsvRow> {
  let cells: string[] = [];
  let record = 1;
  let at = 0;
  while (at < text.length) {
    const cell = text[at] === '"' ? quotedCell(text, at, delimiters) : unquotedCell(text, at, delimiters);
    cells.push(cell.value);
    at = cell.end;
    if (at < text.length && delimiters.includes(text[at]!)) {
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

/** The cells of one line; of an empty line one empty cell. */
export function csvFields(line: string, delimiter: ',' | ',;' = ','): readonly string[] {
  // Nearly all lines have no quotes, and this is several times faster than cell by cell.
  if (!line.includes('"')) return line.split(delimiter === ',' ? ',' : /[,;]/).map((cell) => cell.trim());
  const [row] = csvRows(line, delimiter);
  return row?.cells.map((cell) => cell.trim()) ?? [''];
}

interface Cell {
  readonly value: string;
  readonly end: number;
}

function unquotedCell(text: string, start: number, delimiters: string): Cell {
  let end = start;
  while (end < text.length && !delimiters.includes(text[end]!) && text[end] !== '\n' && text[end] !== '\r') end++;
  return { value: text.slice(start, end).trim(), end };
}

function quotedCell(text: string, start: number, delimiters: string): Cell {
  let value = '';
  let from = start + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return { value: value + text.slice(from), end: text.length };
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { value, end: unquotedCell(text, quote + 1, delimiters).end };
    value += '"';
    from = quote + 2;
  }
}
