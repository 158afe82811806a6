import { countRows } from '../../../model/rows/row-nouns.ts';

/** UCUM units of OpenTelemetry with their display symbols. */
const symbols: Readonly<Record<string, string>> = {
  '1': '',
  Cel: '°C',
  By: 'B',
  'By/s': 'B/s',
  percent: '%',
  ms: 'ms',
  s: 's',
  us: 'µs',
  ns: 'ns',
  '1/s': '/s',
  rps: 'req/s',
  RPM: 'rpm',
};

const steps = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e4, 'k'],
] as const;
const scaled = new Set(['B', 'B/s', 'Hz', 'W', 'bit/s', '/s', 'req/s', '']);

export const unitSymbol = (unit: string): string => {
  if (unit.startsWith('{')) return unit.slice(1, -1);
  return symbols[unit] ?? unit;
};

/** At most four significant digits, grouped: `1 234`, `0.042`, `2 100`. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return 'unknown';
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return value.toExponential(2);
  const decimals = size >= 1000 || Number.isInteger(value) ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4;
  const text = value.toFixed(decimals);
  const shown = decimals > 0 ? text.replace(/\.?0+$/, '') : text;
  return shown.replace(/^(-?)(\d{4,})/, (_all, sign: string, digits: string) => sign + group(digits));
}

const group = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, '\u202f');

/** A number always has its unit; a ratio has none. */
export function formatValue(value: number, unit: string): string {
  if (!Number.isFinite(value)) return 'unknown';
  const symbol = unitSymbol(unit);
  if (scaled.has(symbol)) {
    for (const [size, prefix] of steps) {
      if (Math.abs(value) >= size)
        return `${formatNumber(value / (size === 1e4 ? 1e3 : size))} ${prefix}${symbol}`.trimEnd();
    }
  }
  return symbol === '' ? formatNumber(value) : `${formatNumber(value)} ${symbol}`;
}

/** `5.2 M`, `318`: a rounded count. */
export function formatCount(count: number): string {
  for (const [size, prefix] of steps) {
    const unit = size === 1e4 ? 1e3 : size;
    if (count >= size) return `${(count / unit).toFixed(1)} ${prefix}`;
  }
  return formatNumber(count);
}

/** `10.7`, `2 297`: hours that something was recorded, of which a short recording has a fraction. */
export const formatHours = (hours: number): string =>
  formatCount(hours < 100 ? Number(hours.toPrecision(3)) : Math.round(hours));

/** `5.2 M spans`: rows by kind, the most important kinds first; all kinds, or only these. */
export function formatRows(rows: Readonly<Record<string, number>>, kinds?: readonly string[]): string {
  const shown = kinds ? Object.fromEntries(Object.entries(rows).filter(([kind]) => kinds.includes(kind))) : rows;
  return countRows(shown, formatCount);
}

export function formatBytes(bytes: number): string {
  for (const [size, prefix] of [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const) {
    if (bytes >= size) return `${(bytes / size).toFixed(1)} ${prefix}B`;
  }
  return `${bytes} B`;
}

/** A word for the probability, because two digits such as 0.52 look more certain than they are. */
export const likelihood = (probability: number): 'likely' | 'undecided' | 'unlikely' =>
  probability >= 0.7 ? 'likely' : probability >= 0.3 ? 'undecided' : 'unlikely';

/** Two digits; what they would round to 0 or 1 is stated as a bound. */
export function formatProbability(probability: number): string {
  if (probability > 0 && probability < 0.005) return '< 0.01';
  if (probability < 1 && probability >= 0.995) return '> 0.99';
  return probability.toFixed(2);
}

/** `psu_failover` as `psu failover`. */
export const readableType = (type: string): string => type.replace(/[_.]+/g, ' ');
