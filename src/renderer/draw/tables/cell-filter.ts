/** What a filter reads of one cell. */
export interface FilteredCell {
  /** As it is shown. */
  readonly text: string;
  /** Its figure; null where it has none. */
  readonly figure: number | null;
}

const comparisons: Readonly<Record<string, (a: number | string, b: number | string) => boolean>> = {
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
  '=': (a, b) => a === b,
};

/**
 * Whether a cell passes: `psu` contains, `!psu` does not, `= critical` is, and `> 5 ms` compares figures where the cell
 * has one, else texts, as for times of day.
 * @param parseFigure the figure that a filter's text means in the cell's own unit; null when it is none
 */
export function passesFilter(
  filter: string,
  { text, figure }: FilteredCell,
  parseFigure: (text: string) => number | null,
): boolean {
  const wanted = filter.trim().toLowerCase();
  const shown = text.toLowerCase();
  const [, sign, rest = ''] = /^(>=|<=|>|<|=|!)\s*(.*)$/.exec(wanted) ?? [];
  if (sign === undefined) return shown.includes(wanted);
  // Half a filter, as it is being typed.
  if (rest === '') return true;
  if (sign === '!') return !shown.includes(rest);
  const limit = parseFigure(rest);
  const compare = comparisons[sign]!;
  if (figure === null || limit === null) return shown !== '' && compare(shown, rest);
  return compare(figure, limit);
}

const NANOSECONDS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  min: 60e9,
  h: 3600e9,
};

/** Nanoseconds of `5 ms`, `1.5 s`; a bare number counts in `unit`. */
export function parseLength(text: string, unit: 'ns' | 'ms'): number | null {
  const [, figure, unitText = unit] = /^(\d+(?:\.\d+)?)\s*([a-zµ]+)?$/.exec(text.trim()) ?? [];
  const factor = NANOSECONDS[unitText];
  return figure === undefined || factor === undefined ? null : Number(figure) * factor;
}
