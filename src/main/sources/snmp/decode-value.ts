import type { MetricName } from '../../../model/telemetry/metric.ts';
import type { Code, Reading } from './meaning.ts';
import type { SnmpValue } from './snmp-value.ts';

/** All bits set, in 32 bits signed and unsigned: "I have no number". */
const NOTHING = new Set([4_294_967_295, 2_147_483_647, -2_147_483_648]);
/** Lower values are not real temperatures: missing probes answer -273 or -999. */
const COLDEST = -100;
/** Metrics that may be negative. For others a negative number means "not measured". */
const signedMetrics: ReadonlySet<string> = new Set<MetricName>([
  'hw.temperature',
  'hw.battery.temperature',
  'hw.dew_point',
  'hw.temperature.margin',
]);

/** Undefined if the raw number means "not reported". */
export function scaledValue(reading: Reading, raw: number, scale = reading.scale): number | undefined {
  const { metric, signed, fahrenheit, missing } = reading;
  if (!Number.isFinite(raw) || NOTHING.has(raw) || missing.includes(raw)) return undefined;
  const goesBelowZero = signed || (typeof metric === 'string' && signedMetrics.has(metric));
  if (raw < 0 && !goesBelowZero) return undefined;
  // Dividing by ten gives the number nearest to 4.9; multiplying by 0.1 does not.
  const divisor = Math.round(1 / scale);
  const plain = scale < 1 && Math.abs(divisor * scale - 1) < 1e-9 ? raw / divisor : raw * scale;
  const value = fahrenheit ? (plain - 32) / 1.8 : plain;
  return typeof metric === 'string' && metric.endsWith('temperature') && value < COLDEST ? undefined : value;
}

/** Labels as net-snmp and others shorten them: `normal` for `batteryNormal`. */
const plainLabel = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');

/** The number of a code, also where its label is written; NaN for an unknown label. */
export function codeNumber({ codes }: Code, { number, text }: SnmpValue): number {
  if (!Number.isNaN(number)) return number;
  const wanted = plainLabel(text);
  const labels = Object.entries(codes).map(([key, label]) => [Number(key), plainLabel(label)] as const);
  const exact = labels.find(([, label]) => label === wanted);
  const ending = wanted.length > 2 ? labels.find(([, label]) => label.endsWith(wanted)) : undefined;
  return (exact ?? ending)?.[0] ?? Number.NaN;
}
