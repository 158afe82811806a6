export type Column<T> = readonly [title: string, cell: (row: T) => string, side: 'left' | 'right'];

/** Lines of a table for people, with titles; none without rows. */
export function alignedTable<T>(columns: readonly Column<T>[], rows: readonly T[]): string[] {
  const cells = rows.map((row) => columns.map(([, cell]) => cell(row)));
  const widths = columns.map(([title], at) => Math.max(title.length, ...cells.map((row) => row[at]!.length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => (columns[at]?.[2] === 'right' ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd();
  return rows.length === 0 ? [] : [line(columns.map(([title]) => title)), ...cells.map(line)];
}
