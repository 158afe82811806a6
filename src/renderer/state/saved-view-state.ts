import { z } from 'zod';
import { nanos } from '../../model/time.ts';
import { useCase } from './case-state.ts';
import { restorePlace, useFocus } from './focus.ts';
import { goesWithTime } from './follow-live.ts';
import { takeEnteredView } from './route.ts';

/** The place in a case, stored between launches. Times are text, because JSON has no bigints. */
const placeSchema = z.object({
  view: z.string(),
  tab: z.string(),
  start: z.coerce.bigint(),
  end: z.coerce.bigint(),
  playhead: z.coerce.bigint().nullable(),
  selected: z.string().nullable(),
  incident: z.string().nullable(),
  entities: z.array(z.string()),
  following: z.boolean().default(false),
});
const placesSchema = z.record(z.string(), placeSchema);
type Places = z.infer<typeof placesSchema>;

const STORAGE_KEY = 'faultline.places';
const MOST_CASES = 30;
const SETTLE_MS = 250;

/** A reloaded window returns to its own place, a new window to the last place of the case. */
const storages = (): Storage[] => [globalThis.sessionStorage, globalThis.localStorage].filter(Boolean);

function read(storage: Storage): Places {
  try {
    const parsed = placesSchema.safeParse(JSON.parse(storage.getItem(STORAGE_KEY) ?? '{}'));
    return parsed.success ? parsed.data : {};
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
