import { formatDuration } from './format-time.ts';

const SECONDS: Readonly<Record<string, number>> = { ms: 1e-3, s: 1, m: 60, min: 60, h: 3600 };
/** No clock is off by more than a year. */
const MOST_SHIFT_S = 31_622_400;

/** Seconds of a shift in the notations `2.5`, `-90 s`, `+1 h`, `1h 30m`; null if the text is no shift. */
export function parseShift(text: string): number | null {
  const plain = text.trim().replace('\u2212', '-');
  const sign = plain.startsWith('-') ? -1 : 1;
  const parts = plain.replace(/^[+-]\s*/, '');
  if (!/^(?:\d+(?:\.\d+)?\s*(?:ms|s|min|m|h)?\s*)+$/.test(parts)) return null;
  let seconds = 0;
  for (const [, figure, unit] of parts.matchAll(/(\d+(?:\.\d+)?)\s*(ms|s|min|m|h)?/g))
    seconds += Number(figure) * SECONDS[unit ?? 's']!;
  return seconds > 0 && seconds <= MOST_SHIFT_S ? sign * seconds : null;
}

/** `1 h earlier`, `2.5 s later`. */
export const shiftText = (seconds: number): string =>
  `${formatDuration(Math.abs(seconds) * 1e9)} ${seconds < 0 ? 'earlier' : 'later'}`;
