export const messages = {
  summary: 'metrics that trend toward a limit (power, temperature, batteries), with the time remaining',
  usage: 'faultline notices CASE [--at TIME] [--json]',
  noRecords: 'no records',
  at: (time: string) => `at ${time}`,
  none: 'no metric trends toward a limit',
} as const;
