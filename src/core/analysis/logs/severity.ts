/** OpenTelemetry's severity numbers in the words of their ranges; 0 is unknown. */
const words = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type SeverityWord = (typeof words)[number] | 'unknown';

export const severityWord = (number: number): SeverityWord =>
  number < 1 || number > 24 ? 'unknown' : (words[Math.floor((number - 1) / 4)] as SeverityWord);
