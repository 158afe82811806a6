import { digitsToClock, fractionToNanoseconds, wallClockToNanos } from '../../../model/local-time.ts';
import type { FoundFile } from '../../../model/storage/source.ts';
import { type Nanos, nanos } from '../../../model/time.ts';

const CALENDAR =
  /(?<!\d)((?:19|20|21)\d{2})-?(\d{2})-?(\d{2})[T_ .-]?(\d{2})[-:_.h]?(\d{2})[-:_.m]?(\d{2})(?:[.,](\d{1,9}))?(Z|[+-]\d{2}:?\d{2})?(?!\d)/;
const MAX_MILLISECONDS = 9.2e15;
const EPOCH = /(?<!\d)(1\d{9})(?:(\d{3})|[.](\d{1,9}))?(?!\d)/;

/**
 * When the content of a file was recorded, for formats without a time: a date in its name or in a folder of its path
 * (read as UTC unless it has a zone), else the time the file was last written.
 */
export function capturedAt(path: string, modified_ms: number): Pick<FoundFile, 'captured_ns' | 'captured_from'> {
  for (const segment of path.split('/').reverse()) {
    const named = timeInName(segment);
    if (named !== undefined) return { captured_ns: named, captured_from: 'file name' };
  }
  return { captured_ns: BigInt(Math.round(sound(modified_ms))) * 1_000_000n, captured_from: 'file time' };
}

/** An archive may state any time of writing; one that 64 bits of nanoseconds cannot name is not stated: 1970. */
const sound = (milliseconds: number): number => (Math.abs(milliseconds) < MAX_MILLISECONDS ? milliseconds : 0);

function timeInName(name: string): Nanos | undefined {
  const match = CALENDAR.exec(name);
  if (match) {
    try {
      return wallClockToNanos(digitsToClock(match.slice(1, 8)), match[8] ?? 'Z');
    } catch {
      return undefined; // Digits that look like a date and are none.
    }
  }
  const epoch = EPOCH.exec(name);
  if (!epoch) return undefined;
  const [, seconds = '', milliseconds = '', fraction = ''] = epoch;
  return nanos(BigInt(seconds) * 1_000_000_000n + BigInt(fractionToNanoseconds(milliseconds || fraction)));
}
