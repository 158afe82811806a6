/**
 * `rocm-smi -a --json` (https://rocm.docs.amd.com/projects/rocm_smi_lib/): an object for each card with printed
 * properties as texts, and one for the system.
 */
export type Card = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Card =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const CARD = /^card(\d{1,4})$/;
/** Properties that only this tool writes so. */
const DISTINCTIVE =
  /^(Temperature \(Sensor |(Average|Max|Current Socket) Graphics Package Power \(W\)|GPU use \(%\)|VRAM Total )/;

export const cardsOf = (document: unknown): { readonly index: string; readonly card: Card }[] =>
  isObject(document)
    ? Object.entries(document).flatMap(([name, card]) => {
        const index = CARD.exec(name)?.[1];
        return index !== undefined && isObject(card) ? [{ index, card }] : [];
      })
    : [];

export const looksLikeCards = (document: unknown): boolean =>
  cardsOf(document).some(({ card }) => Object.keys(card).some((property) => DISTINCTIVE.test(property)));

/** The text of the first of these properties that the card reports. */
export function propertyOf(card: Card, ...names: readonly string[]): string {
  for (const name of names) {
    const value = card[name];
    const text = typeof value === 'string' ? value.trim() : '';
    if (text !== '' && !/^(n\/a|none|unknown)$/i.test(text)) return text;
  }
  return '';
}
