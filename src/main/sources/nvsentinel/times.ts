import { secondsToNanos } from '../../../model/local-time.ts';
import { parseTime } from '../../../model/time.ts';
import { lower } from './format.ts';

/**
 * A time in any of the forms that stores give it: RFC 3339, `{"$date": "…"}`, `{"$date": {"$numberLong": "ms"}}`,
 * `{"seconds": …, "nanos": …}`, milliseconds since 1970. undefined when there is none, or it is the zero time.
 */
export function readTime(value: unknown): bigint | undefined {
  try {
    return read(value);
  } catch {
    return undefined;
  }
}

function read(value: unknown): bigint | undefined {
  if (typeof value === 'string') {
    if (value === '' || value.startsWith('0001-')) return undefined;
    return /^\d{12,14}$/.test(value) ? milliseconds(value) : parseTime(value);
  }
  if (typeof value === 'number') return value > 1e11 ? secondsToNanos(value / 1000) : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const object = lower(value);
  if ('$date' in object) return read(object.$date);
  if ('$numberlong' in object) return read(String(object.$numberlong));
  const seconds = '$numberlong' in lower(object.seconds) ? lower(object.seconds).$numberlong : object.seconds;
  if (typeof seconds !== 'number' && typeof seconds !== 'string') return undefined;
  const fraction = typeof object.nanos === 'number' && object.nanos >= 0 && object.nanos < 1e9 ? object.nanos : 0;
  return secondsToNanos(`${seconds}.${String(Math.trunc(fraction)).padStart(9, '0')}`);
}

const milliseconds = (digits: string): bigint => secondsToNanos(`${digits.slice(0, -3)}.${digits.slice(-3)}`);
