import { convertUnit } from '../../../../base/convert-unit.ts';
import type { Reading } from '../../nvidia/reading.ts';
import type { Labels, Naming, Surroundings } from '../scraped.ts';
import { unitOf } from '../unit-of.ts';

/** A series as exporters see it: name and label names have underscores for dots, whatever container it came in. */
export interface Exported {
  readonly name: string;
  readonly labels: Labels;
  /** Declared by the container, UCUM; '' when it is not. */
  readonly unit: string;
}

/** What is known of the series of one exporter, whatever container carried them. */
export interface Exporter {
  /** For people, with the version whose page the names are from. */
  readonly title: string;
  /** Names as it writes them, for docs/formats.md. */
  readonly names: readonly string[];
  readonly owns: (name: string) => boolean;
  /** Names that others use, too: whether the labels are this exporter's. */
  readonly writes?: (series: Exported) => boolean;
  /** undefined: the series keeps its name, unit and values. */
  readonly reading: (series: Exported) => Reading | undefined;
  readonly naming: (series: Exported, surroundings: Surroundings) => Naming;
  /** The health of a component that labels state beside what is measured. */
  readonly health?: (series: Exported, surroundings: Surroundings) => StatedHealth | undefined;
}

/** Health of a component, which changes while its series goes on. */
export interface StatedHealth extends Naming {
  /** As `hw.status` has it: 0 ok, 1 warning, 2 critical. */
  readonly status: number;
}

const UNIT_WORDS =
  /_(?:seconds|milliseconds|microseconds|nanoseconds|bytes|joules?|watts?|volts|amperes|amps|celsius|ratio|percent|hertz|hz|mhz|rpm|mW)$/;

/** Without `_total` and the unit: what translations between OTLP and Prometheus add and take away. */
export const bareName = (name: string): string => name.replace(/_total$/, '').replace(UNIT_WORDS, '');

/** The reading in the unit that the container states, where this is a unit of the same dimension. */
export function inUnit(reading: Reading, { name, unit }: Exported): Reading {
  const stated = unitOf(name, unit);
  return stated !== '' && convertUnit(1, stated, reading.unit) !== undefined ? { ...reading, unit: stated } : reading;
}

/** Whether the unit that the container states may be one of this quantity; counts are often stated as plain numbers. */
export function isOfUnit({ unit }: Reading, series: Exported): boolean {
  const stated = unitOf(series.name, series.unit);
  return stated === '' || convertUnit(1, stated, unit) !== undefined || (stated === '1' && unit.startsWith('{'));
}

/**
 * Lookup in the table of an exporter's names. A name without the suffixes that the exporter writes, or with more of
 * them, is the same series; its unit is then the one that the container states. What several names would be without
 * their suffixes is none of them.
 */
export function nameTable<Value>(rows: Readonly<Record<string, Value>>): (name: string) => {
  readonly value: Value | undefined;
  readonly isExact: boolean;
} {
  const exact = new Map(Object.entries(rows));
  const bare = new Map<string, Value | undefined>();
  for (const [name, value] of exact) bare.set(bareName(name), bare.has(bareName(name)) ? undefined : value);
  for (const [name, value] of exact) if (bare.has(name)) bare.set(name, value);
  return (name) =>
    exact.has(name) ? { value: exact.get(name), isExact: true } : { value: bare.get(bareName(name)), isExact: false };
}

/** A row of a table: what a name means, or what it means with these labels. */
export type Row = Reading | ((labels: Labels) => Reading | undefined);

/** Readings from a table of names as the exporter's own page has them. */
export function readings(rows: Readonly<Record<string, Row>>): (series: Exported) => Reading | undefined {
  const find = nameTable(rows);
  return (series) => {
    const { value, isExact } = find(series.name);
    const reading = typeof value === 'function' ? value(series.labels) : value;
    if (!reading || isExact) return reading;
    return isOfUnit(reading, series) ? inUnit(reading, series) : undefined;
  };
}
