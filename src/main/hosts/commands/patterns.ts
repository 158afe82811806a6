import type { FindingView } from '../../../model/incident/finding.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { type Command, changedText, positional, shown, text, thresholdsOption, toJson, withCore } from './command.ts';
import { messages } from './messages/patterns.ts';

export const patternsCommand: Command = {
  name: 'patterns',
  summary: messages.summary,
  usage: messages.usage,
  options: { json: { type: 'boolean' }, pattern: { type: 'string' }, ...thresholdsOption },
  run: (invocation) =>
    withCore(invocation, undefined, async (core) => {
      await core.openCase(positional(invocation, 0, 'CASE'));
      const answer = await core.api['patterns.list']({ pattern: text(invocation, 'pattern') });
      if (invocation.values.json) return invocation.terminal.out(toJson(answer));
      const { findings, looked_for, thresholds_changed, thresholds_problem } = answer;
      if (thresholds_problem)
        invocation.terminal.err(`faultline: ${messages.lastThresholds(shown(thresholds_problem.message))}\n`);
      if (thresholds_changed.length > 0) invocation.terminal.out(`${changedText(thresholds_changed)}\n`);
      const checked = messages.checked(looked_for.length);
      if (findings.length === 0) return invocation.terminal.out(`${messages.none(checked)}\n`);
      const foundText = findings.map(findingText).join('\n');
      invocation.terminal.out(`${foundText}\n${messages.found(findings.length, checked)}\n`);
    }),
};

const MOST_REFS = 3;
/** Width of the labels on the left. */
const LABEL = 10;

function findingText({ title, pattern, severity, verdict, headline, ...finding }: FindingView): string {
  const { start_ns, end_ns, evidence, contradictions, missing, remediation, estimates } = finding;
  const until = end_ns > start_ns ? messages.until(formatUtc(nanos(end_ns))) : '';
  const refs = (all: readonly string[]): string =>
    all.length === 0
      ? ''
      : ` [${all.slice(0, MOST_REFS).join(' ')}${all.length > MOST_REFS ? messages.more(all.length - MOST_REFS) : ''}]`;
  const { labels } = messages;
  const line = (label: string, value: string): string => `  ${label.padEnd(LABEL)}${value}`;
  const lines = [
    `${severity.toUpperCase()}  ${title} (${pattern}), ${verdict}`,
    `  ${shown(headline)}`,
    line(labels.when, `${formatUtc(nanos(start_ns))}${until}`),
    ...evidence.map((one) => line(labels.evidence, `${shown(one.text)}${refs(one.refs)}`)),
    ...contradictions.map((one) => line(labels.contradiction, `${shown(one.text)}${refs(one.refs)}`)),
    ...missing.map(({ layer, text: what }) => line(labels.missing, `${layer}: ${shown(what)}`)),
    ...estimates.map((one) => line(labels.estimate, shown(messages.estimate(one)))),
    ...remediation.map(({ text: advice, source }) => line(labels.remediation, `${shown(advice)} (${source})`)),
  ];
  return `${lines.join('\n')}\n`;
}
