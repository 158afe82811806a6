import { nanos } from '../../../model/time.ts';
import type { LaneRow } from '../../draw/row-layout.ts';
import type { LaneEntry } from '../../draw/scene.ts';
import type { Action, ActionTarget } from '../../state/action-menu.ts';
import { recordTarget, thingTarget } from '../../state/actions.ts';
import { setWindow, useFocus } from '../../state/focus.ts';
import { padWindow } from '../../state/time-window.ts';
import { stepEvent } from './step-event.ts';
import type { Folding } from './use-folding.ts';

type EntryOf = (lane: string) => LaneEntry | undefined;

/** What can be done with a lane; while one of its events is selected, with that event first. */
export function laneTarget({ lane }: LaneRow, folding: Folding, entryOf: EntryOf): ActionTarget {
  const entry = entryOf(lane.id);
  const taller: Action = {
    id: 'tall',
    title: 'Taller, or as it was',
    keys: 'H',
    run: () => folding.toggleTall(lane.id),
  };
  const pin: Action = {
    id: 'pin',
    title: folding.isPinned(lane.id) ? 'Back to its layer' : 'On top of all lanes',
    keys: 'O',
    run: () => folding.togglePin(lane.id),
  };
  const more: readonly Action[] =
    lane.kind === 'metric'
      ? [taller, pin]
      : [
          { id: 'next', title: 'Next event', keys: 'N', run: () => stepEvent(entry, 1) },
          { id: 'previous', title: 'Previous event', keys: 'P', run: () => stepEvent(entry, -1) },
          taller,
          pin,
        ];
  const { selected } = useFocus.getState();
  if (selected !== null && holds(entry, selected)) {
    const { label, actions } = recordTarget(`${selected} on ${lane.entity_id}`, [selected]);
    return { label, actions: [...actions, ...more] };
  }
  return thingTarget(`${lane.entity_kind}:${lane.entity_id}`, [...zoomToEvents(entry), ...more]);
}

const holds = (entry: LaneEntry | undefined, ref: string): boolean =>
  entry?.data.kind === 'events' && entry.data.event_id.some((id) => ref === `event:${id}`);

function zoomToEvents(entry: LaneEntry | undefined): readonly Action[] {
  if (entry?.data.kind !== 'events') return [];
  const { offset_s: offsets } = entry.data;
  const [first, last] = [offsets[0], offsets.at(-1)];
  if (first === undefined || last === undefined) return [];
  const at = (offset: number) => nanos(entry.startNs + BigInt(Math.round(offset * 1e9)));
  const run = () => setWindow(padWindow({ startNs: at(first), endNs: at(last + SHORTEST_S) }, MARGIN), 'zoom');
  return [{ id: 'zoom', title: 'Zoom to its events', keys: 'Z', run }];
}

/** A window about a single event still shows what led to it. */
const SHORTEST_S = 1;
const MARGIN = 0.2;
