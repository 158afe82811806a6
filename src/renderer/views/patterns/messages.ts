export const messages = {
  actions: {
    timeline: 'In the timeline',
    map: 'On the map',
    rows: 'Its rows',
    copyMarkdown: 'Copy as Markdown',
    copyJson: 'Copy as JSON',
  },
  markdown: 'Markdown',
  json: 'JSON',
  detail: {
    label: 'Finding details',
    evidence: 'Evidence',
    contradictions: 'Contradicted by samples',
    missing: 'Missing',
    estimate: 'Estimate, not measured',
    assumes: (assumes: readonly string[], disproved: string) =>
      `It assumes that ${assumes.join(', and that ')}. It is disproved if ${disproved}.`,
    toDo: 'Remediation',
    noEntity: 'No affected entity recorded.',
    about: 'about',
    entityTitle: 'Its record, its rows',
    more: (count: number) => `and ${count} more`,
  },
  list: {
    title: 'Findings',
    none: 'No finding matches this filter.',
    severity: 'severity',
    pattern: 'pattern',
    start: 'start',
    finding: 'finding',
    verdict: 'verdict',
  },
  title: 'Patterns',
  filters: {
    all: 'All',
    window: 'In this window',
    complete: 'Complete',
    partial: 'Partial',
    label: 'Filter of findings',
  },
  none: (count: number) =>
    `None of ${count} known failure patterns was found. This does not prove that all is healthy: the patterns need kernel logs, GPU counters, BMC and PDU data, Kubernetes events, flight recorder dumps and spans.`,
  thresholds: {
    changed: (changed: string) => `Thresholds changed: ${changed}.`,
    invalid: (problem: string) => `${problem}. The last valid thresholds are in use, or the defaults.`,
  },
  count: (count: number) => `${count} patterns checked`,
} as const;
