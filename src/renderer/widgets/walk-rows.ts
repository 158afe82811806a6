import type { KeyboardEvent } from 'react';
import { entityTarget } from '../state/actions.ts';
import { showDetails } from '../state/case-state.ts';
import { movePlayhead, selectEntities } from '../state/focus.ts';
import type { TimeWindow } from '../state/focus-history.ts';
import { actByKey } from './action-menu.tsx';

/** Rows of a heat map, and which of them are selected. */
export interface HeatRows {
  /** Row by row; NaN: not recorded. */
  readonly values: Float64Array;
  /** What each row is about, as `kind:id`. */
  readonly entities: readonly string[];
  /** The window of the values. */
  readonly window: TimeWindow;
  /** Indexes of the rows, from the top. */
  readonly order: readonly number[];
  /** Index of a row; -1: none. */
  readonly selected: number;
  /** Indexes of the selected row and the others of the selection. */
  readonly taken: ReadonlySet<number>;
  readonly onSelect: (row: number) => void;
}

/** Cells per row. */
export const bucketsOf = ({ values, entities }: Pick<HeatRows, 'values' | 'entities'>): number =>
  values.length / Math.max(1, entities.length);

/** Selects what is in the rows from one to another: all views filter by it. */
export function takeRows({ entities, order }: Pick<HeatRows, 'entities' | 'order'>, from: number, to: number): void {
  const rows = order.slice(Math.max(0, Math.min(from, to)), Math.max(from, to) + 1);
  selectEntities(rows.flatMap((row) => entities[row] ?? []));
}

/** Extends or shrinks the selection by one row. */
function takeMore(map: HeatRows, by: 1 | -1): void {
  const rows = map.order.flatMap((row, place) => (map.taken.has(row) ? [place] : []));
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return takeRows(map, 0, 0);
  takeRows(map, first, Math.min(Math.max(last + by, first), map.order.length - 1));
}

/** Up and down: next row (Shift extends the selection); left and right: time; Enter: its record; `.`: its actions. */
export function walkRows(event: KeyboardEvent<HTMLElement>, map: HeatRows): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { order, selected, onSelect } = map;
  const buckets = bucketsOf(map);
  const at = order.indexOf(selected);
  const go = (to: number) => {
    const next = order[Math.min(Math.max(to, 0), order.length - 1)];
    if (next !== undefined) onSelect(next);
  };
  const entityKey = map.entities[selected];
  switch (event.key) {
    case 'ArrowDown':
      if (event.shiftKey) takeMore(map, 1);
      else go(at + 1);
      break;
    case 'ArrowUp':
      if (event.shiftKey) takeMore(map, -1);
      else go(at < 0 ? 0 : at - 1);
      break;
    case 'Home':
      go(0);
      break;
    case 'End':
      go(order.length - 1);
      break;
    case 'ArrowLeft':
    case 'ArrowRight':
      movePlayhead(((event.key === 'ArrowLeft' ? -1 : 1) * (event.shiftKey ? 10 : 1)) / buckets);
      break;
    case 'Enter':
      showDetails();
      break;
    default:
      if (entityKey === undefined || !actByKey(event, () => entityTarget(entityKey))) return;
  }
  event.preventDefault();
  event.stopPropagation();
}
