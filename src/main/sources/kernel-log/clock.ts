import { fail } from '../../../model/problem.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import type { SourceInput } from '../../../model/storage/source.ts';
import { formatUtc, nanos, parseTime } from '../../../model/time.ts';
import { readLines } from '../bytes/lines.ts';
import { WallClocks } from '../log-record/wall-clocks.ts';
import { parseLine, type Stamp } from './line.ts';

/** Converts the stamps of one file into instants, with a remark for each assumption. */
export class LineClock {
  private readonly clocks: WallClocks;
  private readonly boot: { readonly ns: bigint; readonly stated: boolean };

  constructor(input: SourceInput, boot: { readonly ns: bigint; readonly stated: boolean }) {
    this.clocks = new WallClocks(input);
    this.boot = boot;
  }

  /** undefined: the line has no time. @throws ProblemError time.* for an impossible time */
  instant(stamp: Stamp, builder: BatchBuilder): bigint | undefined {
    switch (stamp.kind) {
      case 'instant':
        return parseTime(stamp.text);
      case 'uptime':
        this.remarkUptime(builder);
        return within64Bits(this.boot.ns + stamp.ns);
      case 'local':
        if (stamp.reckoned)
          builder.remark('times are reckoned from the time since boot (dmesg -T): they drift when a machine sleeps');
        return this.clocks.instant(stamp.clock, builder);
      case 'none':
        return undefined;
    }
  }

  private remarkUptime(builder: BatchBuilder): void {
    const at = formatUtc(nanos(this.boot.ns));
    builder.remark(
      this.boot.stated
        ? `times count from boot, which the log itself puts at ${at}`
        : `times count from boot: placed so that the last line falls on ${formatUtc(nanos(this.clocks.captured))} (${this.clocks.capturedFrom})`,
    );
  }
}

const within64Bits = (time: bigint): bigint =>
  BigInt.asIntN(64, time) === time ? time : fail('time.out_of_range', 'the time is out of range');

/** When the machine of this log booted: as a line states it, else so that the last line falls on the capture. */
export async function bootTime(input: SourceInput): Promise<{ readonly ns: bigint; readonly stated: boolean }> {
  const [file] = input.files;
  let last = 0n;
  if (!file) return { ns: 0n, stated: false };
  for await (const { text } of readLines(file.open())) {
    const { stamp, message } = parseLine(text);
    if (stamp.kind !== 'uptime') continue;
    if (stamp.ns > last) last = stamp.ns;
    const clock = readSystemClock(message);
    if (clock !== undefined) return { ns: clock - stamp.ns, stated: true };
  }
  return { ns: file.captured_ns - last, stated: false };
}

/** The wall clock that the kernel prints while it boots, ns: `setting system clock to 2024-05-01T10:00:00 UTC (1714557600)`. */
function readSystemClock(message: string): bigint | undefined {
  const match = /setting system clock to .*\((\d{9,10})\)/.exec(message);
  return match ? BigInt(match[1]!) * 1_000_000_000n : undefined;
}
