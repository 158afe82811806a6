export const messages = {
  summary: 'print tables and a collector configuration for a fleet that has no archive yet',
  usage: [
    'faultline archive init clickhouse [--database otel] [--days 7] [--important-days 30] [--collector | --grafana] [--json]',
    'faultline archive init clickhouse --apply ARCHIVE.yaml [--days 7] [--important-days 30] [--json]',
    '  prints SQL; --collector prints the configuration of an OpenTelemetry collector that fills the tables',
    '  --grafana prints a dashboard over what push and export --otlp wrote (ClickHouse plugin)',
    '  --links http://127.0.0.1:8090 lets it link into cases: the address of `faultline serve CASE --port 8090`',
    '  --apply makes what is missing in the database of a plan; what is there stays as it is',
    '  spans without an error and log records below a warning stay for --days, everything else for --important-days',
  ].join('\n'),
  unknownAction: (act: string) => `unknown action "${act}": it is init`,
  invalidDays: (name: string, given: string) => `invalid --${name} "${given}": write days, 1 to 3650`,
  invalidLinks: (given: string) => `invalid --links "${given}": write http://127.0.0.1:8090`,
  applyWhat: '--apply is for clickhouse',
  applyAlone: 'with --apply, the database is that of the plan',
  applied: (statements: number) => `${statements} statements run; what was there is unchanged`,
  shorter: '--important-days is shorter than --days',
} as const;
