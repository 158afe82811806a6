import { visibleText } from '../../base/visible-text.ts';
import { latencyText } from '../../model/incident/affected-requests.ts';
import { amount } from '../../model/incident/cost.ts';
import { type Evidence, type Hypothesis, subjectName } from '../../model/incident/incident.ts';
import { percentText } from '../../model/incident/percent-text.ts';
import { formatUtc, nanos } from '../../model/time.ts';

/** A probability as every surface shows it: two digits and a word. */
export function probabilityText(probability: number): string {
  const word = probability >= 0.7 ? 'likely' : probability >= 0.3 ? 'undecided' : 'unlikely';
  const digits = probability.toFixed(2);
  const bounded =
    digits === '0.00' && probability > 0 ? '< 0.01' : digits === '1.00' && probability < 1 ? '> 0.99' : digits;
  return `${bounded} (${word})`;
}

/** The name in an entity key. */
export const nameOf = (key: string): string => key.slice(key.indexOf(':') + 1);

/** The probability of a link of the chain. */
export const linkText = (probability: number | null): string =>
  probability === null ? 'no known mechanism' : `probability ${probabilityText(probability)}`;

const readable: Readonly<Record<string, string>> = {
  no_physical_cause: 'no physical cause',
  insufficient_evidence: 'not enough evidence',
  unobserved_fault: 'unobserved fault',
  service_degraded: 'degradation',
  trace_degradation: 'degradation',
};
export const typeText = (type: string): string => readable[type] ?? type.replaceAll('_', ' ');

export function hypothesisText(hypothesis: Hypothesis): string {
  const name = subjectName(hypothesis);
  return name ? `${typeText(hypothesis.type)} on ${name}` : typeText(hypothesis.type);
}

const MOST_NAMED = 3;

/** `undecided between voltage sag on PDU-A and voltage sag on PDU-B`. @param hypotheses at least two */
export function undecidedText(hypotheses: readonly Hypothesis[]): string {
  const texts = hypotheses.slice(0, MOST_NAMED).map(hypothesisText);
  const more = hypotheses.length - texts.length;
  return more > 0
    ? `undecided between ${texts.join(', ')} and ${more} more`
    : `undecided between ${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
}

/** Which records would decide between them; null if all rest on records of their own. */
export function decidedBy(hypotheses: readonly Hypothesis[]): string | null {
  const silent = hypotheses.flatMap(({ event_id, subject }) => (event_id === null && subject ? subject.id : []));
  const names = [...new Set(silent)].slice(0, MOST_NAMED);
  return names.length === 0 ? null : `records of ${names.join(' and ')} from before the onset`;
}

const signMark = ({ sign }: Evidence): string => (sign === 'for' ? '+' : sign === 'against' ? '-' : '±');

/** The weight of a line of evidence; a neutral line with a weight is the prior. */
export function weightText(line: Evidence, digits = 3): string {
  const size = Number(Math.abs(line.weight).toFixed(digits));
  if (line.sign === 'neutral' && line.weight !== 0) return `${line.weight < 0 ? '-' : ''}${size}`;
  return `${signMark(line)}${size}`;
}

/** `1.3 min`, `45 s`, `24 ms`: a short time is not none. */
export function durationText(seconds: number): string {
  if (seconds > 0 && seconds < 0.05) return `${Number((seconds * 1000).toPrecision(2))} ms`;
  if (seconds < 120) return `${Number(seconds.toFixed(1))} s`;
  if (seconds < 7200) return `${(seconds / 60).toFixed(1)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** `02:18:02.400`, without zeros behind whole seconds; UTC. */
export const clockText = (time: bigint): string =>
  formatUtc(nanos(time))
    .slice(11, -1)
    .replace(/\.000$/, '');

/** `2026-03-14 02:18:02.400 UTC`: for people; records keep the ISO form. */
export const momentText = (time: bigint): string => `${formatUtc(nanos(time)).slice(0, 10)} ${clockText(time)} UTC`;

/** `2026-03-14 02:18:10 to 02:20:50 UTC`; the second date only if it is another one. */
export function spanText(from: bigint, to: bigint): string {
  const [first, last] = [momentText(from), momentText(to)];
  const isSameDay = first.slice(0, 10) === last.slice(0, 10);
  return `${first.slice(0, -4)} to ${isSameDay ? last.slice(11) : last}`;
}

export function figure(value: number | null, unit: Unit): string {
  if (value === null) return 'unknown';
  if (unit === 'ms') return latencyText(value);
  if (unit === '%') return `${percentText(value)} %`;
  return `${value} ${typeof unit === 'string' ? unit : unit(value)}`;
}

/** A unit, or the form that it has behind a number. */
export type Unit = string | ((value: number) => string);

/** Recorded text inside a Markdown table or list: one line, without markup or control characters. */
export function escapeMarkdown(text: string): string {
  return visibleText(text.replaceAll(/\s+/g, ' ')).replaceAll(/[\\`*_{}[\]<>|#!]/g, (character) => `\\${character}`);
}

/** `0.36 GPU-hours`, `0.34 to 0.36 GPU-hours` */
export function hoursText({ low, high }: { readonly low: number; readonly high: number }): string {
  return `${amount(low) === amount(high) ? amount(high) : `${amount(low)} to ${amount(high)}`} GPU-hours`;
}

export const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
