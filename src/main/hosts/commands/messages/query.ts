export const messages = {
  summary: 'query a case with SQL (read-only)',
  usage: [
    'faultline query CASE "SQL" [--format table|json|csv|parquet] > FILE',
    '    views: events, spans, logs, metrics, collectives, topology',
    "    one trace, without reading all: select * from trace('4bf92f35…')",
  ].join('\n'),
  truncated: (rows: number) => `there are more rows; the first ${rows} are shown`,
} as const;
