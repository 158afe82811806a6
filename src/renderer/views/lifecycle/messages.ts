export const messages = {
  title: 'Lifecycle',
  chart: {
    label: (fault: string) => `Stages of ${fault}; the list below shows the same`,
    waited: (wait: string) => `waited ${wait}`,
  },
  filters: {
    all: 'All',
    noRepair: 'No node repair was recorded.',
    slow: 'Slow remediation',
    noRemediation: 'No completed remediation was recorded.',
    failed: 'Not remediated',
    allRemediated: 'Every recorded repair was completed.',
  },
  list: {
    title: 'Repairs',
    onNode: (fault: string, node: string) => `${fault} on ${node}`,
    copy: 'Copy the repair as Markdown',
    start: 'start',
    node: 'node',
    noNode: 'unnamed',
    fault: 'fault',
    stage: 'stage reached',
    duration: 'duration',
    durationSeconds: 'duration (s)',
    longestWait: 'longest wait',
    outcome: 'outcome',
    unnamedNode: 'an unnamed node',
  },
  markdown: 'Markdown',
  steps: {
    title: (fault: string, node: string, duration: string, reason: string) =>
      `${fault} on ${node}, ${duration}${reason === '' ? '' : `: ${reason}`}`,
    trace: 'Its trace',
    timeline: 'In the timeline',
    waited: (wait: string) => `waited ${wait}`,
    failed: 'failed',
  },
  copyMarkdown: 'Copy Markdown',
  empty:
    'No node repairs in this case. Import NVSentinel traces or health events, or Kubernetes events of cordoned, drained and repaired nodes.',
  calls: {
    label: 'Searches for calls',
    all: 'of all calls:',
    repairs: 'Filters of repairs',
    own: 'of their calls:',
  },
  truncated: 'only the first repairs are shown: zoom in for others',
  one: 'Repair',
  untreated: {
    label: 'Detected, without a recorded reaction',
    first: (count: string) => `The first ${count} are listed.`,
  },
} as const;
