/** A unit as a share of the base unit of its dimension: `value * numerator / denominator` in the base unit. */
type Scale = readonly [base: string, numerator: number, denominator: number];

/** Units as records write them, and as UCUM does. Whole numbers, so that 345 MHz do not become 344.99999. */
const units: Readonly<Record<string, Scale>> = {
  W: ['W', 1, 1],
  kW: ['W', 1000, 1],
  mW: ['W', 1, 1000],
  uW: ['W', 1, 1_000_000],
  J: ['J', 1, 1],
  mJ: ['J', 1, 1000],
  uJ: ['J', 1, 1_000_000],
  kJ: ['J', 1000, 1],
  'kW.h': ['J', 3_600_000, 1],
  kWh: ['J', 3_600_000, 1],
  'W.h': ['J', 3600, 1],
  V: ['V', 1, 1],
  kV: ['V', 1000, 1],
  mV: ['V', 1, 1000],
  A: ['A', 1, 1],
  mA: ['A', 1, 1000],
  Hz: ['Hz', 1, 1],
  kHz: ['Hz', 1000, 1],
  MHz: ['Hz', 1_000_000, 1],
  GHz: ['Hz', 1_000_000_000, 1],
  s: ['s', 1, 1],
  ms: ['s', 1, 1000],
  us: ['s', 1, 1_000_000],
  ns: ['s', 1, 1_000_000_000],
  min: ['s', 60, 1],
  h: ['s', 3600, 1],
  By: ['By', 1, 1],
  KiB: ['By', 1024, 1],
  MiB: ['By', 1_048_576, 1],
  GiB: ['By', 1_073_741_824, 1],
  KB: ['By', 1000, 1],
  MB: ['By', 1_000_000, 1],
  'By/s': ['By/s', 1, 1],
  'KB/s': ['By/s', 1000, 1],
  'MB/s': ['By/s', 1_000_000, 1],
  'GB/s': ['By/s', 1_000_000_000, 1],
  'Gbit/s': ['By/s', 125_000_000, 1],
  '1': ['1', 1, 1],
  '%': ['1', 1, 100],
  Cel: ['Cel', 1, 1],
  C: ['Cel', 1, 1],
  mCel: ['Cel', 1, 1000],
  rpm: ['rpm', 1, 1],
  RPM: ['rpm', 1, 1],
  '{rev}/min': ['rpm', 1, 1],
  Pa: ['Pa', 1, 1],
  kPa: ['Pa', 1000, 1],
  'L/min': ['L/min', 1, 1],
  'm3/h': ['m3/h', 1, 1],
  'm3/min': ['m3/h', 60, 1],
  '[cft_i]/min': ['m3/h', 169_901, 100_000],
};

/** The value in another unit of the same dimension; undefined when the units do not agree or are unknown. */
export function convertUnit(value: number, from: string, to: string): number | undefined {
  if (from === to) return value;
  const source = Object.hasOwn(units, from) ? units[from] : undefined;
  const target = Object.hasOwn(units, to) ? units[to] : undefined;
  if (!source || !target || source[0] !== target[0]) return undefined;
  // Fifteen digits: 0.07 as a percentage is 7, not 7.000000000000001.
  return Number(((value * (source[1] * target[2])) / (source[2] * target[1])).toPrecision(15));
}
