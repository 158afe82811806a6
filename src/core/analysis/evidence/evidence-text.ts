import { round } from '../statistics.ts';

/** Names in evidence: the first three, and the number of the rest. */
export interface Names {
  readonly first: readonly string[];
  readonly more: number;
}

const SHOWN = 3;

export const namesOf = (names: readonly string[]): Names => ({
  first: names.slice(0, SHOWN),
  more: Math.max(0, names.length - SHOWN),
});

export const listed = ({ first, more }: Names): string =>
  more === 0 ? first.join(', ') : `${first.join(', ')} and ${more} more`;

export const seconds = (value: number): string => `${round(Math.abs(value), 1)} s`;

export const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** An event type as text. */
export const readableType = (type: string): string => type.replaceAll('_', ' ');

/** A number for a sentence: three significant digits, no exponent. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return 'unknown';
  if (value === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return String(Number(value.toFixed(Math.min(digits, 12))));
}

export const milliseconds = (value: number): string => `${figure(value)} ms`;
