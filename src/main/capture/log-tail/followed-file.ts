import type { FileHandle } from 'node:fs/promises';
import { DETECT_BYTES } from '../../../model/storage/source.ts';
import type { WatchedFile } from '../watched-files/folder.ts';
import { isLog, type LogPiece, recordsEnd } from './log-format.ts';

/** Read in one turn, some milliseconds of this thread. */
const READ_BYTES = 256 * 1024;
const LONGEST_LINE = 1024 * 1024;
/** A record whose last line came waits for so many polls whether it goes on: a stack trace is written in one go. */
const MOST_WAITS = 2;
/** What a file begins with, by which it is seen that it was written anew. */
const COMPARED_BYTES = 1024;
const LINE_FEED = 0x0a;
const NOTHING: Buffer = Buffer.alloc(0);

/** A log that is followed; it knows its place while it is not open, too. */
export class FollowedFile {
  readonly id: string;
  name: string;
  handle: FileHandle | null = null;
  /** Polls in which nothing came after its name was gone. */
  gonePolls = 0;
  /** Lines that were too long since this was last set to 0. */
  longLines = 0;
  head = NOTHING;
  /** Bytes before it were read. */
  private position: number;
  /** Read and not handed out: a record that may go on, a line that has not ended. */
  private held = NOTHING;
  /** The line that is read began before the reading, or is too long. */
  private isSkipping: boolean;
  private waits = 0;

  /** @param position where the reading begins, which may be within a line */
  constructor({ id, name }: Pick<WatchedFile, 'id' | 'name'>, position: number) {
    this.id = id;
    this.name = name;
    // With the byte before it: a line end there means that a line begins at the position.
    this.position = Math.max(0, position - 1);
    this.isSkipping = position > 0;
  }

  /** Bytes before it were handed out, or left out. */
  get handedOut(): number {
    return this.position - this.held.length;
  }

  /** A last line without an end. */
  get hasOpenLine(): boolean {
    return this.held.length > 0 && this.held.at(-1) !== LINE_FEED;
  }

  /** Whether the content was replaced: it is shorter than what was read, or begins otherwise. @throws the system's error */
  async isAnew(): Promise<boolean> {
    const { size } = await this.handle!.stat();
    if (size < this.position) return true;
    const start = await this.readAt(0, Math.min(COMPARED_BYTES, this.head.length));
    return !start.equals(this.head.subarray(0, COMPARED_BYTES));
  }

  /** The new content is read from its start; what is left of the old one is a line that has not ended. */
  beginAnew(): void {
    this.held = NOTHING;
    this.head = NOTHING;
    this.position = 0;
    this.isSkipping = false;
  }

  /** Reads what came. @returns bytes; 0: nothing came @throws the system's error */
  async readMore(): Promise<number> {
    const { size } = await this.handle!.stat();
    if (this.head.length < Math.min(size, DETECT_BYTES)) this.head = await this.readAt(0, Math.min(size, DETECT_BYTES));
    const came = await this.readAt(this.position, Math.min(READ_BYTES, size - this.position));
    this.position += came.length;
    this.held = this.skipped(this.held.length === 0 ? came : Buffer.concat([this.held, came]));
    return came.length;
  }

  /** Bytes that were there and were not read; 0 where it is not open. @throws the system's error */
  async unread(): Promise<number> {
    const size = (await this.handle?.stat())?.size ?? 0;
    return Math.max(0, size - this.position);
  }

  /** Records that are complete. */
  takeRecords(): LogPiece | null {
    const lines = this.wholeLines();
    if (lines === 0) return null;
    const isOver = ++this.waits > MOST_WAITS;
    return this.handOut(isOver ? lines : recordsEnd(this.held.subarray(0, lines), this.head));
  }

  /** All lines: nothing came for a while, so that the last record is complete. */
  takeLines(): LogPiece | null {
    return this.handOut(this.wholeLines());
  }

  /** Whether it looks like a log; undefined while there is no line yet. */
  get isLog(): boolean | undefined {
    return this.head.length === 0 ? undefined : isLog(this.head);
  }

  async close(): Promise<void> {
    await this.handle?.close();
    this.handle = null;
  }

  private handOut(end: number): LogPiece | null {
    if (end <= 0) return null;
    this.waits = 0;
    const piece = {
      name: this.name,
      bytes: this.held.subarray(0, end),
      offset: this.handedOut,
      head: this.head,
    };
    this.held = this.held.subarray(end);
    return piece;
  }

  private wholeLines(): number {
    return this.held.lastIndexOf(LINE_FEED) + 1;
  }

  /** Leaves out the line that is skipped; one that grows too long is skipped from here on. */
  private skipped(held: Buffer): Buffer {
    let rest = held;
    if (this.isSkipping) {
      const end = rest.indexOf(LINE_FEED);
      this.isSkipping = end < 0;
      rest = end < 0 ? NOTHING : rest.subarray(end + 1);
    }
    const open = rest.length - (rest.lastIndexOf(LINE_FEED) + 1);
    if (open <= LONGEST_LINE) return rest;
    this.isSkipping = true;
    this.longLines++;
    return rest.subarray(0, rest.length - open);
  }

  private async readAt(position: number, length: number): Promise<Buffer> {
    if (length <= 0) return NOTHING;
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await this.handle!.read(buffer, 0, length, position);
    return buffer.subarray(0, bytesRead);
  }
}
