import { createHash } from 'node:crypto';
import { ProblemError } from '../../../model/problem.ts';
import { nanos } from '../../../model/time.ts';
import { readDump } from '../../sources/flight-recorder/dump.ts';
import type { Dump } from '../../sources/flight-recorder/format.ts';
import { asFiles } from '../plan/as-files.ts';
import { leftOutText, listFolder, openWatched, type WatchedFile, withCode } from '../watched-files/folder.ts';
import type { FlightRecorderPlan } from './plan.ts';

/** While dumps are still being written, complete ones wait for so many polls: the ranks of a job are read together. */
const MOST_WAITS = 6;
const MIB = 1024 * 1024;

/** A complete dump, or why a file is none. */
export type ReadFile = { readonly file: WatchedFile } & ({ readonly dump: Dump } | { readonly reason: string });

/** The dumps in a folder; each version of a file is read once, when it is complete. */
export class DumpFolder {
  private readonly plan: FlightRecorderPlan;
  /** Versions of files at the last poll, by name. */
  private last = new Map<string, string>();
  /** Versions that were read, by name, and why they are no dump. */
  private readonly read = new Map<
    string,
    { readonly version: string; readonly digest: string; readonly reason: string }
  >();
  private waits = 0;
  private leftOut: ReadonlyMap<string, number> = new Map();

  constructor(plan: FlightRecorderPlan) {
    this.plan = plan;
  }

  /** Files that are complete and not read: no more than one poll changes them. @throws the system's error */
  async complete(): Promise<readonly WatchedFile[]> {
    const { folder, files: pattern, most_files } = this.plan;
    const { files, leftOut } = await listFolder(folder, pattern, most_files);
    const before = this.last;
    this.last = new Map(files.map((file) => [file.name, versionOf(file)]));
    this.leftOut = leftOut;
    for (const name of this.read.keys()) if (!this.last.has(name)) this.read.delete(name);
    const fresh = files.filter((file) => this.read.get(file.name)?.version !== versionOf(file));
    const stable = fresh.filter((file) => before.get(file.name) === versionOf(file));
    this.waits = stable.length < fresh.length ? this.waits + 1 : 0;
    if (this.waits > 0 && this.waits < MOST_WAITS) return [];
    this.waits = 0;
    // What is written again shows first whether the job started again.
    return stable.toSorted((a, b) => Number(this.read.has(b.name)) - Number(this.read.has(a.name)));
  }

  /** null: it was written meanwhile, or its content was read already. */
  async open(file: WatchedFile): Promise<ReadFile | null> {
    if (file.bytes > this.plan.most_mb * MIB) return this.note(file, '', `larger than ${this.plan.most_mb} MiB`);
    let bytes: Buffer | null;
    try {
      bytes = await wholeVersion(file);
    } catch (error) {
      return this.note(file, '', withCode(error));
    }
    if (bytes === null) return null;
    const digest = createHash('sha256').update(bytes).digest('base64');
    const known = this.read.get(file.name);
    if (known?.digest === digest) {
      this.read.set(file.name, { ...known, version: versionOf(file) });
      return null;
    }
    const [content] = asFiles({ name: file.name, bodies: [bytes], requestedAt: nanos(0n), device: null }).files;
    try {
      const dump = await readDump(content!);
      this.note(file, digest, '');
      return { file, dump };
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const { message, code } = error.problem;
      this.note(file, digest, 'no dump');
      return { file, reason: `${message} [${code}]` };
    }
  }

  /** It was not stored: it is read again at the next poll. */
  forget({ name }: WatchedFile): void {
    this.read.delete(name);
  }

  /** `; left out: 1 no dump, 2 permission denied`; '' for nothing. */
  get leftOutText(): string {
    const all = new Map(this.leftOut);
    for (const { reason } of this.read.values()) if (reason !== '') all.set(reason, (all.get(reason) ?? 0) + 1);
    return leftOutText(all);
  }

  private note(file: WatchedFile, digest: string, reason: string): ReadFile {
    this.read.set(file.name, { version: versionOf(file), digest, reason });
    return { file, reason: `${file.name}: ${reason}` };
  }
}

const versionOf = ({ id, bytes, modified_ms }: WatchedFile): string => `${id} ${bytes} ${modified_ms}`;

/** The bytes of a file as it was listed; null if it was written since. @throws the system's error */
async function wholeVersion(file: WatchedFile): Promise<Buffer | null> {
  const handle = await openWatched(file);
  if (!handle) return null;
  try {
    const bytes = Buffer.alloc(file.bytes);
    let read = 0;
    while (read < bytes.length) {
      const { bytesRead } = await handle.read(bytes, read, bytes.length - read, read);
      if (bytesRead === 0) return null;
      read += bytesRead;
    }
    const { size, mtimeMs } = await handle.stat();
    return size === file.bytes && mtimeMs === file.modified_ms ? bytes : null;
  } finally {
    await handle.close();
  }
}
