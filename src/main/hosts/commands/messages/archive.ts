export const messages = {
  summary: 'print tables and a collector configuration for a fleet that has no archive yet',
  usage: [
    'faultline archive init clickhouse [--database otel] [--days 7] [--important-days 30] [--collector] [--json]',
    '  prints SQL; --collector prints the configuration of an OpenTelemetry collector that fills the tables',
    '  spans without an error and log records below a warning stay for --days, everything else for --important-days',
  ].join('\n'),
  unknownAction: (act: string) => `unknown action "${act}": it is init`,
  invalidDays: (name: string, given: string) => `invalid --${name} "${given}": write days, 1 to 3650`,
  shorter: '--important-days is shorter than --days',
} as const;
