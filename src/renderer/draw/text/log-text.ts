import type { LogTemplate } from '../../../model/contract/index.ts';
import { formatCount, formatNumber } from './format-value.ts';

/** Minimum severity numbers of the filter, in OpenTelemetry's ranges. */
export const severityChoices = [
  { from: 0, title: 'any severity' },
  { from: 9, title: 'info and worse' },
  { from: 13, title: 'warnings and worse' },
  { from: 17, title: 'errors' },
] as const;

/** A severity number as a word, with its colour token. */
export function severityStyle(severity: number): { readonly word: string; readonly tone: string } {
  if (severity >= 21) return { word: 'fatal', tone: 'critical' };
  if (severity >= 17) return { word: 'error', tone: 'critical' };
  if (severity >= 13) return { word: 'warn', tone: 'medium' };
  if (severity >= 9) return { word: 'info', tone: 'low' };
  return severity >= 1 ? { word: 'debug', tone: 'low' } : { word: 'unknown', tone: 'low' };
}

/** `new`, `surging × 4.2`, `usual`; `no history` if nothing was recorded before. */
export function noveltyText({ novelty, times_more }: LogTemplate): string {
  if (novelty === 'surging' && times_more !== null)
    return `surging × ${formatNumber(Number(times_more.toPrecision(2)))}`;
  return novelty === 'unknown' ? 'no history' : novelty;
}

/** `pdu-b`, `llama-70b, +3`: names without their kind. */
export function senderText(senders: readonly string[], most: number): string {
  const names = senders.map((key) => key.slice(key.indexOf(':') + 1));
  return names.length <= most ? names.join(', ') : `${names.slice(0, most).join(', ')}, +${names.length - most}`;
}

/** How many lines were read, for a line above the table. */
export const readShareText = (lines: number, share: number, leftOut: number): string =>
  [
    `${share > 1 ? 'about ' : ''}${formatCount(lines)} lines`,
    ...(share > 1 ? [`read: all errors and 1 in ${share} others`] : []),
    ...(leftOut > 0 ? [`${formatCount(leftOut)} match no template`] : []),
  ].join(', ');
