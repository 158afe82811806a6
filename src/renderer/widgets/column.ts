import type { ReactNode } from 'react';
import type { Nanos } from '../../model/time.ts';
import type { SheetCell } from '../draw/tables/sheet.ts';

export interface Column<R> {
  readonly id: string;
  readonly title: string;
  readonly numeric?: boolean;
  /** CSS width of the grid track. */
  readonly width: string;
  readonly cell: (row: R) => ReactNode;
  /** What the column sorts by; without it, it does not sort. */
  readonly sort?: (row: R) => string | number | bigint;
  /** Of a column of times: which one. Whatever the window writes times as, files have it whole. */
  readonly instant?: (row: R) => Nanos | null;
  /** In a file, where that is something else than the text on screen; null: it has no place in one. */
  readonly sheet?: { readonly name?: string; readonly cell?: (row: R) => SheetCell } | null;
}
