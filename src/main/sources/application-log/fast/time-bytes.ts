import type { WallClock } from '../../../../model/local-time.ts';

const [PLUS, MINUS, DOT, COMMA, COLON, SPACE, UNDERLINE] = [0x2b, 0x2d, 0x2e, 0x2c, 0x3a, 0x20, 0x5f];
const DAY_S = 86_400;
/** Years in which no form of arithmetic here overflows. */
const [FIRST_YEAR, LAST_YEAR] = [1971, 2200];
/** Whole seconds that 64-bit nanoseconds can count. */
const LATEST_S = 9_223_372_036;

/**
 * Reads times as log libraries write them most (`2026-05-01T14:04:18.123Z`, `2026-05-01 14:04:18,123`, `1777644259.25`, `1777644261000`)
 * from bytes. Other forms are left to `readTimeValue`.
 */
export class TimeBytes {
  /** The last time that was read: seconds since 1970, and nanoseconds of the second. */
  seconds = 0;
  nanoseconds = 0;
  /** Seconds since 1970 of a wall clock's full minute; NaN: no such time. */
  private readonly minute: (clock: WallClock) => number;
  private lastDay = -1;
  private lastDaySeconds = 0;
  private lastMinute = -1;
  private lastMinuteSeconds = 0;

  constructor(minute: (clock: WallClock) => number) {
    this.minute = minute;
  }

  /** ISO 8601 text; false: another form, or no such time. */
  readIso(bytes: Uint8Array, from: number, to: number): boolean {
    if (to - from < 19 || bytes[from + 4] !== MINUS || bytes[from + 7] !== MINUS) return false;
    if (bytes[from + 13] !== COLON || bytes[from + 16] !== COLON) return false;
    const between = bytes[from + 10]!;
    if ((between | 0x20) !== 0x74 && between !== SPACE && between !== UNDERLINE) return false;
    const year = pair(bytes, from) * 100 + pair(bytes, from + 2);
    const month = pair(bytes, from + 5);
    const day = pair(bytes, from + 8);
    const hour = pair(bytes, from + 11);
    const minute = pair(bytes, from + 14);
    const second = pair(bytes, from + 17);
    // A pair that is no digits is NaN, which no comparison lets pass.
    if (!(year >= FIRST_YEAR && year <= LAST_YEAR && month >= 1 && month <= 12 && day >= 1 && day <= 31)) return false;
    if (!(hour <= 23 && minute <= 59 && second <= 59)) return false;
    let at = from + 19;
    this.nanoseconds = 0;
    if (at < to && (bytes[at] === DOT || bytes[at] === COMMA)) {
      const end = this.readFraction(bytes, at + 1, to);
      if (end < 0) return false;
      at = end;
    }
    if (at === to) return this.setWallClock({ year, month, day, hour, minute }, second);
    const zone = zoneSeconds(bytes, at, to);
    this.seconds = this.dayOf(year, month, day) + hour * 3600 + minute * 60 + second - zone;
    return this.seconds >= 0;
  }

  /** A count since 1970 of 10 to 15 digits and a fraction, in the unit that its size shows; false: something else. */
  readCount(bytes: Uint8Array, from: number, to: number): boolean {
    let whole = 0;
    let at = from;
    for (; at < to && isDigit(bytes[at]!); at++) whole = whole * 10 + bytes[at]! - 0x30;
    const digits = at - from;
    if (digits < 10 || digits > 15) return false;
    const perSecond = digits <= 11 ? 1 : digits <= 14 ? 1000 : 1_000_000;
    let fraction = 0;
    if (at < to) {
      if (bytes[at] !== DOT || this.readFraction(bytes, at + 1, to) !== to) return false;
      fraction = Math.floor(this.nanoseconds / perSecond);
    }
    this.seconds = Math.floor(whole / perSecond);
    this.nanoseconds = (whole - this.seconds * perSecond) * (1_000_000_000 / perSecond) + fraction;
    return this.seconds < LATEST_S;
  }

  /** Writes the time that was read as an int64 of nanoseconds into its two halves, the lower one first. */
  writeTo(halves: Uint32Array, at: number): void {
    // Sums stay below 2^53: the seconds are split at 2^16.
    const upper = Math.floor(this.seconds / 65_536) * 1e9;
    const lower = (this.seconds % 65_536) * 1e9 + this.nanoseconds + (upper % 65_536) * 65_536;
    halves[at] = lower % 4_294_967_296;
    halves[at + 1] = Math.floor(upper / 65_536) + Math.floor(lower / 4_294_967_296);
  }

  /** Up to nine digits, as nanoseconds; the index behind them, or -1. */
  private readFraction(bytes: Uint8Array, from: number, to: number): number {
    let value = 0;
    let at = from;
    for (; at < to && isDigit(bytes[at]!); at++) value = value * 10 + bytes[at]! - 0x30;
    const digits = at - from;
    if (digits === 0 || digits > 9) return -1;
    this.nanoseconds = value * powers[9 - digits]!;
    return at;
  }

  private dayOf(year: number, month: number, day: number): number {
    const key = (year * 16 + month) * 32 + day;
    if (key !== this.lastDay) {
      this.lastDay = key;
      this.lastDaySeconds = Date.UTC(year, month - 1, day) / 1000;
    }
    return this.lastDaySeconds;
  }

  private setWallClock(clock: WallClock, second: number): boolean {
    const { year, month, day, hour = 0, minute = 0 } = clock;
    const key = (((year * 16 + month) * 32 + day) * 32 + hour) * 64 + minute;
    if (key !== this.lastMinute) {
      this.lastMinute = key;
      this.lastMinuteSeconds = this.minute(clock);
    }
    this.seconds = this.lastMinuteSeconds + second;
    return this.seconds >= DAY_S;
  }
}

const powers = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;
const pair = (bytes: Uint8Array, at: number): number =>
  isDigit(bytes[at]!) && isDigit(bytes[at + 1]!) ? (bytes[at]! - 0x30) * 10 + bytes[at + 1]! - 0x30 : Number.NaN;

/** `Z`, `+02:00` or `+0200` as seconds ahead of UTC; NaN: anything else. */
function zoneSeconds(bytes: Uint8Array, at: number, to: number): number {
  const first = bytes[at]!;
  if ((first | 0x20) === 0x7a) return to - at === 1 ? 0 : Number.NaN;
  if (first !== PLUS && first !== MINUS) return Number.NaN;
  const minutes = to - at === 6 && bytes[at + 3] === COLON ? at + 4 : to - at === 5 ? at + 3 : -1;
  if (minutes < 0) return Number.NaN;
  return (first === MINUS ? -1 : 1) * (pair(bytes, at + 1) * 3600 + pair(bytes, minutes) * 60);
}
