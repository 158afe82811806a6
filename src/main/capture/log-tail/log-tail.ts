import { setImmediate, setTimeout } from 'node:timers/promises';
import { errorCode } from '../../../base/error-code.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { type RowBatch, rowCount } from '../../../model/rows/rows.ts';
import type { FeedSink } from '../../../model/storage/feed.ts';
import { reportChangesOnly } from '../feed-state.ts';
import { PollSchedule } from '../poll-schedule.ts';
import {
  isSystemError,
  leftOutText,
  listFolder,
  openWatched,
  type WatchedFile,
  withCode,
} from '../watched-files/folder.ts';
import { FollowedFile } from './followed-file.ts';
import { type LogPiece, rowsOfPiece } from './log-format.ts';
import type { LogTailPlan } from './plan.ts';

const MIB = 1024 * 1024;
const FULL_MS = 200;
/** Of one file in one poll, so that the others have their turn. */
const MOST_TURNS = 16;
/** A log that was renamed is read on for so many polls without a line: its program opens the new one late. */
const MOST_GONE_POLLS = 30;
/** Logs that were emptied after they had been copied, by which their copies are known. */
const MOST_FORMER = 64;
/** Shorter beginnings are alike by chance. */
const LEAST_COMPARED = 64;

/** Content of a log before it was emptied. */
interface Former {
  readonly head: Buffer;
  readonly position: number;
}

/** Follows the logs of one folder; it knows its places when it is run again. */
export class LogTail {
  private readonly plan: LogTailPlan;
  private readonly files = new Map<string, FollowedFile>();
  private readonly former: Former[] = [];
  private readonly remarks = new Set<string>();
  /** Files that are there when the capture begins are not read from their start. */
  private hasBegun = false;
  /** More was there than one poll reads of a file. */
  private isBehind = false;

  constructor(plan: LogTailPlan) {
    this.plan = plan;
  }

  async run(sink: FeedSink, signal: AbortSignal): Promise<void> {
    const reportState = reportChangesOnly(sink);
    const schedule = new PollSchedule();
    try {
      while (!signal.aborted) {
        try {
          const leftOut = await this.poll(sink, signal);
          const followed = this.files.size === 0 ? `no ${this.plan.files} in ${this.plan.folder} yet` : '';
          reportState('up', `${followed || `${this.files.size} files`}${leftOutText(leftOut)}`);
        } catch (error) {
          if (!isSystemError(error)) throw error;
          // Its files appear during the capture.
          if (errorCode(error) === 'ENOENT') this.hasBegun = true;
          reportState('down', `${this.plan.folder} ${withCode(error)}`);
        }
        const pause_ms = this.isBehind ? 0 : this.plan.every_s * 1000;
        this.isBehind = false;
        await schedule.rest(pause_ms, signal, (late_ms) => sink.missed?.(late_ms));
      }
      await this.end(sink, signal);
    } finally {
      for (const file of this.files.values()) await file.close();
    }
  }

  private async poll(sink: FeedSink, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    const { folder, files: pattern, most_files } = this.plan;
    const listing = await listFolder(folder, pattern, most_files);
    const leftOut = new Map(listing.leftOut);
    const leave = (reason: string): void => {
      if (reason !== '') leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
    };
    const listed = new Map(listing.files.map((file) => [file.id, file]));
    for (const file of [...this.files.values()])
      leave(await reasonOf(() => this.follow(file, listed.get(file.id), sink, signal)));
    for (const file of listed.values()) {
      if (signal.aborted || this.files.has(file.id)) continue;
      leave(await reasonOf(() => this.begin(file)));
      const begun = this.files.get(file.id);
      if (begun) leave(await reasonOf(() => this.follow(begun, file, sink, signal)));
    }
    this.hasBegun = true;
    return leftOut;
  }

  /** @returns why it is not followed; '': it is @throws the system's error */
  private async begin(listed: WatchedFile): Promise<string> {
    const start = this.hasBegun ? 0 : Math.max(0, listed.bytes - Math.floor(this.plan.before_mb * MIB));
    const probe = new FollowedFile(listed, 0);
    try {
      probe.handle = await openWatched(listed);
      if (!probe.handle) return '';
      await probe.readMore();
    } finally {
      await probe.close();
    }
    const { head, isLog } = probe;
    if (isLog === false) return 'compressed or binary';
    if (this.isCopy(head)) return 'copies of a followed file';
    this.files.set(listed.id, new FollowedFile(listed, this.positionOfCopy(head) ?? start));
    return '';
  }

  /** A file that is being copied before it is emptied. */
  private isCopy(head: Buffer): boolean {
    return this.hasBegun && [...this.files.values()].some((file) => isSameStart(file.head, head));
  }

  /** Of the copy of a log that was emptied since: what was read of it is read. */
  private positionOfCopy(head: Buffer): number | undefined {
    const place = this.former.findIndex((one) => isSameStart(one.head, head));
    return place < 0 ? undefined : this.former.splice(place, 1)[0]!.position;
  }

  /** Reads what came; `listed` undefined: its name is gone. */
  private async follow(
    file: FollowedFile,
    listed: WatchedFile | undefined,
    sink: FeedSink,
    signal: AbortSignal,
  ): Promise<void> {
    if (listed) file.name = listed.name;
    file.handle ??= listed ? await openWatched(listed) : null;
    if (!file.handle) {
      if (!listed) this.files.delete(file.id);
      return;
    }
    if (await file.isAnew()) {
      await this.deliver(file.takeLines(), sink, signal);
      this.former.push({ head: file.head, position: file.handedOut });
      if (this.former.length > MOST_FORMER) this.former.shift();
      file.beginAnew();
    }
    const isQuiet = !(await this.readTurns(file, sink, signal));
    if (isQuiet && !signal.aborted) await this.deliver(file.takeLines(), sink, signal);
    file.gonePolls = listed || !isQuiet ? 0 : file.gonePolls + 1;
    if (file.gonePolls <= MOST_GONE_POLLS) return;
    await file.close();
    this.files.delete(file.id);
  }

  /** @returns whether anything came */
  private async readTurns(file: FollowedFile, sink: FeedSink, signal: AbortSignal): Promise<boolean> {
    for (let turn = 0; turn < MOST_TURNS && !signal.aborted; turn++) {
      if ((await file.readMore()) === 0) return turn > 0;
      await this.deliver(file.takeRecords(), sink, signal);
      if (file.longLines > 0) sink.lost(file.longLines, `lines of ${file.name} are longer than 1 MiB`);
      file.longLines = 0;
      // Polls of other feeds have their turn.
      await setImmediate();
    }
    this.isBehind = true;
    return true;
  }

  /** What was read and might have gone on; a line without an end stays out. */
  private async end(sink: FeedSink, signal: AbortSignal): Promise<void> {
    const builder = new BatchBuilder();
    for (const file of this.files.values()) {
      await this.deliver(file.takeLines(), sink, signal);
      const unread = await file.unread().catch(() => 0);
      if (unread > 0) builder.remark(`${file.name}: ${unread} bytes had not been read when the capture ended`);
      else if (file.hasOpenLine) sink.lost(1, `the last line of ${file.name} had not ended with the capture`);
    }
    sink.take([builder.finish(0)]);
  }

  /** Waits while there is no room: the files are the buffer. */
  private async deliver(piece: LogPiece | null, sink: FeedSink, signal: AbortSignal): Promise<void> {
    if (!piece) return;
    for await (const batch of rowsOfPiece(piece, this.plan)) {
      const once = this.withNewRemarks(batch);
      if (rowCount(once) === 0 && once.remarks.length === 0) continue;
      while (!sink.take([once])) {
        if (signal.aborted) return sink.lost(rowCount(once), 'the capture ended before the rows were written');
        await setTimeout(FULL_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Remarks of pieces differ in their times only. */
  private withNewRemarks(batch: RowBatch): RowBatch {
    const fresh = batch.remarks.filter((remark) => {
      const kind = remark.replace(/\d+/g, '#');
      const isKnown = this.remarks.has(kind);
      this.remarks.add(kind);
      return !isKnown;
    });
    return { ...batch, remarks: fresh };
  }
}

/** What one file fails with must not end the others. @returns why it cannot be read; '': it can */
async function reasonOf(work: () => Promise<unknown>): Promise<string> {
  try {
    const reason = await work();
    return typeof reason === 'string' ? reason : '';
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return withCode(error);
  }
}

function isSameStart(one: Buffer, other: Buffer): boolean {
  const length = Math.min(one.length, other.length);
  return length >= LEAST_COMPARED && one.subarray(0, length).equals(other.subarray(0, length));
}
