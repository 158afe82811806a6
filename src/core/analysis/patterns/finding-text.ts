const MOST_NAMES = 4;

/** `a, b and c`; of many, the first ones and the number of the rest. */
export function nameList(names: readonly string[], most = MOST_NAMES): string {
  const own = [...new Set(names)].sort((a, b) => (a < b ? -1 : 1));
  if (own.length > most) return `${own.slice(0, most - 1).join(', ')} and ${own.length - most + 1} more`;
  return own.length < 2 ? (own[0] ?? 'unnamed entities') : `${own.slice(0, -1).join(', ')} and ${own.at(-1)}`;
}

export const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

/** `0.4 s`, `75 s`, `12 min`, `3.5 h`, `12 days`. */
export function lengthText(seconds: number): string {
  if (seconds < 90) return `${Number(seconds.toPrecision(2))} s`;
  if (seconds < 5400) return `${Number((seconds / 60).toPrecision(2))} min`;
  return seconds < 172_800 ? `${Number((seconds / 3600).toPrecision(2))} h` : `${Math.round(seconds / 86_400)} days`;
}

export const secondsBetween = (from_ns: bigint, to_ns: bigint): number => Number(to_ns - from_ns) / 1e9;
export const percent = (share: number): string => `${Number((100 * share).toPrecision(2))} %`;

/** Time in which no recovery was recorded. @param after seconds recorded after the event */
export const notRecordedFor = (after: number): string =>
  after > 0 ? `in the ${lengthText(after)} after it` : 'after it';
