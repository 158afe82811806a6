import { nanos } from '../../model/time.ts';
import { useCase } from './case-state.ts';
import { restorePlace, useFocus } from './focus.ts';
import { goesWithTime } from './follow-live.ts';
import { takeEnteredView } from './route.ts';

/** The place in a case, stored between launches. Times are text there, because JSON has no bigints. */
interface Place {
  readonly view: string;
  readonly tab: string;
  readonly start: bigint;
  readonly end: bigint;
  readonly playhead: bigint | null;
  readonly selected: string | null;
  readonly incident: string | null;
  readonly entities: readonly string[];
  readonly following: boolean;
}
type Places = Readonly<Record<string, Place>>;

const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value);
const isTime = (value: unknown): value is string => isText(value) && /^-?\d{1,20}$/.test(value);

/** @returns null: an older or foreign form. Not by a schema: those would be a tenth of the code of the first page. */
function placeOf(stored: unknown): Place | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const { view, tab, start, end, playhead, selected, incident, entities, following } = stored as Record<
    string,
    unknown
  >;
  if (!isText(view) || !isText(tab) || !isTime(start) || !isTime(end)) return null;
  if (!(playhead === null || isTime(playhead)) || !isTextOrNull(selected) || !isTextOrNull(incident)) return null;
  if (!Array.isArray(entities) || !entities.every(isText)) return null;
  const times = { start: BigInt(start), end: BigInt(end), playhead: playhead === null ? null : BigInt(playhead) };
  return { view, tab, ...times, selected, incident, entities, following: following === true };
}

const STORAGE_KEY = 'faultline.places';
const MOST_CASES = 30;
const SETTLE_MS = 250;

/** A reloaded window returns to its own place, a new window to the last place of the case. */
const storages = (): Storage[] => [globalThis.sessionStorage, globalThis.localStorage].filter(Boolean);

function read(storage: Storage): Places {
  try {
    const stored: unknown = JSON.parse(storage.getItem(STORAGE_KEY) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return {};
    const places = Object.entries(stored).map(([name, value]) => [name, placeOf(value)] as const);
    return Object.fromEntries(places.flatMap(([name, place]) => (place ? [[name, place]] : [])));
  } catch {
    return {};
  }
}

/** Restores the last place in a case, if any. Returns whether the window followed the present. */
export function recallPlace(caseName: string): boolean {
  const routed = takeEnteredView();
  if (routed !== null) useCase.setState({ view: routed });
  const place = storages()
    .map((storage) => read(storage)[caseName])
    .find((found) => found !== undefined);
  if (!place || place.end <= place.start) return false;
  const { view, tab, start, end, playhead, selected, incident, entities } = place;
  useCase.setState({ view: routed ?? view, tab });
  restorePlace({
    window: { startNs: nanos(start), endNs: nanos(end) },
    playhead: playhead === null ? null : nanos(playhead),
    selected,
    incident,
    entities,
  });
  return place.following;
}

function rememberPlace(): void {
  const { name, view, tab, phase } = useCase.getState();
  const { window, playhead, selected, incident, entities } = useFocus.getState();
  if (name === null || phase !== 'open') return;
  const times = { start: String(window.startNs), end: String(window.endNs), playhead: playhead?.toString() ?? null };
  const place = { view, tab, ...times, selected, incident, entities, following: goesWithTime() };
  for (const storage of storages()) {
    const { [name]: _, ...others } = read(storage);
    const recentPlaces = [...Object.entries(others).slice(1 - MOST_CASES), [name, place]];
    try {
      storage.setItem(
        STORAGE_KEY,
        JSON.stringify(Object.fromEntries(recentPlaces), (_key, value) =>
          typeof value === 'bigint' ? String(value) : value,
        ),
      );
    } catch {
      // Without storage, only the place is lost.
    }
  }
}

/** From now on, stores each place where the investigator stays. */
export function rememberPlaces(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(rememberPlace, SETTLE_MS);
  };
  useFocus.subscribe((now, before) => {
    // The cursor moves all the time and is not part of a place.
    if (now.cursor === before.cursor) later();
  });
  useCase.subscribe((now, before) => {
    if (now.view !== before.view || now.tab !== before.tab) later();
  });
  window.addEventListener('pagehide', rememberPlace);
}
