import { withEither } from '../../../base/with-either.ts';
import type { CaptureEvent } from '../../../model/contract/index.ts';
import { type Problem, ProblemError } from '../../../model/problem.ts';
import { type RowBatch, rowCount } from '../../../model/rows/rows.ts';
import type { ClockStep, Feed, FeedSink } from '../../../model/storage/feed.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { lengthText } from '../../store/live/live-source.ts';
import type { LiveWriter } from '../../store/live/live-writer.ts';
import { BurstRing } from './burst-ring.ts';

/** Rows that may wait to be written: about 100 MB of spans. More rows are refused, so that the sender waits. */
const MOST_WAITING = 200_000;
/** Up to here senders may send; the rest is for rows already being sent. */
const ROOM_UNTIL = 150_000;
/** A feed with fewer waiting rows is always accepted, so that a large one does not block the others. */
const OWN_ROOM = 5000;
/** Names of series are held in memory: a label that is new at every poll would fill it, and end the feeds beside it. */
const MOST_SERIES = 300_000;
/** So many rows are written at once, whatever the time. */
const MANY_WAITING = 50_000;

interface CaptureContext {
  /** By this machine's clock; clock changes have been reported to every feed. */
  now(): bigint;
  /** Much waits to be written. */
  hurry(): void;
  emit(event: CaptureEvent): void;
}

const BUSY = "Faultline's own process had no time for it";

/** Rows of a feed that are not on disk yet. */
export interface Unwritten {
  readonly name: string;
  readonly rows: number;
}

/** A bug in one feed must not lose the rows of others. */
const broken = (error: unknown): Problem => ({
  code: 'feed.broken',
  message: `the feed failed by a mistake of Faultline's: ${error instanceof Error ? error.message : String(error)}`,
  hint: 'the other feeds continue; please report this',
});

/** One feed and the source that its rows become. One that fails ends alone. */
export class RunningFeed implements FeedSink {
  private readonly feed: Feed;
  private readonly writer: LiveWriter;
  private readonly around: CaptureContext;
  private readonly place: number;
  private rows = 0;
  private lostRecords = 0;
  private isUp = false;
  /** How far this machine's clock was ahead at the start, if it has been set back since. */
  private ahead_ns = 0n;
  /** From the device's clock to the one that this machine's rows are stamped by. */
  private measured = { offset_ns: 0n, uncertainty_ns: 0n };
  private problem: Problem | null = null;
  private downSince: bigint | null = null;
  /** When rows were last taken. */
  private taken_ns: bigint;
  /** Rows were refused since then; `lost`: why they are lost, '' while they may be sent again. */
  private refused: { readonly since_ns: bigint; readonly lost: string } | null = null;
  private readonly ring: BurstRing | null;
  /** Ends this feed alone. */
  private readonly overflow = new AbortController();

  constructor(feed: Feed, writer: LiveWriter, around: CaptureContext) {
    this.feed = feed;
    this.writer = writer;
    this.around = around;
    this.ring = feed.burst ? new BurstRing(feed.burst) : null;
    this.taken_ns = around.now();
    const source = { name: feed.name, format: feed.format, imported_at_ns: around.now() };
    const isTheirs = feed.stampedBy === 'sender';
    this.place = writer.add({ ...source, clock_offset_ns: 0n, clock_uncertainty_ns: 0n }, isTheirs);
  }

  /** The sample buffer uses the clock of the samples, which is never set back. */
  private get steady_ns(): bigint {
    return this.around.now() + this.ahead_ns;
  }

  get progress() {
    return { ...this.counts, up: this.isUp };
  }

  get counts() {
    return { name: this.feed.name, rows: this.rows, lost: this.lostRecords };
  }

  /** Without rows received during the write, which a kill would lose. */
  get written() {
    return { ...this.counts, rows: this.rows - this.writer.waitingOf(this.place) };
  }

  get unwritten(): Unwritten {
    return { name: this.feed.name, rows: this.writer.unwrittenOf(this.place) };
  }

  get outcome() {
    return { name: this.feed.name, rows: this.rows, lost: this.lostRecords, problem: this.problem };
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      await withEither([signal, this.overflow.signal], (either) => this.feed.run(this, either));
    } catch (error) {
      this.problem = error instanceof ProblemError ? error.problem : broken(error);
      this.reportState('down', this.problem.message);
    }
  }

  canWrite(): boolean {
    return !this.writer.isBlocked;
  }

  hasRoom(): boolean {
    return this.canWrite() && (this.writer.waiting < ROOM_UNTIL || this.hasOwnRoom);
  }

  private hasOverflowed(): boolean {
    if (this.overflow.signal.aborted) return true;
    if (this.writer.seriesOf(this.place) <= MOST_SERIES) return false;
    const message = `it sent more than ${MOST_SERIES} series: a label seems to be new each time. The feed was stopped, the others continue`;
    this.problem = { code: 'feed.too_many_series', message, hint: 'remove that label at its source' };
    this.reportState('down', message);
    this.overflow.abort(new Error('too many series'));
    return true;
  }

  private get hasOwnRoom(): boolean {
    return this.writer.waitingOf(this.place) < OWN_ROOM;
  }

  take(batches: readonly RowBatch[]): boolean {
    const now = this.around.now();
    if (this.hasOverflowed()) return false;
    if (this.writer.waiting >= MOST_WAITING && !this.hasOwnRoom) {
      this.refused ??= { since_ns: this.taken_ns, lost: '' };
      return false;
    }
    if (this.refused && this.refused.lost !== '')
      this.writer.gap(this.place, this.refused.since_ns, now, this.refused.lost);
    this.refused = null;
    this.taken_ns = now;
    for (const batch of batches) this.append(this.ring ? this.ring.take(batch, this.steady_ns) : batch);
    if (this.ring?.isShort)
      this.writer.remark(
        this.place,
        'more samples than the trigger buffer holds: a shorter time before triggers is kept',
      );
    return true;
  }

  private append(batch: RowBatch): void {
    this.rows += rowCount(batch);
    this.writer.append(this.place, batch);
    if (this.writer.waiting >= MANY_WAITING) this.around.hurry();
  }

  /** A trigger: the buffer is written, and all samples for a while. */
  trigger(): void {
    for (const batch of this.ring?.trigger(this.steady_ns) ?? []) this.append(batch);
  }

  reportState(state: 'up' | 'down', reason: string, silent_ms = 0): void {
    const at_ns = this.around.now();
    const since_ns = at_ns - BigInt(Math.round(silent_ms * 1e6));
    this.isUp = state === 'up';
    this.around.emit({ kind: 'feed', feed: this.feed.name, state, reason, about: this.feed.about, at_ns });
    if (state === 'down') this.writer.down(this.place, since_ns, reason);
    else this.writer.received(this.place, at_ns);
    const time = formatUtc(nanos(state === 'down' ? since_ns : at_ns));
    if (state === 'down' && this.downSince === null) {
      this.downSince = since_ns;
      this.writer.remark(this.place, `nothing was received from ${time} on: ${reason}`);
    } else if (state === 'up' && this.downSince !== null) {
      this.writer.remark(this.place, `received again from ${time} on, after ${formatUtc(nanos(this.downSince))}`);
      this.downSince = null;
    }
  }

  clock(offset_ns: bigint, uncertainty_ns: bigint): void {
    this.measured = { offset_ns, uncertainty_ns };
    this.applyClock();
  }

  /** Timestamps of senders do not depend on this machine's clock. */
  private applyClock(): void {
    const ahead_ns = this.feed.stampedBy === 'sender' ? 0n : this.ahead_ns;
    this.writer.clock(this.place, this.measured.offset_ns - ahead_ns, this.measured.uncertainty_ns);
  }

  /** Rows stay in order: a step forward is a gap; after a step back all rows stamped here move to the new clock. */
  clockWasSet({ from_ns, to_ns, slept }: ClockStep): void {
    const time = formatUtc(nanos(to_ns));
    if (to_ns > from_ns) {
      const reason = `this machine's clock was set forward by ${lengthText(to_ns - from_ns)}, or it slept`;
      // Clocks of senders went on as they were.
      const isGap = slept || this.feed.stampedBy !== 'sender';
      if (isGap) this.writer.gap(this.place, from_ns, to_ns, reason);
      this.writer.remark(
        this.place,
        `${reason}, until ${time}${isGap ? '' : ': timestamps of its records are unchanged'}`,
      );
      return;
    }
    const by_ns = from_ns - to_ns;
    this.ahead_ns += by_ns;
    this.taken_ns -= by_ns;
    if (this.downSince !== null) this.downSince -= by_ns;
    if (this.refused) this.refused = { ...this.refused, since_ns: this.refused.since_ns - by_ns };
    this.writer.setBack(this.place, by_ns);
    if (this.feed.stampedBy !== 'sender') this.applyClock();
    const effect =
      this.feed.stampedBy === 'sender'
        ? 'timestamps of its records are unchanged; earlier records without a timestamp have the wrong clock'
        : 'earlier records were moved to the new clock';
    this.writer.remark(this.place, `this machine's clock was set back by ${lengthText(by_ns)} at ${time}: ${effect}`);
  }

  /** It is not polled any more: an outage is only known to last until now. */
  close(): void {
    this.writer.received(this.place, this.around.now());
  }

  missed(late_ms: number): void {
    const until_ns = this.around.now();
    const from_ns = until_ns - BigInt(Math.round(late_ms * 1e6));
    this.writer.gap(this.place, from_ns, until_ns, BUSY);
  }

  /** Refused rows that are not sent again are missing between the last accepted rows and the next. */
  lost(records: number, reason: string): void {
    this.lostRecords += records;
    if (this.refused) this.refused = { ...this.refused, lost: `rows were lost: ${reason}` };
    this.writer.remark(this.place, `records were lost: ${reason}`);
  }
}
