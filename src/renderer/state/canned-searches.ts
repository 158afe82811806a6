/** Searches that an investigation often begins with; docs/traceql.md says what each rests on. */
export const cannedSearches: readonly { readonly id: string; readonly title: string; readonly query: string }[] = [
  { id: 'all', title: 'All traces', query: '{ }' },
  { id: 'errors', title: 'All errors', query: '{ status = error }' },
  {
    id: 'database',
    title: 'Slow database calls (over 50 ms)',
    query:
      '{ db.duration_ms > 50 || (duration > 50ms && (.db.system != nil || .db.system.name != nil || .db.operation != nil)) }',
  },
  {
    id: 'api',
    title: 'Slow API calls (over 500 ms)',
    query:
      '{ duration > 500ms && (name =~ "(?i)(HTTP|GET|PUT|POST|PATCH|DELETE)\\\\b.*|http\\\\..*" || .http.request.method != nil) }',
  },
  {
    id: 'remediation',
    title: 'Slow remediation (over 1 s)',
    query: '{ duration > 1s && name =~ "(?i).*(remediat|quarantin|drain|cordon|reboot|reset).*" }',
  },
  {
    id: 'not-remediated',
    title: 'What failed on the way to a remediation',
    query:
      '{ status = error && name =~ "(?i).*(health|fault|remediat|quarantin|drain|reboot|reset).*" } || ({ name =~ "(?i).*(health|fault|remediat|quarantin|drain|reboot|reset).*" } >> { status = error })',
  },
];
