import { type NamedEntity, namedEntity, parseAttributes } from './resources.ts';

/**
 * The pairs of compact JSON object text, sorted: the same attributes in another order are the same series.
 * Works on the text and not on a parsed object, so that 64-bit integers keep their digits.
 */
export function sortPairs(object: string): string[] {
  const pairs: string[] = [];
  let depth = 0;
  let start = 1;
  for (let i = 0; i < object.length; i++) {
    const letter = object[i];
    if (letter === '"') i = closingQuote(object, i);
    else if (letter === '{' || letter === '[') depth++;
    else if (letter === '}' || letter === ']') depth--;
    if ((letter === ',' && depth === 1) || depth === 0) {
      if (i > start) pairs.push(object.slice(start, i));
      start = i + 1;
    }
  }
  return pairs.sort();
}

function closingQuote(text: string, open: number): number {
  let at = open + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

/** The pairs of compact JSON object text with a prefix on every key: `"otel.scope.a":1,"otel.scope.b":2`. */
export const prefixPairs = (object: string, prefix: string): string =>
  sortPairs(object)
    .map((pair) => `"${prefix}${pair.slice(1)}`)
    .join(',');

/** Identity of a series, from the attributes of a data point. */
interface SeriesMeaning {
  /** {@link sortPairs}, joined. */
  readonly pairs: string;
  readonly named: NamedEntity | undefined;
}

const MOST_DESCRIBED = 50_000;
const described = new Map<string, SeriesMeaning>();

/** Every batch registers its series anew, and most are the same as before: cached per thread. */
export function describeSeries(attributes: string, host: string): SeriesMeaning {
  const key = `${host}\n${attributes}`;
  const known = described.get(key);
  if (known) return known;
  if (described.size >= MOST_DESCRIBED) described.clear();
  const meaning = {
    pairs: sortPairs(attributes).join(','),
    named: namedEntity(parseAttributes(attributes), host),
  };
  described.set(key, meaning);
  return meaning;
}
