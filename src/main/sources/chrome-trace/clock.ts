import type { SourceInput } from '../../../model/storage/source.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { microsToNanos } from '../traces/micros.ts';
import type { Survey } from './survey.ts';

/** 2000-01-01 in microseconds since 1970: a clock that shows less counts from something else. */
const EPOCH_MICROS = 946_684_800_000_000;

/** How the times of a trace become nanoseconds since 1970. */
export interface Clock {
  /** Undefined: no time that this trace can have. */
  at(micros: number): bigint | undefined;
  /** What had to be assumed; '' nothing. */
  readonly remark: string;
}

/** The clock that a trace states, or shows by the size of its times; else its end is when the file was recorded. */
export function clockOf({ header, latest, earliest }: Survey, { files }: SourceInput): Clock {
  if (header.own) return { at: (micros) => offset(header.base_ns, micros), remark: '' };
  if (latest >= EPOCH_MICROS)
    // A stray zero among today's times is no time.
    return { at: (micros) => (micros >= EPOCH_MICROS / 2 ? microsToNanos(micros) : undefined), remark: '' };
  if (header.base_ns > 0n) return { at: (micros) => offset(header.base_ns, micros), remark: '' };
  const file = files[0];
  if (!file || !Number.isFinite(earliest)) return { at: () => undefined, remark: '' };
  const base = file.captured_ns - (offset(0n, latest) ?? 0n);
  return {
    at: (micros) => offset(base, micros),
    remark: `times count from an unknown start: the end is taken as ${formatUtc(nanos(file.captured_ns))} (${file.captured_from})`,
  };
}

const MAX_NS = 2n ** 63n - 1n;

function offset(base: bigint, micros: number): bigint | undefined {
  const whole = Math.floor(micros);
  const time = base + BigInt(whole) * 1000n + BigInt(Math.round((micros - whole) * 1000));
  return time > 0n && time <= MAX_NS ? time : base === 0n ? time : undefined;
}
