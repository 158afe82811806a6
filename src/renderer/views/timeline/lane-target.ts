import type { Lane } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { entityKeyOf } from '../../draw/tables/row-tree.ts';
import type { LaneRow } from '../../draw/timeline/row-layout.ts';
import type { LaneEntry } from '../../draw/timeline/scene.ts';
import type { Action, ActionTarget } from '../../state/action-menu.ts';
import { entityTarget, recordTarget } from '../../state/actions.ts';
import { showView } from '../../state/case-state.ts';
import { selectEntity, setWindow, useFocus } from '../../state/focus.ts';
import { type RowsTable, showRows } from '../../state/show-rows.ts';
import { padWindow } from '../../state/time-window.ts';
import { queryOf, queryTarget } from './query-lane.ts';
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
    lane.kind === 'metric' || lane.kind === 'logs'
      ? [...templatesOf(lane), taller, pin]
      : [
          { id: 'next', title: `Next ${single[lane.kind]}`, keys: 'N', run: () => stepEvent(entry, 1) },
          { id: 'previous', title: `Previous ${single[lane.kind]}`, keys: 'P', run: () => stepEvent(entry, -1) },
          taller,
          pin,
        ];
  const query = queryOf(lane);
  if (query !== null) return queryTarget(lane, query, more);
  const { selected } = useFocus.getState();
  if (selected !== null && holds(entry, selected)) {
    const { label, actions } = recordTarget(`${selected} on ${lane.entity_id}`, [selected]);
    return { label, actions: [...actions, ...more] };
  }
  return entityTarget(entityKeyOf(lane), [...rowsOf(lane), ...zoomToEvents(entry), ...more]);
}

const single = { events: 'event', state: 'state', spans: 'span', collectives: 'operation' } as const;

const holds = (entry: LaneEntry | undefined, ref: string): boolean =>
  (entry?.data.kind === 'events' && entry.data.event_id.some((id) => ref === `event:${id}`)) ||
  (entry?.data.kind === 'bands' && entry.data.refs.includes(ref));

function templatesOf(lane: Lane): readonly Action[] {
  if (lane.kind !== 'logs') return [];
  const run = () => {
    selectEntity(entityKeyOf(lane));
    showView('logs');
  };
  return [{ id: 'templates', title: 'Its log templates', keys: 'V', run }];
}

function rowsOf(lane: Lane): readonly Action[] {
  const table = rowsTableOf(lane);
  const run = () => table && showRows(table, entityKeyOf(lane));
  return table === null ? [] : [{ id: 'rows', title: 'Its rows', keys: 'G', run }];
}

/** Which rows tell what the lane only counts. */
export function rowsTableOf({ kind }: Lane): RowsTable | null {
  switch (kind) {
    case 'events':
      return 'event';
    case 'spans':
      return 'span';
    case 'logs':
      return 'log';
    default:
      return null;
  }
}

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
