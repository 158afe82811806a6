/** Rows of a source that can be cut by time, and their time column. */
const timeColumn = { span: 'start_ns', point: 'time_ns', log: 'time_ns' } as const;
export type CutTable = keyof typeof timeColumn;

/** As many as a machine with four cores reads beside each other; more only read what lies at their borders again. */
const PARTS = 4;

/**
 * Conditions of SQL that together hold for every row of a source, each for one row only: a share of its time, cut at
 * multiples of `unit` nanoseconds. The engine reads rows of an open transaction on one thread, however many there are, but
 * the arms of a UNION ALL beside each other, and its zone maps leave an arm the row groups of its time: of 3 M points the
 * slices took 173 ms in one part and 68 in four (258 of processor time in either way; once committed 67).
 */
export type CutByTime = (table: CutTable, unit: bigint) => readonly string[];

/** For rows that are committed, which the engine reads in parallel anyway. */
export const uncut: CutByTime = () => ['true'];

/** `select` for each part, as one. */
export const eachPart = (parts: readonly string[], select: (where: string) => string): string =>
  parts.map((where) => `(${select(where)})`).join('\nunion all\n');

/** When the batches of a source begin: where in its time the rows lie, also where a stray one is from 1970. */
export class BatchTimes {
  private readonly firsts: Record<CutTable, bigint[]> = { span: [], point: [], log: [] };

  note(table: string, first: bigint): void {
    if (table === 'span' || table === 'point' || table === 'log') this.firsts[table].push(first);
  }

  readonly cut: CutByTime = (table, unit) => {
    const sorted = this.firsts[table].toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    const borders = new Set<bigint>();
    for (let part = 1; part < PARTS && sorted.length >= PARTS; part++) {
      const time = sorted[Math.floor((sorted.length * part) / PARTS)]!;
      borders.add(time - (((time % unit) + unit) % unit));
    }
    return between(timeColumn[table], [...borders]);
  };
}

/** @param borders ascending */
function between(column: string, borders: readonly bigint[]): string[] {
  if (borders.length === 0) return ['true'];
  return [...borders, undefined].map((to, i) => {
    const from = borders[i - 1];
    return [from === undefined ? '' : `${column} >= ${from}`, to === undefined ? '' : `${column} < ${to}`]
      .filter(Boolean)
      .join(' and ');
  });
}
