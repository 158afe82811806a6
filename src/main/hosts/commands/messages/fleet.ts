export const messages = {
  summary: 'ask an archive in place: impacts of all services, traces, log templates (ClickHouse)',
  usage: [
    'faultline fleet ARCHIVE.yaml impacts --from TIME [--to TIME] [--services a,b] [--parts] [--json]',
    "faultline fleet ARCHIVE.yaml traces 'TRACEQL' --from TIME [--to TIME] [--order slowest|earliest|most_matched] [--limit 100] [--json]",
    'faultline fleet ARCHIVE.yaml trace TRACE_ID [--from TIME] [--to TIME] [--json]',
    'faultline fleet ARCHIVE.yaml logs --from TIME [--to TIME] [--before 1h] [--services a,b] [--json]',
    '  times are 2024-01-15T14:00:00Z, now, or so long ago: 90m, 6h, 2d; --to is now where it is left out',
    '  --parts also looks at models, routes, tenants and replicas, which takes longer; --before is what logs are compared with',
  ].join('\n'),
  unknownQuestion: (given: string) => `unknown question "${given}": it is impacts, traces, trace or logs`,
  invalidLength: (name: string, given: string) => `invalid --${name} "${given}": write 90m, 6h or 2d`,
  impacts: {
    columns: {
      times: 'times worse',
      start: 'from',
      end: 'until',
      p99: 'P99 ms',
      errors: 'errors %',
      rate: 'requests/s',
    },
    what: 'what',
    change: (before: string, worst: string) => `${before} -> ${worst}`,
    unknown: '?',
    none: 'no impacts',
    counted: (services: number, requests: number) => `${services} services with ${requests} requests`,
  },
  trace: {
    span: (at: string, took: string, what: string) => `${at} ms  ${took} ms  ${what}`,
    what: (service: string, name: string) => `${service}: ${name}`,
    failed: (why: string) => (why === '' ? '  (error)' : `  (error: ${why})`),
    truncated: (shown: number) => `the first ${shown} spans are shown`,
  },
  logs: {
    columns: { novelty: 'novelty', lines: 'lines', times: 'times more', text: 'template' },
    counted: (lines: number) => `${lines} lines`,
    share: (share: number) => `one line of ${share} was read, and every error`,
  },
} as const;
