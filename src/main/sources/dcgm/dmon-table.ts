import { dcgmFieldById } from '../nvidia/dcgm-fields.ts';
import type { Reading } from '../nvidia/reading.ts';
import { fieldOfShortName } from './short-names.ts';

interface Column {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

export interface DmonRow {
  /** `GPU`, `GPU-I`, `Switch` … */
  readonly group: string;
  readonly number: string;
  readonly cells: readonly string[];
}

const ROW = /^([A-Za-z][\w-]*)\s+(\d{1,9})(?=\s|$)/;

/** The columns below one header of `dcgmi dmon`: each starts where its title does. */
export class DmonTable {
  private readonly columns: readonly Column[];
  private units: readonly string[] = [];

  constructor(header: string) {
    const titles = [...header.matchAll(/\S+/g)];
    const first = titles.findIndex(({ 0: title }) => /^#?Entity$/.test(title)) + 1;
    const shown = titles.slice(first);
    this.columns = shown.map(({ 0: name, index }, at) => ({
      name,
      start: index,
      end: shown[at + 1]?.index ?? Number.POSITIVE_INFINITY,
    }));
  }

  /** The line below the header: `ID    W    mJ`. */
  takeUnits(line: string): void {
    this.units = this.cut(line);
  }

  /** Undefined when the line is none of a table's rows or has other columns. */
  row(line: string): DmonRow | undefined {
    const match = ROW.exec(line);
    if (!match) return undefined;
    const [name, group = '', number = ''] = match;
    const words = line.slice(name.length).trim().split(/\s+/);
    // Names have spaces and may be missing: then only the position under the title identifies a column.
    const cells = words.length === this.columns.length ? words : this.cut(line);
    return cells.some((cell) => cell !== '') && words.length >= this.columns.length / 2
      ? { group, number, cells }
      : undefined;
  }

  /** What each column measures, with its place in {@link DmonRow.cells}. */
  readings(): { readonly at: number; readonly reading: Reading }[] {
    return this.columns.map(({ name }, at) => {
      const field = fieldOfShortName.get(name);
      const known = field === undefined ? undefined : dcgmFieldById(field);
      const unit = (this.units[at] ?? '').replace('#', '');
      return { at, reading: known ?? { metric: `dcgm.${name.toLowerCase()}`, unit: unit || '1' } };
    });
  }

  private cut(line: string): string[] {
    return this.columns.map(({ start, end }) => line.slice(start, end).trim());
  }
}

/** `N/A` is not reported; numbers have three decimals or none. */
export function dmonNumber(cell: string): number | undefined {
  if (!/^-?\d{1,20}(\.\d{1,20})?(e[+-]?\d{1,3})?$/i.test(cell)) return undefined;
  const value = Number(cell);
  return Number.isFinite(value) ? value : undefined;
}
