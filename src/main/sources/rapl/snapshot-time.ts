import { digitsToClock, isZone, wallClockToNanos } from '../../../model/local-time.ts';
import { ProblemError } from '../../../model/problem.ts';
import { type Nanos, nanos } from '../../../model/time.ts';

/** `2026-01-01T00-00-00`, `20260101-000000`, `2026-01-01_00:00:00Z`, with a fraction or without. */
const CALENDAR =
  /^(\d{4})-?(\d{2})-?(\d{2})[T_ -]?(\d{2})[-:.h]?(\d{2})(?:[-:.m]?(\d{2}))?(?:[.,](\d{1,9}))?(Z|UTC|[+-]\d{2}:?\d{2})?$/i;
/** Seconds, milliseconds or nanoseconds since 1970, by their number of digits. */
const EPOCH = /^(\d{10})(?:\.(\d{1,9}))?$|^(\d{13})$|^(\d{16})$|^(\d{19})$/;
/** Folders that number or name the samples of a series without a time. */
const LABEL = /^(?:before|after|start|end|first|last|(?:snap|snapshot|sample|step|run|t|s)?[-_]?\d{1,6})$/i;

export interface SnapshotTime {
  readonly time_ns: Nanos;
  /** The name has no zone: it is a clock in the zone that was assumed. */
  readonly local: boolean;
}

/** When the samples of a folder were taken, if its name states it. */
export function snapshotTime(folder: string, zone: string): SnapshotTime | undefined {
  const epoch = EPOCH.exec(folder);
  if (epoch) {
    const [, seconds, fraction = '', millis, micros, nano] = epoch;
    if (seconds)
      return { time_ns: nanos(BigInt(seconds) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'))), local: false };
    if (millis) return { time_ns: nanos(BigInt(millis) * 1_000_000n), local: false };
    if (micros) return { time_ns: nanos(BigInt(micros) * 1000n), local: false };
    const value = BigInt(nano ?? 0);
    return value < 2n ** 63n ? { time_ns: nanos(value), local: false } : undefined;
  }
  const calendar = CALENDAR.exec(folder);
  if (!calendar) return undefined;
  const stated = calendar[8];
  const name = stated && /^(z|utc)$/i.test(stated) ? 'UTC' : stated;
  if (name !== undefined && !isZone(name)) return undefined;
  try {
    const time_ns = wallClockToNanos(digitsToClock(calendar.slice(1, 8)), name ?? zone);
    return { time_ns, local: name === undefined };
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The folder of all samples of a series: without the folder of one sample. */
export function seriesRoot(base: string): string {
  const folder = lastPart(base);
  if (LABEL.test(folder) || snapshotTime(folder, 'UTC') !== undefined)
    return base.slice(0, Math.max(0, base.lastIndexOf('/')));
  return base;
}
