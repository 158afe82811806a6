import { type Nanos, nanos } from '../../model/time.ts';

/** What a link leads to: a view, and in it a time and what is selected. */
export interface LinkedPlace {
  readonly view: string;
  /** Name of the case that it is about; null: whichever is open. */
  readonly name: string | null;
  readonly window: { readonly startNs: Nanos; readonly endNs: Nanos } | null;
  readonly playhead: Nanos | null;
  readonly incident: string | null;
  readonly selected: string | null;
  readonly entities: readonly string[];
}

/** As the part of an address from `#` on: `#timeline?case=demo&from=...&until=...`; times in nanoseconds since 1970. */
export function placeLink({ view, name, window, playhead, incident, selected, entities }: LinkedPlace): string {
  const parts: (readonly [string, string | null])[] = [
    ['case', name],
    ['from', window && String(window.startNs)],
    ['until', window && String(window.endNs)],
    ['at', playhead === null ? null : String(playhead)],
    ['incident', incident],
    ['record', selected],
    ...entities.map((one) => ['entity', one] as const),
  ];
  const query = new URLSearchParams(parts.flatMap(([key, value]) => (value === null ? [] : [[key, value]])));
  return `#${view}${query.size > 0 ? `?${query}` : ''}`;
}

const time = (text: string | null): Nanos | null =>
  text !== null && /^\d{1,19}$/.test(text) ? nanos(BigInt(text)) : null;

/** The place that an address, or its part from `#` on, names; null: none. */
export function readPlaceLink(address: string): LinkedPlace | null {
  const [, view, query = ''] = /#([a-z]{1,40})(?:\?(\S*))?$/.exec(address.trim()) ?? [];
  if (view === undefined) return null;
  const parts = new URLSearchParams(query);
  const [startNs, endNs] = [time(parts.get('from')), time(parts.get('until'))];
  return {
    view,
    name: parts.get('case'),
    window: startNs !== null && endNs !== null && startNs < endNs ? { startNs, endNs } : null,
    playhead: time(parts.get('at')),
    incident: parts.get('incident'),
    selected: parts.get('record'),
    entities: parts.getAll('entity'),
  };
}
