import { closeSync, constants, openSync, readSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { errorCode } from '../../../base/error-code.ts';
import { fail, ProblemError } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { rowCount } from '../../../model/rows/rows.ts';
import type { Feed, FeedCheck, FeedSink } from '../../../model/storage/feed.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { LineWriter } from '../../sources/kernel-log/writer.ts';
import type { FeedKind } from '../feed-kind.ts';
import { reportChangesOnly } from '../feed-state.ts';
import { localPathSchema } from '../plan/local-path.ts';
import { BootClock } from './boot-clock.ts';
import { type KernelRecord, RecordReader } from './record.ts';

export const kernelLogPlanSchema = z
  .strictObject({
    kind: z.literal('kernel-log'),
    name: z.string().min(1).max(200).default('Kernel log').describe('name of its data source'),
    /** The kernel's ring buffer, or a pipe with the same records. */
    path: localPathSchema.default('/dev/kmsg'),
    /** Whether to read messages from before the capture. */
    history: z.boolean().default(true).describe('also read messages from before the capture'),
    every_s: z.number().min(0.05).max(60).default(0.5).describe('read interval in seconds'),
    /** Name of this machine; null: its host name. */
    host: z.string().min(1).max(200).nullable().default(null).describe('name of this machine; null: its host name'),
  })
  .meta({ title: 'Kernel log', description: 'messages of the kernel of this machine: Xids, machine checks, links' });
type KernelLogPlan = z.output<typeof kernelLogPlanSchema>;

/** Larger than any record: reads into a smaller buffer fail. */
const READ_BYTES = 64 * 1024;
/** Records per turn, some milliseconds, so that other work does not wait. */
const MOST_AT_ONCE = 1000;

/** The kernel log as it is written: Xids, machine checks, links. It uses the decoder of log files. */
export const kernelLogFeed: FeedKind<typeof kernelLogPlanSchema> = {
  kind: 'kernel-log',
  plan: kernelLogPlanSchema,
  open: (plan): Feed => ({
    name: plan.name,
    format: 'kernel-log-live',
    stampedBy: 'here',
    about: plan.path,
    async run(sink, signal) {
      const ring = openRing(plan.path);
      try {
        await new Following(plan, ring, sink).run(signal);
      } finally {
        closeSync(ring);
      }
    },
  }),
  test,
};

/** @throws ProblemError feed.no_kernel_log */
function openRing(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = errorCode(error);
    const isForbidden = code === 'EACCES' || code === 'EPERM';
    return fail('feed.no_kernel_log', `${path} cannot be read: ${isForbidden ? 'permission denied' : code}`, {
      hint: isForbidden
        ? 'the kernel shows its log to root and to programs with CAP_SYSLOG only, or to all with kernel.dmesg_restrict=0'
        : 'only Linux has one, and some containers lack it; logs of journald or dmesg can be imported',
      place: path,
    });
  }
}

class Following {
  private readonly plan: KernelLogPlan;
  private readonly ring: number;
  private readonly sink: FeedSink;
  private readonly builder = new BatchBuilder();
  private readonly clock = new BootClock();
  private readonly reader = new RecordReader();
  private readonly buffer = Buffer.alloc(READ_BYTES);
  private readonly host: string;
  private writer: LineWriter;
  private next: number | undefined;
  private isHistory = true;

  constructor(plan: KernelLogPlan, ring: number, sink: FeedSink) {
    this.plan = plan;
    this.ring = ring;
    this.sink = sink;
    this.host = plan.host ?? hostname();
    this.writer = new LineWriter(this.builder);
  }

  async run(signal: AbortSignal): Promise<void> {
    const reportState = reportChangesOnly(this.sink);
    while (!signal.aborted) {
      const outcome = this.readSome();
      if (typeof outcome === 'string') reportState('up', `reading ${this.plan.path}`);
      else reportState('down', `${this.plan.path} cannot be read: ${outcome.code}`);
      await this.deliver(signal);
      // Yield even if there is more to read.
      await setTimeout(outcome === 'more' ? 0 : this.plan.every_s * 1000, undefined, { signal }).catch(() => undefined);
    }
  }

  private readSome(): 'more' | 'quiet' | { readonly code: string } {
    for (let count = 0; count < MOST_AT_ONCE; count++) {
      let bytes = 0;
      try {
        bytes = readSync(this.ring, this.buffer);
      } catch (error) {
        const code = errorCode(error);
        // The next record was overwritten; the gap in the sequence numbers gives the count.
        if (code === 'EPIPE') continue;
        if (code !== 'EAGAIN') return { code };
      }
      if (bytes === 0) {
        this.append(this.reader.end());
        this.reportHistory();
        this.clock.isQuiet();
        return 'quiet';
      }
      this.append(this.reader.read(this.buffer.subarray(0, bytes)));
    }
    return 'more';
  }

  private append(records: readonly KernelRecord[]): void {
    for (const record of records) {
      this.count(record);
      if (this.isHistory && !this.plan.history) continue;
      this.writer.append({
        time_ns: this.clock.timeOf(record.uptime_ns),
        host: this.host,
        program: record.isKernel
          ? 'kernel'
          : (/^([\w.@-]{1,64})(?:\[\d+\])?: /.exec(record.message)?.[1] ?? 'user space'),
        level: record.level,
        message: record.message,
        raw: record.raw,
        attributes: record.properties,
      });
    }
  }

  private count({ sequence }: KernelRecord): void {
    const missing = this.next === undefined ? 0 : sequence - this.next;
    if (this.next === undefined && sequence > 0)
      this.builder.remark(`the kernel had overwritten ${sequence} messages before the capture began`);
    // Lower numbers come from another boot, through a pipe.
    if (missing > 0) this.sink.lost(missing, 'the kernel overwrote messages before they were read');
    this.next = sequence + 1;
  }

  private reportHistory(): void {
    if (!this.isHistory) return;
    this.isHistory = false;
    const boot = formatUtc(nanos(this.clock.boot_ns));
    this.builder.remark(
      `times count from boot at ${boot} by this machine's clock; messages during the capture are accurate to ${this.plan.every_s} s`,
    );
  }

  /** If there is no room it stops reading; the kernel's ring keeps messages for a while. */
  private async deliver(signal: AbortSignal): Promise<void> {
    if (this.reader.unparsedLines > 0) this.builder.remark('lines that are no kernel records were left out');
    this.reader.unparsedLines = 0;
    const batch = this.builder.finish(0);
    if (rowCount(batch) === 0 && batch.remarks.length === 0) return;
    while (!this.sink.take([batch])) {
      if (signal.aborted) return this.sink.lost(rowCount(batch), 'the capture ended before the rows were written');
      await setTimeout(this.plan.every_s * 1000, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function* test(plan: KernelLogPlan): AsyncGenerator<FeedCheck> {
  let ring: number;
  try {
    ring = openRing(plan.path);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { hint, message } = error.problem;
    yield { step: 'view', passed: false, detail: message, ...(hint && { hint }) };
    return;
  }
  try {
    yield { step: 'view', passed: true, detail: `${plan.path} can be read` };
    const reader = new RecordReader();
    const buffer = Buffer.alloc(READ_BYTES);
    let records = 0;
    for (let count = 0; count < MOST_AT_ONCE; count++) {
      const bytes = readOnce(ring, buffer);
      if (bytes === 0) break;
      records += reader.read(buffer.subarray(0, bytes)).length;
    }
    records += reader.end().length;
    const passed = records > 0 || reader.unparsedLines === 0;
    yield {
      step: 'values',
      passed,
      detail: passed ? `it has ${records} messages` : 'it has no kernel records',
    };
  } finally {
    closeSync(ring);
  }
}

function readOnce(ring: number, buffer: Buffer): number {
  try {
    return readSync(ring, buffer);
  } catch (error) {
    if (errorCode(error) === 'EPIPE') return readOnce(ring, buffer);
    return 0;
  }
}
