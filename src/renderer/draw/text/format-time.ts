import { formatUtc, type Nanos } from '../../../model/time.ts';

export type TimeMode = 'utc' | 'local' | 'relative';

export interface TimeFormat {
  readonly mode: TimeMode;
  /** Origin of relative times: the onset of the selected incident, or else the start of the data. */
  readonly originNs: Nanos;
  /** Puts the date before the time of day, if days must be distinguished. */
  readonly withDate?: boolean;
}

export const DAY_NS = 86_400e9;

/** A time of day is ambiguous in a window longer than a day. */
export const datedWithin = (lengthNs: number, format: TimeFormat): TimeFormat =>
  lengthNs > DAY_NS ? { ...format, withDate: true } : format;

const pad = (value: number, length = 2): string => String(value).padStart(length, '0');

/** Decimals that distinguish two instants `stepNs` apart. */
export const decimalsFor = (stepNs: number): number => {
  if (stepNs >= 1e9) return 0;
  return Math.min(9, Math.ceil(9 - Math.log10(stepNs) - 1e-9));
};

function subseconds(time: Nanos, decimals: number): string {
  if (decimals === 0) return '';
  const fraction = ((time % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  return `.${fraction.toString().padStart(9, '0').slice(0, decimals)}`;
}

/** `14:32:04.118`, `2026-01-03 14:32:04.118`, `+3.118 s`; the screen must always show the mode too. */
export function formatTime(time: Nanos, format: TimeFormat, decimals = 3): string {
  const day = format.withDate ? `${formatDate(time, format)} ` : '';
  switch (format.mode) {
    case 'utc':
      return day + formatUtc(time).slice(11, 19) + subseconds(time, decimals);
    case 'local': {
      const date = new Date(Number(time / 1_000_000n));
      return `${day}${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}${subseconds(time, decimals)}`;
    }
    case 'relative':
      return formatOffset(Number(time - format.originNs), decimals);
  }
}

export function formatDate(time: Nanos, format: TimeFormat): string {
  if (format.mode === 'utc') return formatUtc(time).slice(0, 10);
  const date = new Date(Number(time / 1_000_000n));
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

export const zoneName = (mode: TimeMode): string =>
  mode === 'utc' ? 'UTC' : mode === 'local' ? 'local' : 'from onset';

const MINUS = '\u2212';

/** `+3.1 s`, `−2 m 05 s`: a signed time difference. */
export function formatOffset(deltaNs: number, decimals = 1): string {
  const sign = deltaNs < 0 ? MINUS : '+';
  const seconds = Math.abs(deltaNs) / 1e9;
  if (seconds < 100) return `${sign}${seconds.toFixed(decimals)} s`;
  return sign + formatClockLength(seconds, decimals);
}

const TWO_DAYS_S = 172_800;

function formatClockLength(seconds: number, decimals: number): string {
  if (seconds >= TWO_DAYS_S) return `${(seconds / 86_400).toFixed(1)} d`;
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = (seconds % 60).toFixed(Math.min(decimals, 1)).padStart(decimals > 0 ? 4 : 2, '0');
  return hours > 0 ? `${hours} h ${pad(minutes)} m` : `${minutes} m ${rest} s`;
}

/** `20 m`, `1 h 05 m`, `850 ms`: a duration. */
export function formatDuration(lengthNs: number): string {
  // Rounded before the unit is selected, so that 60 s become a minute and 1000 ms a second.
  const [micros, millis] = [trimmed(lengthNs / 1e3), trimmed(lengthNs / 1e6)];
  const seconds = Math.round(lengthNs / 1e9);
  const minutes = Math.round(lengthNs / 60e9);
  if (micros < 1000) return `${micros} µs`;
  if (millis < 1000) return `${millis} ms`;
  if (seconds < 120) return `${trimmed(lengthNs / 1e9)} s`;
  if (seconds < 3600) return joinParts(Math.floor(seconds / 60), 'm', seconds % 60, 's');
  if (minutes < 2880) return joinParts(Math.floor(minutes / 60), 'h', minutes % 60, 'm');
  return `${trimmed(lengthNs / 86_400e9)} d`;
}

const trimmed = (value: number): number => Number(value.toPrecision(3));
const joinParts = (whole: number, unit: string, rest: number, restUnit: string): string =>
  rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${pad(rest)} ${restUnit}`;
