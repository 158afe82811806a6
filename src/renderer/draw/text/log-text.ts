import type { LogTemplate } from '../../../model/contract/index.ts';
import { formatCount, formatNumber } from './format-value.ts';

/** Least severity numbers that people choose from, in OpenTelemetry's ranges. */
export const severityChoices = [
  { from: 0, title: 'any severity' },
  { from: 9, title: 'info and worse' },
  { from: 13, title: 'warnings and worse' },
  { from: 17, title: 'errors' },
] as const;

/** A severity number as a word, and the token that colours it. */
export function severityStyle(severity: number): { readonly word: string; readonly tone: string } {
  if (severity >= 21) return { word: 'fatal', tone: 'critical' };
  if (severity >= 17) return { word: 'error', tone: 'critical' };
  if (severity >= 13) return { word: 'warn', tone: 'medium' };
  if (severity >= 9) return { word: 'info', tone: 'low' };
  return severity >= 1 ? { word: 'debug', tone: 'low' } : { word: 'unknown', tone: 'low' };
}

/** `new`, `× 4.2`, `usual`; unknown where nothing was recorded before. */
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

/** How much was read, for a line above the table. */
export const readShareText = (lines: number, share: number, leftOut: number): string =>
  [
    `${share > 1 ? 'about ' : ''}${formatCount(lines)} lines`,
    ...(share > 1 ? [`all errors and one of ${share} others read`] : []),
    ...(leftOut > 0 ? [`${formatCount(leftOut)} fit no template`] : []),
  ].join(', ');
