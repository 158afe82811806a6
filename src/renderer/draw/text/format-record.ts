import type { EvidenceRecord } from '../../../model/contract/index.ts';
import type { Hypothesis } from '../../../model/incident/incident.ts';
import { isEventType } from '../../../model/telemetry/event-catalog.ts';
import { formatProbability, likelihood, readableType } from './format-value.ts';

const plainJson = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? each.toString() : each), 2);

/** The record as it stood in its file; where that was not kept, what is known of it. */
export const recordJson = (record: EvidenceRecord): string => (record.raw !== '' ? record.raw : plainJson(record));

/** For a cell of a Markdown table. */
export const cellMarkdown = (text: string): string => text.replace(/\|/g, '\\|').replace(/\s*\n\s*/g, ' ');

export const recordMarkdown = ({ title, ref, source, fields }: EvidenceRecord): string =>
  [
    `**${title}** (\`${ref}\`${source === null ? '' : `, ${source}`})`,
    ...(fields.length === 0 ? [] : ['', '| field | value |', '| --- | --- |']),
    ...fields.map(({ name, value }) => `| ${cellMarkdown(name)} | ${cellMarkdown(value)} |`),
  ].join('\n');

export const hypothesisJson = (hypothesis: Hypothesis): string => plainJson(hypothesis);

/** `+2.7`, `−0.4`, `+0.04`, `0`: log-odds as they stand beside evidence; never a zero that is none. */
export const formatWeight = (weight: number): string => {
  const shown = Math.abs(weight).toFixed(Math.abs(weight) < 0.095 ? 2 : 1);
  return weight === 0 ? '0' : `${weight < 0 ? '\u2212' : '+'}${shown}`;
};

/** `voltage sag on PDU-B`, `no physical cause`, `not enough evidence`: as its card is headed. */
export const hypothesisText = ({ subject, type }: Pick<Hypothesis, 'subject' | 'type'>): string => {
  if (subject !== null) return `${readableType(type)} on ${subject.id}`;
  return type === 'insufficient_evidence' ? 'not enough evidence' : readableType(type);
};

/** A sentence of evidence as people read it: types of events without their underscores, names as they are. */
export const readableTypes = (text: string): string =>
  text.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => (isEventType(word) ? readableType(word) : word));

export const hypothesisMarkdown = (hypothesis: Hypothesis): string =>
  [
    `**${hypothesis.rank}. ${hypothesisText(hypothesis)}**: ${formatProbability(hypothesis.probability)}, ${likelihood(hypothesis.probability)}`,
    '',
    '| log-odds | evidence | records |',
    '| ---: | --- | --- |',
    ...hypothesis.evidence.map(
      ({ weight, text, refs }) =>
        `| ${formatWeight(weight)} | ${cellMarkdown(text)} | ${refs.map((ref) => `\`${ref}\``).join(' ')} |`,
    ),
  ].join('\n');
