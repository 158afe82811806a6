import type { KeyboardEvent } from 'react';
import type { Fleet } from '../../../model/contract/index.ts';
import { thingTarget } from '../../state/actions.ts';
import { showDetails } from '../../state/case-state.ts';
import { movePlayhead } from '../../state/focus.ts';
import type { TimeWindow } from '../../state/focus-history.ts';
import { actByKey } from '../../widgets/action-menu.tsx';

/** The fleet as it is drawn, and which of it is chosen. */
export interface FleetMap {
  readonly fleet: Fleet;
  /** That the fleet was asked for. */
  readonly window: TimeWindow;
  /** Places in `fleet.gpus`, from the top. */
  readonly order: readonly number[];
  /** Place in `fleet.gpus`; -1: none. */
  readonly chosen: number;
  readonly onChoose: (gpu: number) => void;
}

/** Up and down from GPU to GPU, left and right through the time, Enter to its record, `.` to what can be done. */
export function walkCells(event: KeyboardEvent<HTMLElement>, { fleet, order, chosen, onChoose }: FleetMap): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const buckets = fleet.values.length / Math.max(1, fleet.gpus.length);
  const at = order.indexOf(chosen);
  const go = (to: number) => {
    const next = order[Math.min(Math.max(to, 0), order.length - 1)];
    if (next !== undefined) onChoose(next);
  };
  const thing = fleet.gpus[chosen]?.thing;
  switch (event.key) {
    case 'ArrowDown':
      go(at + 1);
      break;
    case 'ArrowUp':
      go(at < 0 ? 0 : at - 1);
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
      if (thing === undefined || !actByKey(event, () => thingTarget(thing))) return;
  }
  event.preventDefault();
  event.stopPropagation();
}
