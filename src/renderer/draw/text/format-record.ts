import type { EvidenceRecord } from '../../../model/contract/index.ts';
import { type Hypothesis, subjectName } from '../../../model/incident/incident.ts';
import { isEventType } from '../../../model/telemetry/event-catalog.ts';
import { formatProbability, likelihood, readableType } from './format-value.ts';

const plainJson = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? each.toString() : each), 2);

/** The raw record of the file, or else its decoded fields. */
export const recordJson = (record: EvidenceRecord): string => (record.raw !== '' ? record.raw : plainJson(record));

/** Escaped for a cell of a Markdown table. */
export const cellMarkdown = (text: string): string => text.replace(/\|/g, '\\|').replace(/\s*\n\s*/g, ' ');

export const recordMarkdown = ({ title, ref, source, fields }: EvidenceRecord): string =>
  [
    `**${title}** (\`${ref}\`${source === null ? '' : `, ${source}`})`,
    ...(fields.length === 0 ? [] : ['', '| field | value |', '| --- | --- |']),
    ...fields.map(({ name, value }) => `| ${cellMarkdown(name)} | ${cellMarkdown(value)} |`),
  ].join('\n');

export const hypothesisJson = (hypothesis: Hypothesis): string => plainJson(hypothesis);

/** `+2.7`, `−0.4`, `+0.04`, `≈ 0`, `0`: log-odds of evidence; a small weight never reads as zero. */
export const formatWeight = (weight: number): string => {
  if (weight !== 0 && Math.abs(weight) < 0.005) return '\u2248 0';
  const shown = Math.abs(weight).toFixed(Math.abs(weight) < 0.095 ? 2 : 1);
  return weight === 0 ? '0' : `${weight < 0 ? '\u2212' : '+'}${shown}`;
};

/** `voltage sag on PDU-B`, `no physical cause`, `not enough evidence`: the title of its card. */
export const hypothesisText = (hypothesis: Pick<Hypothesis, 'subject' | 'also' | 'type'>): string => {
  const { subject, type } = hypothesis;
  if (subject !== null) return `${readableType(type)} on ${subjectName(hypothesis)}`;
  return type === 'insufficient_evidence' ? 'not enough evidence' : readableType(type);
};

/** Evidence text for the screen: event types without underscores, names unchanged. */
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
