import { bisectLeft, bisectRight } from '../../../base/bisect.ts';
import { nanos } from '../../../model/time.ts';
import type { LaneEntry } from '../../draw/timeline/scene.ts';
import { showDetails } from '../../state/case-state.ts';
import { select, setPlayhead, useFocus } from '../../state/focus.ts';

/** Selects the next or previous event or band of a lane after the playhead: the keyboard equivalent of a click on a mark. */
export function stepEvent(entry: LaneEntry | undefined, by: 1 | -1): void {
  const marks = entry && marksOf(entry);
  if (!entry || !marks) return;
  const { playhead, window } = useFocus.getState();
  const from = Number((playhead ?? window.startNs) - entry.startNs) / 1e9;
  const half = 5e-10;
  const index = by > 0 ? bisectRight(marks.offsets, from + half) : bisectLeft(marks.offsets, from - half) - 1;
  const offset = marks.offsets[index];
  if (offset === undefined) return;
  const at = nanos(entry.startNs + BigInt(Math.round(offset * 1e9)));
  const ref = marks.refOf(index);
  if (ref === '') return setPlayhead(at);
  select(ref, at);
  showDetails();
}

interface Marks {
  /** Ascending, seconds after the entry's start. */
  readonly offsets: Float64Array;
  readonly refOf: (index: number) => string;
}

function marksOf({ data }: LaneEntry): Marks | null {
  switch (data.kind) {
    case 'events':
      return { offsets: data.offset_s, refOf: (index) => `event:${data.event_id[index]}` };
    case 'bands':
      return { offsets: data.start_s, refOf: (index) => data.refs[index] ?? '' };
    default:
      return null;
  }
}
