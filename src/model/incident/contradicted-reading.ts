import type { ContradictedReading } from './contradicted-reading-schema.ts';

export type { ContradictedReading } from './contradicted-reading-schema.ts';

const units: Readonly<Record<string, string>> = { Cel: '°C' };
const quantities: Readonly<Record<string, string>> = { 'hw.temperature': 'temperature', 'hw.voltage': 'voltage' };

/** `the event states 84 °C, but 5 samples of its temperature within 20 s of it are 63.2 to 64.1 °C` */
export function contradictionText({
  metric,
  unit,
  stated,
  least,
  most,
  samples,
  ...span
}: ContradictedReading): string {
  const symbol = units[unit] ?? unit;
  const figure = (value: number): string => String(Number(value.toFixed(1)));
  const range = figure(least) === figure(most) ? figure(least) : `${figure(least)} to ${figure(most)}`;
  const seconds = Math.max(1, Math.round(Number(span.to_ns - span.from_ns) / 1e9));
  const many = samples === 1 ? '1 sample' : `${samples} samples`;
  return `the event states ${figure(stated)} ${symbol}, but ${many} of the ${quantities[metric] ?? metric} in the ${seconds} s around it ${samples === 1 ? 'is' : 'are'} ${range} ${symbol}`;
}
