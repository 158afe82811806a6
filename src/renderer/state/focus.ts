import { create } from 'zustand';
import type { CaseInfo, IncidentView } from '../../model/contract/index.ts';
import { type Nanos, nanos } from '../../model/time.ts';
import { showView, useCase } from './case-state.ts';
import {
  emptyHistory,
  type FocusHistory,
  type Place,
  remember,
  type Step,
  stepBack,
  stepForward,
  type TimeWindow,
} from './focus-history.ts';
import { clampWindow, makeWindow, panBy, plus, spanOf, zoomAbout } from './time-window.ts';

/** The focus that all views share. */
export interface Focus extends Place {
  /** The window of all data. */
  readonly bounds: TimeWindow;
  /** The recorded part: less than the bounds if a capture dated rows later than its own clock. */
  readonly recorded: TimeWindow;
  /** Set by a click or the arrow keys. */
  readonly playhead: Nanos | null;
  /** The time under the mouse over the timeline. */
  readonly cursor: Nanos | null;
  /** The brushed window. */
  readonly brush: TimeWindow | null;
  /** Onset of the selected incident, the origin of relative times. */
  readonly onset: Nanos | null;
  readonly history: FocusHistory;
  /** The window's right end follows the present until the investigator moves it. */
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

const placeOf = ({ window, selected, incident, entities }: Focus, view = useCase.getState().view): Place => ({
  window,
  selected,
  incident,
  entities,
  view,
});

/** Every change that "back" can undo. */
function go(change: Partial<Focus>, gesture = ''): void {
  const focus = useFocus.getState();
  const history = remember(focus.history, placeOf(focus), gesture, performance.now());
  // Moving to a time stops following.
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

/** Of a case without times, which a capture has just begun: nothing of the case before is selected in it. */
export const clearFocus = (): void => useFocus.setState(useFocus.getInitialState(), true);

/** Restores a place; a window outside of the data is moved inside. The caller resolves the incident. */
export function restorePlace(place: Place & Pick<Focus, 'playhead'>): void {
  const { window } = place;
  const { bounds } = useFocus.getState();
  // A window that followed the present may be longer than the data recorded by then.
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

/** Updates the bounds of the data without moving the window. */
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
    // The present stays in place; the window is at most a little wider than the data.
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
/** Ends in any order; null removes the brush. */
export function setBrush(from: Nanos | null, until: Nanos = from ?? nanos(0n)): void {
  if (from === null) return useFocus.setState({ brush: null });
  useFocus.setState({ brush: from < until ? { startNs: from, endNs: until } : { startNs: until, endNs: from } });
}
/** The first call starts a brush at the playhead; the second call ends it there. */
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

/** Selects a record by evidence id, and moves to its time if known. */
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

/** Shows the record of an entity and filters rows by it. */
export const selectEntity = (entity: string | null): void =>
  go(entity === null ? { entities: [], selected: null } : { entities: [entity], selected: `entity:${entity}` });

/** Filters all views by several entities. */
export const selectEntities = (entities: readonly string[]): void => go({ entities }, 'entities');

/** Toggles the selection of an entity. */
export function toggleEntity(entity: string): void {
  const { entities } = useFocus.getState();
  go({ entities: entities.includes(entity) ? entities.filter((one) => one !== entity) : [...entities, entity] });
}

export function zoomTo(at: Nanos, lengthNs: number): void {
  go({ window: clampWindow(makeWindow(plus(at, -lengthNs / 2), lengthNs), useFocus.getState().bounds), playhead: at });
}

const earliest = (times: readonly bigint[]): bigint => times.reduce((a, b) => (a - b > 0n ? b : a));
const latest = (times: readonly bigint[]): bigint => times.reduce((a, b) => (a - b > 0n ? a : b));

/** A window with the whole chain and some time before and after it. */
export function incidentWindow(view: IncidentView): TimeWindow {
  // A step months before the impact would reduce the rest to one pixel.
  const near = view.steps.filter((step) => step.time_ns >= view.start_ns);
  // Without a chain: the impact with a minute on either side.
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

/** Shows what a link names; what it leaves out stays as it is. */
export function showPlace({
  window,
  playhead,
  selected,
  entities,
  view,
}: Pick<Place, 'selected' | 'entities'> & {
  readonly window: TimeWindow | null;
  readonly playhead: Nanos | null;
  readonly view: IncidentView | undefined;
}): void {
  const { bounds } = useFocus.getState();
  go({
    selected,
    entities,
    ...(view ? { incident: view.incident.id, onset: nanos(view.onset_ns) } : {}),
    ...(window ? { window: clampWindow(window, bounds) } : {}),
    ...(playhead === null ? {} : { playhead }),
  });
}

export function goBack(): void {
  const focus = useFocus.getState();
  const step = stepBack(focus.history, placeOf(focus));
  if (step) goTo(step);
}

export function goForward(): void {
  const focus = useFocus.getState();
  const step = stepForward(focus.history, placeOf(focus));
  if (step) goTo(step);
}

/** Another view is a place to come back to; one that "back" shows is none. */
let isReturning = false;

function goTo({ place: { view, ...place }, history }: Step): void {
  useFocus.setState({ ...place, history, following: false });
  if (view === undefined) return;
  isReturning = true;
  showView(view);
  isReturning = false;
}

useCase.subscribe((now, before) => {
  if (isReturning || now.view === before.view || now.caseId !== before.caseId || now.phase !== 'open') return;
  const focus = useFocus.getState();
  useFocus.setState({ history: remember(focus.history, placeOf(focus, before.view), '', performance.now()) });
});
