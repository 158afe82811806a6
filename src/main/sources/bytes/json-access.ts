/** A foreign JSON object: any member may be missing or of any type. */
export type Json = Readonly<Record<string, unknown>>;

export const asObject = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Text unchanged; numbers and booleans as text; '' for all other values. */
export const asText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

/** A finite number, also one written as text; undefined otherwise. */
export function asNumber(value: unknown): number | undefined {
  const number =
    typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** The member at a path of keys, each object on the way allowed to be missing. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    const object = asObject(found);
    found = Object.hasOwn(object, key) ? object[key] : undefined;
  }
  return found;
}

/** JSON text of a record for `raw`; what nests too deeply to be written again is left out. */
export function rawText(value: unknown): string {
  try {
    return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner)) ?? '';
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return '';
    throw error;
  }
}
