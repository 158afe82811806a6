export const messages = {
  title: 'Rows',
  tabs: {
    events: 'Events',
    spans: 'Spans',
    logs: 'Logs',
    label: 'Kinds of rows',
  },
  label: 'Rows of the selection',
  loading: ' loading',
  filterTitle: 'Show or hide the row of filters; without it, every row is shown',
  filter: 'Filter',
  json: 'JSON',
  copyJson: 'Copy JSON',
  markdown: 'Markdown',
  copyMarkdown: 'Copy Markdown',
  count: {
    filtered: (passed: string, all: string, isTruncated: boolean) =>
      `${passed} of ${isTruncated ? `the first ${all}` : all} match the filter${isTruncated ? '; zoom in for the rest' : ''}`,
    first: (all: string) => `first ${all} in this window; zoom in for the rest`,
    all: (all: string) => `${all} in this window`,
  },
  table: (kind: string) => `${kind} rows`,
  empty: {
    filtered: (kind: string) => `No ${kind} matches the filter.`,
    none: (kind: string, isEntity: boolean) =>
      `No ${kind}s in this window${isEntity ? ' for the selected entity' : ''}.`,
  },
} as const;
