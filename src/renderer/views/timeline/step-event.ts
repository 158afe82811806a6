import { bisectLeft, bisectRight } from '../../../base/bisect.ts';
import { nanos } from '../../../model/time.ts';
import type { LaneEntry } from '../../draw/scene.ts';
import { showDetails } from '../../state/case-state.ts';
import { select, useFocus } from '../../state/focus.ts';

/** Selects the lane's next or previous event after the playhead: the keyboard's click on a mark. */
export function stepEvent(entry: LaneEntry | undefined, by: 1 | -1): void {
  if (entry?.data.kind !== 'events') return;
  const { offset_s: offsets, event_id: ids } = entry.data;
  const { playhead, window } = useFocus.getState();
  const from = Number((playhead ?? window.startNs) - entry.startNs) / 1e9;
  const half = 5e-10;
  const index = by > 0 ? bisectRight(offsets, from + half) : bisectLeft(offsets, from - half) - 1;
  const offset = offsets[index];
  if (offset === undefined) return;
  select(`event:${ids[index]}`, nanos(entry.startNs + BigInt(Math.round(offset * 1e9))));
  showDetails();
}
