import type { EventDetails, StatedEvent } from '../../../model/telemetry/event-details.ts';
import type { MetricName } from '../../../model/telemetry/metric.ts';
import { MOST_TEXT, statedText } from './wording.ts';

interface Stated {
  readonly metric: MetricName;
  readonly unit: string;
  /** Attributes that state it, of the device itself: "supply_temperature_c" is that of its coolant. */
  readonly names: readonly string[];
  /** Wordings of what was measured, never of a limit. */
  readonly words: RegExp;
}

const temperature: Stated = {
  metric: 'hw.temperature',
  unit: 'Cel',
  names: ['temperature_c', 'temperature_celsius', 'gpu_temperature_c'],
  words:
    /\b(?:(?:slowdown|throttl\w{0,9}) at|temperature(?: is| of| reached|:)?) (\d{2,3}(?:\.\d{1,3})?) ?(?:°\s?C|degrees C|C)\b/i,
};
const voltage: Stated = {
  metric: 'hw.voltage',
  unit: 'V',
  names: ['voltage_v', 'voltage_volts'],
  words: /\bvoltage (?:(?:fell|dropped|sagged|rose) to|is|at) (\d{2,3}(?:\.\d{1,3})?) V\b/i,
};
const statedBy: ReadonlyMap<string, Stated> = new Map([
  ['thermal_throttle', temperature],
  ['hw_slowdown', temperature],
  ['voltage_sag', voltage],
  ['voltage_swell', voltage],
]);

/** The temperature or voltage that an event states of its device; undefined if it states none. */
export function readReading({ type, message, attributes }: StatedEvent): EventDetails['reading'] {
  const stated = statedBy.get(type);
  if (!stated) return undefined;
  const text = statedText(attributes, ...stated.names) ?? stated.words.exec(message.slice(0, MOST_TEXT))?.[1];
  const value = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(value) ? { metric: stated.metric, value, unit: stated.unit } : undefined;
}
