import type { KeyboardEvent } from 'react';
import type { Fleet } from '../../../model/contract/index.ts';
import { entityTarget } from '../../state/actions.ts';
import { showDetails } from '../../state/case-state.ts';
import { movePlayhead, selectEntities } from '../../state/focus.ts';
import type { TimeWindow } from '../../state/focus-history.ts';
import { actByKey } from '../../widgets/action-menu.tsx';

/** The displayed fleet and its selection. */
export interface FleetMap {
  readonly fleet: Fleet;
  /** The window of the fleet's data. */
  readonly window: TimeWindow;
  /** Indexes into `fleet.gpus`, from the top. */
  readonly order: readonly number[];
  /** Index into `fleet.gpus`; -1: none. */
  readonly selected: number;
  /** Indexes into `fleet.gpus`: the selected GPU and the others of the selection. */
  readonly taken: ReadonlySet<number>;
  readonly onSelect: (gpu: number) => void;
}

/** Selects the GPUs from one row to another: all views filter by them. */
export function takeRows({ fleet, order }: Pick<FleetMap, 'fleet' | 'order'>, from: number, to: number): void {
  const rows = order.slice(Math.max(0, Math.min(from, to)), Math.max(from, to) + 1);
  selectEntities(rows.flatMap((gpu) => fleet.gpus[gpu]?.entity ?? []));
}

/** Extends or shrinks the selection by one row. */
function takeMore(map: FleetMap, by: 1 | -1): void {
  const rows = map.order.flatMap((gpu, row) => (map.taken.has(gpu) ? [row] : []));
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return takeRows(map, 0, 0);
  takeRows(map, first, Math.min(Math.max(last + by, first), map.order.length - 1));
}

/** Up and down: next GPU (Shift extends the selection); left and right: time; Enter: its record; `.`: its actions. */
export function walkCells(event: KeyboardEvent<HTMLElement>, map: FleetMap): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { fleet, order, selected, onSelect } = map;
  const buckets = fleet.values.length / Math.max(1, fleet.gpus.length);
  const at = order.indexOf(selected);
  const go = (to: number) => {
    const next = order[Math.min(Math.max(to, 0), order.length - 1)];
    if (next !== undefined) onSelect(next);
  };
  const entityKey = fleet.gpus[selected]?.entity;
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
