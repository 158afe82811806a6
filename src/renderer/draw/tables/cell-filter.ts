/** One cell as a filter reads it. */
export interface FilteredCell {
  /** The text on screen. */
  readonly text: string;
  /** The number in the cell; null if it has none. */
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
 * Whether a cell passes: `psu` contains, `!psu` does not contain, `= critical` equals, `> 5 ms` compares.
 * Comparison uses the number of the cell, or else its text, for example a time of day.
 * @param parseFigure converts the filter text to the unit of the cell; null if it is no number
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
  // The filter is incomplete while the investigator types.
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

/** Nanoseconds of `5 ms`, `1.5 s`; a number without a unit counts in `unit`. */
export function parseLength(text: string, unit: 'ns' | 'ms'): number | null {
  const [, figure, unitText = unit] = /^(\d+(?:\.\d+)?)\s*([a-zµ]+)?$/.exec(text.trim()) ?? [];
  const factor = NANOSECONDS[unitText];
  return figure === undefined || factor === undefined ? null : Number(figure) * factor;
}
