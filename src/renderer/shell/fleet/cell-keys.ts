import type { KeyboardEvent } from 'react';
import { BUCKETS, type Cells, chooseCells, useFleet } from '../../state/fleet-draft.ts';

const within = (place: number, count: number): number => Math.min(count - 1, Math.max(0, place));

/** Arrow keys move by a cell, Page keys by a tenth of the time, Home and End to the first and last service; Shift extends; Enter chooses. */
export function moveByKey(event: KeyboardEvent, rows: number): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { cells } = useFleet.getState();
  if (event.key === 'Enter') {
    if (cells) chooseCells(cells);
    event.preventDefault();
    return;
  }
  const step = steps[event.key];
  if (!step) return;
  event.preventDefault();
  useFleet.setState({ cells: cells ? moved(cells, step, rows, event.shiftKey) : first });
}

const first: Cells = { rows: [0, 0], columns: [0, 0] };

/** By services and columns. */
const steps: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [0, -BUCKETS / 10],
  PageDown: [0, BUCKETS / 10],
  Home: [Number.NEGATIVE_INFINITY, 0],
  End: [Number.POSITIVE_INFINITY, 0],
};

/** Shift moves the last cell of the selection, and the first one stays. */
function moved(
  { rows, columns }: Cells,
  [down, right]: readonly [number, number],
  count: number,
  isExtended: boolean,
): Cells {
  if (isExtended)
    return {
      rows: [rows[0], Math.max(rows[0], within(rows[1] + down, count))],
      columns: [columns[0], Math.max(columns[0], within(columns[1] + right, BUCKETS))],
    };
  const row = within(rows[0] + down, count);
  const column = within(columns[0] + right, BUCKETS);
  return { rows: [row, row], columns: [column, column] };
}
