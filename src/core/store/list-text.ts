type Item = string | number | bigint;

/**
 * A list as the text that SQL casts to one (`$1::integer[]`, `$1::varchar[]`, `$1::struct(lane integer, series integer)[]`):
 * one bound value, whatever its length. Not JSON: a cast knows none of its escapes, and not every engine has its functions.
 * Structs hold numbers only, for the engine takes a brace in a quoted text of theirs for their end.
 */
export const listText = (items: Iterable<Item | Readonly<Record<string, number | bigint>>>): string =>
  `[${Array.from(items, (item) => (typeof item === 'object' ? structText(item) : itemText(item))).join(', ')}]`;

const structText = (fields: Readonly<Record<string, number | bigint>>): string =>
  `{${Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ')}}`;

const itemText = (item: Item): string =>
  typeof item === 'string' ? `"${item.replaceAll(/["\\]/g, '\\$&')}"` : String(item);
