import { messages } from './messages.ts';

/** Common first searches; docs/traceql.md states what each depends on. */
export const cannedSearches: readonly { readonly id: string; readonly title: string; readonly query: string }[] = [
  { id: 'all', title: messages.searches.all, query: '{ }' },
  { id: 'errors', title: messages.searches.errors, query: '{ status = error }' },
  {
    id: 'database',
    title: messages.searches.database,
    query:
      '{ db.duration_ms > 50 || (duration > 50ms && (.db.system != nil || .db.system.name != nil || .db.operation != nil)) }',
  },
  {
    id: 'api',
    title: messages.searches.api,
    query:
      '{ duration > 500ms && (name =~ "(?i)(HTTP|GET|PUT|POST|PATCH|DELETE)\\\\b.*|http\\\\..*" || .http.request.method != nil) }',
  },
  {
    id: 'remediation',
    title: messages.searches.remediation,
    query: '{ duration > 1s && name =~ "(?i).*(remediat|quarantin|drain|cordon|reboot|reset).*" }',
  },
  {
    id: 'not-remediated',
    title: messages.searches.notRemediated,
    query:
      '{ status = error && name =~ "(?i).*(health|fault|remediat|quarantin|drain|reboot|reset).*" } || ({ name =~ "(?i).*(health|fault|remediat|quarantin|drain|reboot|reset).*" } >> { status = error })',
  },
];
