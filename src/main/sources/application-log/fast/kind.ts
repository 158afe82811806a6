/** How a value is written. */
export const KIND = {
  /** A string without escapes. */
  text: 0,
  escaped: 1,
  /** A number as `JSON.stringify` writes it, without and with a fraction. */
  count: 2,
  decimal: 3,
  /** Any other number, perhaps malformed. */
  number: 4,
  word: 5,
  nested: 6,
  /** An object or list as `JSON.stringify` writes it. */
  compact: 7,
} as const;
