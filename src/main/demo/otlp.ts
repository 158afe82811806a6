import { START_MS } from './incident.ts';

/** OTLP JSON by hand: the generator is a producer like any other and shares no code with the importers. */
type AttributeValue = string | number | boolean;

export const attributes = (values: Readonly<Record<string, AttributeValue>>) =>
  Object.entries(values).map(([key, value]) => ({ key, value: anyValue(value) }));

function anyValue(value: AttributeValue) {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Seconds after the start as OTLP's decimal nanoseconds. */
export const unixNano = (at_s: number): string =>
  String(BigInt(START_MS) * 1_000_000n + BigInt(Math.round(at_s * 1e9)));
