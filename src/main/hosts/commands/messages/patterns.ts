export const messages = {
  summary: 'known failure signatures with evidence, missing layers and advice',
  usage: 'faultline patterns CASE [--pattern NAME] [--json]',
  checked: (patterns: number) => `${patterns} pattern${patterns === 1 ? '' : 's'} checked`,
  none: (checked: string) => `no pattern found: ${checked}`,
  found: (findings: number, checked: string) => `${findings} found, ${checked}`,
  until: (end: string) => ` to ${end}`,
  more: (records: number) => ` and ${records} more`,
  labels: {
    when: 'when',
    evidence: 'evidence',
    missing: 'missing',
    remediation: 'to do',
  },
} as const;
