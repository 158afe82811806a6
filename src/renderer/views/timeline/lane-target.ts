import type { Lane } from '../../../model/contract/index.ts';
import { nanos } from '../../../model/time.ts';
import { entityKeyOf, laneEntity } from '../../draw/tables/row-tree.ts';
import { laneWhat } from '../../draw/timeline/lane-text.ts';
import { niceRange } from '../../draw/timeline/metric-line.ts';
import type { LaneRow } from '../../draw/timeline/row-layout.ts';
import type { LaneEntry } from '../../draw/timeline/scene.ts';
import type { Action, ActionTarget } from '../../state/action-menu.ts';
import { entityTarget, recordTarget } from '../../state/actions.ts';
import { showView } from '../../state/case-state.ts';
import { selectEntity, setWindow, useFocus } from '../../state/focus.ts';
import { hideLane } from '../../state/hidden-lanes.ts';
import { known } from '../../state/known.ts';
import { laneRanges, openRange } from '../../state/lane-ranges.ts';
import { type RowsTable, showRows } from '../../state/show-rows.ts';
import { padWindow } from '../../state/time-window.ts';
import { messages } from './messages.ts';
import { queryOf, queryTarget } from './query-lane.ts';
import { stepEvent } from './step-event.ts';
import type { Folding } from './use-folding.ts';

type EntryOf = (lane: string) => LaneEntry | undefined;

/** Actions of a lane; if one of its events is selected, the actions of the event come first. */
export function laneTarget({ lane }: LaneRow, folding: Folding, entryOf: EntryOf): ActionTarget {
  const entry = entryOf(lane.id);
  const taller: Action = {
    id: 'tall',
    title: messages.actions.height,
    keys: 'H',
    run: () => folding.toggleTall(lane.id),
  };
  const pin: Action = {
    id: 'pin',
    title: folding.isPinned(lane.id) ? messages.actions.unpin : messages.actions.pin,
    keys: 'O',
    run: () => folding.togglePin(lane.id),
  };
  const hide: readonly Action[] =
    queryOf(lane) === null
      ? [
          {
            id: 'hide',
            title: messages.actions.hide,
            keys: '-',
            run: () => hideLane(lane.id, `${laneEntity(lane)} ${laneWhat(lane)}`),
          },
        ]
      : [];
  const more: readonly Action[] =
    lane.kind === 'metric' || lane.kind === 'logs'
      ? [...templatesOf(lane), taller, ...rangeOfLane(lane, entry), pin, ...hide]
      : [
          {
            id: 'next',
            title: messages.actions.next(messages.marks[lane.kind]),
            keys: 'N',
            run: () => stepEvent(entry, 1),
          },
          {
            id: 'previous',
            title: messages.actions.previous(messages.marks[lane.kind]),
            keys: 'P',
            run: () => stepEvent(entry, -1),
          },
          taller,
          pin,
          ...hide,
        ];
  const query = queryOf(lane);
  if (query !== null) return queryTarget(lane, query, more);
  const { selected } = useFocus.getState();
  if (selected !== null && holds(entry, selected)) {
    const { label, actions } = recordTarget(messages.hover.on(selected, laneEntity(lane)), [selected]);
    return { label, actions: [...actions, ...more] };
  }
  return entityTarget(entityKeyOf(lane), [...rowsOf(lane), ...zoomToEvents(entry), ...more]);
}

function rangeOfLane(lane: Lane, entry: LaneEntry | undefined): readonly Action[] {
  const shape = entry?.shape;
  if (lane.kind !== 'metric' || !shape) return [];
  const run = (): void => {
    const alike = (known('timeline.lanes') ?? [])
      .filter((one) => one.kind === 'metric' && one.metric === lane.metric && one.unit === lane.unit)
      .map(({ id }) => id);
    const shown = laneRanges()[lane.id] ?? niceRange(shape.low, shape.high);
    openRange({ id: lane.id, name: `${laneEntity(lane)} ${laneWhat(lane)}`, unit: lane.unit, shown, alike });
  };
  return [{ id: 'range', title: messages.actions.range, keys: '=', run }];
}

const holds = (entry: LaneEntry | undefined, ref: string): boolean =>
  (entry?.data.kind === 'events' && entry.data.event_id.some((id) => ref === `event:${id}`)) ||
  (entry?.data.kind === 'bands' && entry.data.refs.includes(ref));

function templatesOf(lane: Lane): readonly Action[] {
  if (lane.kind !== 'logs') return [];
  const run = () => {
    selectEntity(entityKeyOf(lane));
    showView('logs');
  };
  return [{ id: 'templates', title: messages.actions.templates, keys: 'V', run }];
}

function rowsOf(lane: Lane): readonly Action[] {
  const table = rowsTableOf(lane);
  const run = () => table && showRows(table, entityKeyOf(lane));
  return table === null ? [] : [{ id: 'rows', title: messages.actions.rows, keys: 'G', run }];
}

/** The table with the rows that the lane counts. */
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
  return [{ id: 'zoom', title: messages.actions.zoomToEvents, keys: 'Z', run }];
}

/** Minimum window around a single event, to show the events before it. */
const SHORTEST_S = 1;
const MARGIN = 0.2;
