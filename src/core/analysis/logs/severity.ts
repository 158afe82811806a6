/** OpenTelemetry's severity numbers by the names of their ranges; 0 is unknown. */
const severityNames = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type SeverityName = (typeof severityNames)[number] | 'unknown';

export const severityName = (number: number): SeverityName =>
  number < 1 || number > 24 ? 'unknown' : (severityNames[Math.floor((number - 1) / 4)] as SeverityName);
