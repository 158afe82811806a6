import { create } from 'zustand';
import type { CaseInfo, IncidentView } from '../../model/contract/index.ts';
import { type Nanos, nanos } from '../../model/time.ts';
import {
  emptyHistory,
  type FocusHistory,
  type Place,
  remember,
  stepBack,
  stepForward,
  type TimeWindow,
} from './focus-history.ts';
import { clampWindow, makeWindow, panBy, plus, spanOf, zoomAbout } from './time-window.ts';

/** What the investigator looks at; the one selection that all views share. */
export interface Focus extends Place {
  /** The whole of the data. */
  readonly bounds: TimeWindow;
  /** What of it was recorded: less where a capture dated rows later than its own clock. */
  readonly recorded: TimeWindow;
  /** Parked by a click or the arrow keys. */
  readonly playhead: Nanos | null;
  /** Where the mouse is now, if over the timeline. */
  readonly cursor: Nanos | null;
  /** A time that was brushed, to be told in figures. */
  readonly brush: TimeWindow | null;
  /** Onset of the selected incident, from which relative times count. */
  readonly onset: Nanos | null;
  readonly history: FocusHistory;
  /** The window's right end is now, and goes with the time, until somebody looks elsewhere. */
  readonly following: boolean;
}

const nothing: TimeWindow = { startNs: nanos(0n), endNs: nanos(1_000_000_000n) };

export const useFocus = create<Focus>()(() => ({
  bounds: nothing,
  recorded: nothing,
  window: nothing,
  selected: null,
  incident: null,
  entities: [],
  playhead: null,
  cursor: null,
  brush: null,
  onset: null,
  history: emptyHistory,
  following: false,
}));

const placeOf = ({ window, selected, incident, entities }: Focus): Place => ({ window, selected, incident, entities });

/** Every change that "back" should undo goes through here. */
function go(change: Partial<Focus>, gesture = ''): void {
  const focus = useFocus.getState();
  const history = remember(focus.history, placeOf(focus), gesture, performance.now());
  // Who goes to a time does not want to be taken away from it.
  const following = change.following ?? (change.window === undefined && focus.following);
  useFocus.setState({ ...change, history, following });
}

export function resetFocus(bounds: TimeWindow, recorded = bounds): void {
  useFocus.setState({
    bounds,
    recorded,
    window: fitted(recorded),
    selected: null,
    incident: null,
    entities: [],
    playhead: null,
    cursor: null,
    brush: null,
    onset: null,
    history: emptyHistory,
    following: false,
  });
}

/** Back to where somebody was; what lies outside the data is brought in, the incident is looked for by who calls. */
export function restorePlace(place: Place & Pick<Focus, 'playhead'>): void {
  const { window } = place;
  const { bounds } = useFocus.getState();
  // A window that went with the time may be longer than what was recorded by then.
  const showsSome = window.endNs > bounds.startNs && window.startNs < bounds.endNs;
  useFocus.setState({ ...place, window: showsSome ? window : clampWindow(window, bounds) });
}

type Extent = Pick<Focus, 'bounds' | 'recorded'>;

/** null: nothing in the case has a time. */
export function extentOf({
  first_ns,
  last_ns,
  recorded_until_ns,
}: Pick<CaseInfo, 'first_ns' | 'last_ns' | 'recorded_until_ns'>): Extent | null {
  if (first_ns === null || last_ns === null) return null;
  const until = (end_ns: bigint): TimeWindow => ({
    startNs: nanos(first_ns),
    endNs: nanos(end_ns > first_ns ? end_ns : first_ns + 1_000_000_000n),
  });
  return { bounds: until(last_ns), recorded: until(recorded_until_ns ?? last_ns) };
}

const isSame = (a: TimeWindow, b: TimeWindow): boolean => a.startNs === b.startNs && a.endNs === b.endNs;

/** The data reach elsewhere now; what is looked at stays. */
export function followBounds(info: Parameters<typeof extentOf>[0]): void {
  const { bounds, recorded } = useFocus.getState();
  const extent = extentOf(info);
  if (extent && !(isSame(bounds, extent.bounds) && isSame(recorded, extent.recorded))) useFocus.setState(extent);
}

const fitted = (bounds: TimeWindow): TimeWindow => {
  const pad = spanOf(bounds) * 0.01;
  return makeWindow(plus(bounds.startNs, -pad), spanOf(bounds) + 2 * pad);
};

export const setWindow = (window: TimeWindow, gesture = 'window'): void =>
  go({ window: clampWindow(window, useFocus.getState().bounds) }, gesture);
export const fitWindow = (): void => setWindow(fitted(useFocus.getState().recorded), 'fit');

/** `fraction` of the window's own length; positive moves later. */
export function panFraction(fraction: number): void {
  const { window } = useFocus.getState();
  setWindow(panBy(window, spanOf(window) * fraction));
}

export function zoomFraction(factor: number, anchor?: Nanos): void {
  const { window, playhead, following, bounds } = useFocus.getState();
  if (following) {
    // Now stays where it is; the window is never wider than the data by far.
    const zoomed = zoomAbout(window, window.endNs, factor);
    const length = Math.min(spanOf(zoomed), Math.max(spanOf(window), spanOf(clampWindow(zoomed, bounds))));
    return go({ window: makeWindow(plus(window.endNs, -length), length), following }, 'window');
  }
  const middle = plus(window.startNs, spanOf(window) / 2);
  const inside = playhead !== null && playhead > window.startNs && playhead < window.endNs;
  setWindow(zoomAbout(window, anchor ?? (inside ? playhead : middle), factor));
}

export const setCursor = (cursor: Nanos | null): void => {
  if (useFocus.getState().cursor !== cursor) useFocus.setState({ cursor });
};
/** Either end first; null takes the brush away. */
export function setBrush(from: Nanos | null, until: Nanos = from ?? nanos(0n)): void {
  if (from === null) return useFocus.setState({ brush: null });
  useFocus.setState({ brush: from < until ? { startNs: from, endNs: until } : { startNs: until, endNs: from } });
}
/** A brush begins at the playhead and ends where the playhead is when it is called again. */
export function brushFromPlayhead(): void {
  const { playhead, brush } = useFocus.getState();
  if (playhead === null) return;
  if (brush && brush.startNs === brush.endNs) setBrush(brush.startNs, playhead);
  else setBrush(playhead);
}
export const setPlayhead = (playhead: Nanos | null): void => useFocus.setState({ playhead });

export function movePlayhead(fraction: number): void {
  const { window, playhead } = useFocus.getState();
  const from = playhead ?? plus(window.startNs, spanOf(window) / 2);
  const next = plus(from, spanOf(window) * fraction);
  setPlayhead(next);
  if (next < window.startNs || next > window.endNs) panFraction(next < window.startNs ? -0.25 : 0.25);
}

/** Selects a record by its evidence id, and looks at its time when that is known. */
export function select(ref: string | null, at?: Nanos | null): void {
  const { selected, window, bounds } = useFocus.getState();
  if (at === undefined || at === null) {
    if (ref !== selected) go({ selected: ref });
    return;
  }
  const outside = at < window.startNs || at > window.endNs;
  const moved = outside ? clampWindow(makeWindow(plus(at, -spanOf(window) / 2), spanOf(window)), bounds) : window;
  go({ selected: ref, playhead: at, window: moved });
}

/** Shows the entity's own record, and narrows the rows to it. */
export const selectEntity = (entity: string | null): void =>
  go(entity === null ? { entities: [], selected: null } : { entities: [entity], selected: `entity:${entity}` });

/** Narrows what all views show to several things at once. */
export const selectEntities = (entities: readonly string[]): void => go({ entities }, 'entities');

/** Adds a thing to what is selected, or takes it out. */
export function toggleEntity(entity: string): void {
  const { entities } = useFocus.getState();
  go({ entities: entities.includes(entity) ? entities.filter((one) => one !== entity) : [...entities, entity] });
}

export function zoomTo(at: Nanos, lengthNs: number): void {
  go({ window: clampWindow(makeWindow(plus(at, -lengthNs / 2), lengthNs), useFocus.getState().bounds), playhead: at });
}

const earliest = (times: readonly bigint[]): bigint => times.reduce((a, b) => (a - b > 0n ? b : a));
const latest = (times: readonly bigint[]): bigint => times.reduce((a, b) => (a - b > 0n ? a : b));

/** The window in which the whole chain can be read, with as much of before and after as makes the change plain. */
export function incidentWindow(view: IncidentView): TimeWindow {
  // What failed months before, while nobody measured, would make the rest one pixel.
  const near = view.steps.filter((step) => step.time_ns >= view.start_ns);
  // Without a chain there is nothing to read step by step: then the impact itself, with a minute on either side.
  if (near.length < 2) {
    return { startNs: plus(nanos(view.onset_earliest_ns), -60e9), endNs: plus(nanos(view.end_ns), 60e9) };
  }
  const times = [...near.map((step) => step.time_ns), view.onset_ns];
  const first = earliest(times);
  const last = latest(times);
  const length = Math.max(Number(last - first), 4e9);
  return { startNs: plus(nanos(first), -length), endNs: plus(nanos(last), length * 1.5) };
}

export function selectIncident(view: IncidentView): void {
  const { bounds } = useFocus.getState();
  go({
    incident: view.incident.id,
    onset: nanos(view.onset_ns),
    window: clampWindow(incidentWindow(view), bounds),
    playhead: nanos(view.onset_ns),
    selected: null,
    entities: [],
  });
}

export function goBack(): void {
  const focus = useFocus.getState();
  const step = stepBack(focus.history, placeOf(focus));
  if (step) useFocus.setState({ ...step.place, history: step.history, following: false });
}

export function goForward(): void {
  const focus = useFocus.getState();
  const step = stepForward(focus.history, placeOf(focus));
  if (step) useFocus.setState({ ...step.place, history: step.history, following: false });
}
