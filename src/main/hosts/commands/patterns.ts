import type { FindingView } from '../../../model/incident/finding.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { type Command, positional, shown, text, toJson, withCore } from './command.ts';

export const patternsCommand: Command = {
  name: 'patterns',
  summary: 'known failure signatures with evidence, missing layers and advice',
  usage: 'faultline patterns CASE [--pattern NAME] [--json]',
  options: { json: { type: 'boolean' }, pattern: { type: 'string' } },
  run: (invocation) =>
    withCore(invocation, undefined, async (core) => {
      await core.openCase(positional(invocation, 0, 'CASE'));
      const answer = await core.api['patterns.list']({ pattern: text(invocation, 'pattern') });
      if (invocation.values.json) return invocation.terminal.out(toJson(answer));
      const { findings, looked_for } = answer;
      const searchedText = `${looked_for.length} pattern${looked_for.length === 1 ? '' : 's'} checked`;
      if (findings.length === 0) return invocation.terminal.out(`no pattern found: ${searchedText}\n`);
      invocation.terminal.out(`${findings.map(findingText).join('\n')}\n${findings.length} found, ${searchedText}\n`);
    }),
};

const MOST_REFS = 3;

function findingText({ title, pattern, severity, verdict, headline, ...finding }: FindingView): string {
  const { start_ns, end_ns, evidence, missing, remediation } = finding;
  const until = end_ns > start_ns ? ` to ${formatUtc(nanos(end_ns))}` : '';
  const refs = (all: readonly string[]): string =>
    all.length === 0
      ? ''
      : ` [${all.slice(0, MOST_REFS).join(' ')}${all.length > MOST_REFS ? ` and ${all.length - MOST_REFS} more` : ''}]`;
  const lines = [
    `${severity.toUpperCase()}  ${title} (${pattern}), ${verdict}`,
    `  ${shown(headline)}`,
    `  when      ${formatUtc(nanos(start_ns))}${until}`,
    ...evidence.map(({ text: evidenceText, refs: records }) => `  evidence  ${shown(evidenceText)}${refs(records)}`),
    ...missing.map(({ layer, text: what }) => `  missing   ${layer}: ${shown(what)}`),
    ...remediation.map(({ text: advice, source }) => `  to do     ${shown(advice)} (${source})`),
  ];
  return `${lines.join('\n')}\n`;
}
