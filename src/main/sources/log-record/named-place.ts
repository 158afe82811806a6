import { placeKeys, placeMarks } from '../../../model/telemetry/place-attributes.ts';
import { NeedleSearch } from '../log-events/needle-search.ts';

const search = new NeedleSearch(placeMarks);

/** Whether the JSON text of attributes, from its first to behind its last byte, may name a place. */
export const mayNamePlace = (bytes: Uint8Array, from: number, to: number): boolean => search.isIn(bytes, from, to);

/** What attributes name of a place, as text; undefined: nothing. The same as `stated-places.ts` of the store reads from rows. */
export function namedPlace(
  attributes: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> | undefined {
  let found: Record<string, string> | undefined;
  for (const key of placeKeys) {
    const value = Object.hasOwn(attributes, key) ? attributes[key] : undefined;
    if (value === undefined || value === null) continue;
    found ??= {};
    if (value !== '') found[key] = typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
  return found;
}
