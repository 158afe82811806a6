import type { Severity } from '../../../model/entity.ts';
import type { FindingView } from '../../../model/incident/finding.ts';
import { nanos } from '../../../model/time.ts';
import { formatTime, type TimeFormat } from './format-time.ts';

/** Shape of a severity, so that it does not depend on colour; the timeline uses the same shapes. */
export const severityGlyph: Readonly<Record<Severity, string>> = {
  critical: '▲',
  high: '◆',
  medium: '●',
  low: '○',
};

/** `complete`, `partial: data missing (gpu, logs)`: often a layer was recorded, but not what the finding needs of it. */
export const verdictText = ({ verdict, missing }: FindingView): string =>
  verdict === 'complete'
    ? verdict
    : `partial: data missing (${[...new Set(missing.map(({ layer }) => layer))].join(', ')})`;

export const entityKeyOf = ({ kind, id }: FindingView['entities'][number]): string => `${kind}:${id}`;

/** For a post-mortem or a chat: the finding, its evidence, what is missing, and what to do. */
export function findingMarkdown(finding: FindingView, format: TimeFormat): string {
  const { title, headline, start_ns, end_ns, evidence, missing, remediation } = finding;
  const time = (at: bigint): string => formatTime(nanos(at), format);
  const when = end_ns > start_ns ? `${time(start_ns)} to ${time(end_ns)}` : time(start_ns);
  return [
    `**${title}** (${verdictText(finding)}, ${when}): ${headline}`,
    '',
    ...evidence.map(({ text, refs }) => `- ${text} ${refs.map((ref) => `\`${ref}\``).join(' ')}`),
    ...missing.map(({ layer, text }) => `- missing, ${layer}: ${text}`),
    ...remediation.map(({ text, source }) => `- to do: ${text} (${source})`),
  ].join('\n');
}

export const findingJson = (finding: FindingView): string =>
  JSON.stringify(finding, (_key, each: unknown) => (typeof each === 'bigint' ? each.toString() : each), 2);
