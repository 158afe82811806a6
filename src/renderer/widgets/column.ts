import type { ReactNode } from 'react';
import type { Nanos } from '../../model/time.ts';
import type { SheetCell } from '../draw/tables/sheet.ts';

export interface Column<R> {
  readonly id: string;
  readonly title: string;
  readonly numeric?: boolean;
  /** CSS width of the grid track. */
  readonly width: string;
  /** Left out, and named below the table, where the table has no room for it. Files have it. */
  readonly optional?: true;
  readonly cell: (row: R) => ReactNode;
  /** Sort key; a column without it cannot be sorted. */
  readonly sort?: (row: R) => string | number | bigint;
  /** For a column of times: the instant of a row. Files get it at full precision. */
  readonly instant?: (row: R) => Nanos | null;
  /** Value for a file, if it differs from the text on screen; null: not in files. */
  readonly sheet?: { readonly name?: string; readonly cell?: (row: R) => SheetCell } | null;
}
