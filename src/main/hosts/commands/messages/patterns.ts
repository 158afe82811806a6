import type { Estimate } from '../../../../model/incident/finding.ts';

export const messages = {
  summary: 'known failure signatures with evidence, missing layers and advice',
  usage: [
    'faultline patterns CASE [--pattern NAME] [--thresholds FILE] [--json]',
    '  --thresholds  FILE of thresholds in place of your own; `faultline thresholds` prints one',
  ].join('\n'),
  lastThresholds: (problem: string) => `${problem}; the last valid thresholds are in use, or the defaults`,
  checked: (patterns: number) => `${patterns} pattern${patterns === 1 ? '' : 's'} checked`,
  none: (checked: string) => `no pattern found: ${checked}`,
  found: (findings: number, checked: string) => `${findings} found, ${checked}`,
  until: (end: string) => ` to ${end}`,
  more: (records: number) => ` and ${records} more`,
  estimate: ({ text, assumes, disproved_by }: Estimate) =>
    `${text}; assumes that ${assumes.join(', and that ')}; disproved if ${disproved_by}`,
  labels: {
    estimate: 'estimate',
    when: 'when',
    evidence: 'evidence',
    contradiction: 'doubt',
    missing: 'missing',
    remediation: 'to do',
  },
} as const;
