import { Malformed, WireReader } from '../bytes/protobuf-wire.ts';

/** What a record turns out to be; `unknown`: nothing in it is peculiar to one signal. */
export type Signal = 'traces' | 'logs' | 'metrics' | 'profiles' | 'unknown';

const wire = new WireReader();

function printable(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i]! < 0x20) return false;
  return end > start;
}

/**
 * The signal of one record, by wire types that only one of the messages has: all requests share their field
 * numbers down to the record (ResourceX 1, ScopeX 2, record 2), so the record is the first place to look.
 *
 * Span: fixed64 at 7, 8 (times), fixed32 at 16, varint at 6. LogRecord: fixed64 at 1, 11, varint at 2.
 * Metric: only length-delimited fields, a printable name at 1 and data at 5, 7, 9, 10 or 11. Profile: fixed64 at 3.
 */
function classifyRecord(bytes: Uint8Array, start: number, end: number): Signal {
  wire.position = start;
  let named = false;
  let data = false;
  while (wire.position < end) {
    const key = wire.key(end);
    switch (key) {
      case 0x39:
      case 0x41:
      case 0x85:
      case 0x30:
        return 'traces';
      case 0x09:
      case 0x59:
      case 0x10:
        return 'logs';
      case 0x19:
        return 'profiles';
      case 0x0a: {
        const stop = wire.lengthEnd(end);
        named = printable(bytes, wire.position, stop);
        wire.position = stop;
        break;
      }
      case 0x2a:
      case 0x3a:
      case 0x4a:
      case 0x52:
      case 0x5a:
        data = true;
        wire.skip(key, end);
        break;
      default:
        // A Metric holds nothing but length-delimited fields.
        if ((key & 7) !== 2) named = false;
        wire.skip(key, end);
    }
  }
  return named && data ? 'metrics' : 'unknown';
}

/** Calls `visit` with each length-delimited field of `[start, end)`; stops at true, at the end and where the bytes stop making sense. */
function eachField(
  start: number,
  end: number,
  cut: boolean,
  visit: (field: number, from: number, to: number) => boolean,
): boolean {
  let position = start;
  try {
    while (position < end) {
      wire.position = position;
      const key = wire.key(end);
      if ((key & 7) !== 2) {
        wire.skip(key, end);
        position = wire.position;
        continue;
      }
      const after = wire.position;
      wire.varint(end);
      const length = wire.high > 0 ? Number.POSITIVE_INFINITY : wire.low;
      const from = wire.position;
      if (from + length > end && !cut) throw new Malformed(after, 'length runs past the end');
      position = Math.min(end, from + length);
      if (visit(key >>> 3, from, position)) return true;
    }
    return true;
  } catch (error) {
    if (error instanceof Malformed) return false;
    throw error;
  }
}

/** Field of ScopeX in ResourceX; 1000 is the library form of 0.15 to 0.18, whose layout is the same. */
export const isScopeField = (field: number): boolean => field === 2 || field === 1000;

/**
 * The signal of the records in one ResourceX message. With `cut`, the message may end early.
 * `whole`: whether its bytes were valid to the end or up to the first distinctive record.
 */
export function classifyResource(
  bytes: Uint8Array,
  start: number,
  end: number,
  cut: boolean,
): { readonly signal: Signal; readonly whole: boolean } {
  wire.open(bytes);
  let signal: Signal = 'unknown';
  const whole = eachField(start, end, cut, (field, from, to) => {
    if (!isScopeField(field)) return false;
    eachField(from, to, cut, (inner, recordFrom, recordTo) => {
      if (inner !== 2) return false;
      try {
        signal = classifyRecord(bytes, recordFrom, recordTo);
      } catch (error) {
        if (!(error instanceof Malformed)) throw error;
      }
      return signal !== 'unknown';
    });
    return signal !== 'unknown';
  });
  return { signal, whole };
}

/** The signal of an Export*ServiceRequest (or TracesData, MetricsData, LogsData: the same on the wire). */
export function classifyRequest(
  bytes: Uint8Array,
  start: number,
  end: number,
  cut: boolean,
): { readonly signal: Signal; readonly whole: boolean } {
  wire.open(bytes);
  let signal: Signal = 'unknown';
  let strange = false;
  const whole = eachField(start, end, cut, (field, from, to) => {
    if (field === 1) signal = classifyResource(bytes, from, to, cut).signal;
    else if (field > 2) strange = true;
    return signal !== 'unknown';
  });
  return { signal, whole: whole && !strange };
}
