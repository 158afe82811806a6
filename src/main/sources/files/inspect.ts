import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fail, type Problem, ProblemError } from '../../../model/problem.ts';
import { CASE_DATABASE } from '../../../model/storage/case-storage.ts';
import {
  type DroppedPath,
  FileHead,
  type FoundFile,
  type FoundSource,
  type LeftOpen,
  type Source,
} from '../../../model/storage/source.ts';
import { capturedAt } from './captured-at.ts';
import { readHead } from './read-head.ts';
import { describeUnknown } from './unknown-format.ts';
import { archiveKind, type Member, NOT_REGULAR, type Scratch, unpack } from './unpack.ts';
import { unreadable } from './unreadable.ts';

/** Archives inside archives are opened this deep. */
const MAX_DEPTH = 4;
/** A folder with more files than this is not a recording but probably a whole disk. */
const MAX_FILES = 200_000;

export interface InspectRun {
  readonly sources: readonly Source[];
  readonly scratch: Scratch;
  /** Called for every inspected file. */
  onFile(path: string): void;
}

/**
 * Inspects all dropped paths, including folders and archives, and finds the format of each file. Files of a format that
 * consists of several files become one data source. Unknown or unreadable files are reported, never skipped.
 */
export async function inspect(dropped: readonly DroppedPath[], run: InspectRun): Promise<FoundSource[]> {
  const recognised = new Recognised(run.sources);
  for (const { path, name } of dropped) {
    recognised.nextDropped();
    try {
      for await (const file of filesOf(path, name)) {
        if (recognised.isFull) fail('folder.too_large', `more than ${MAX_FILES} files`, tooManyHint);
        await inspectMember(file, file.path === name, 0, run, recognised);
      }
    } catch (error) {
      recognised.problem(name, problemOf(error), true);
    }
    recognised.remarkLeftOut(name);
  }
  return recognised.list();
}

function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  const problem = unreadable(error);
  if (!problem) throw error;
  return problem;
}

/**
 * The file itself, or the regular files below a folder in a stable order. Links are not followed: they may lead
 * anywhere. An unreadable file inside a folder is reported in its place; the other files are still read.
 */
async function* filesOf(location: string, path: string): AsyncGenerator<Member> {
  const found = await stat(location);
  if (found.isFile()) {
    await refuseDatabase(location, path);
    yield { path, location, bytes: found.size, ...capturedAt(path, found.mtimeMs) };
    return;
  }
  if (!found.isDirectory()) fail('file.not_a_file', `${path} is neither a file nor a folder`, { place: path });
  const entries = await readdir(location, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const inside = `${path}/${entry.name}`;
    if (!entry.isFile() && !entry.isDirectory()) {
      yield { path: inside, problem: NOT_REGULAR };
      continue;
    }
    try {
      yield* filesOf(join(location, entry.name), inside);
    } catch (error) {
      yield { path: inside, problem: problemOf(error) };
    }
  }
}

/**
 * To open and close the database of a case that is open would end the lock that keeps other processes out of it (POSIX locks
 * belong to a process, not to who opened the file). @throws ProblemError import.a_case
 */
async function refuseDatabase(location: string, path: string): Promise<void> {
  if (basename(await realpath(location)) !== CASE_DATABASE) return;
  fail('import.a_case', `${path} is the database of a Faultline case, not a recording`, {
    hint: 'open the case itself: its folder NAME.faultline',
    place: path,
  });
}

/** Links that are reported by name. */
const MOST_LISTED_LINKS = 5;
const tooManyHint = { hint: 'drop the folder of the recording itself' };

async function inspectMember(
  file: Member,
  named: boolean,
  depth: number,
  run: InspectRun,
  recognised: Recognised,
): Promise<void> {
  run.onFile(file.path);
  if ('problem' in file && file.problem === NOT_REGULAR) return recognised.leaveOut(file.path);
  if ('problem' in file) return recognised.problem(file.path, file.problem, true);
  try {
    const head = new FileHead(await readHead(file.location));
    const archive = archiveKind(head.bytes);
    if (archive === undefined) return recognised.file(file, head, named);
    if (depth >= MAX_DEPTH) return recognised.problem(file.path, tooDeep(file.path), true);
    for await (const member of unpack(archive, file, run.scratch)) {
      if (recognised.isFull) return;
      await inspectMember(member, false, depth + 1, run, recognised);
    }
  } catch (error) {
    recognised.problem(file.path, problemOf(error), true);
  }
}

const tooDeep = (place: string): Problem => ({
  code: 'archive.too_deep',
  message: `archives lie more than ${MAX_DEPTH} deep in each other`,
  hint: 'unpack the outer ones and drop this one',
  place,
});

interface Group {
  readonly format: string;
  readonly name: string;
  readonly files: FoundFile[];
  /** What its files are within their tree; undefined: that is not known. */
  readonly parts: Set<string | undefined>;
  readonly dropped: number;
  readonly left_open: LeftOpen | undefined;
}

/** Groups files into sources as they come. */
class Recognised {
  private readonly sources: readonly Source[];
  private readonly groups = new Map<string, Group>();
  private readonly others: FoundSource[] = [];
  private count = 0;
  private dropped = 0;
  private leftOut: string[] = [];

  constructor(sources: readonly Source[]) {
    this.sources = sources;
  }

  get isFull(): boolean {
    return this.count >= MAX_FILES;
  }

  nextDropped(): void {
    this.dropped++;
    this.leftOut = [];
  }

  /** A link, pipe or device: trees of /sys have thousands of links, so they are reported together. */
  leaveOut(path: string): void {
    this.leftOut.push(path);
  }

  remarkLeftOut(name: string): void {
    const { length } = this.leftOut;
    if (length === 0) return;
    const some = this.leftOut.slice(0, MOST_LISTED_LINKS).join(', ');
    const what = length === 1 ? '1 link or special file is' : `${length} links and special files are`;
    const message = `${what} left out: ${some}${length > MOST_LISTED_LINKS ? ', …' : ''}`;
    this.problem(name, { ...NOT_REGULAR, message }, false);
  }

  file(file: FoundFile, head: FileHead, named: boolean): void {
    this.count++;
    const source = this.sources.find((one) => this.claims(one, file, head));
    if (!source) return this.unknown(file, head, named);
    const left_open = source.leftOpen?.(head, file.captured_ns);
    const { key, name, path } = (named ? treeAbove(source, file, head) : undefined) ?? this.place(source, file, head);
    const group = this.groups.get(key);
    const part = source.gather?.part?.(head);
    if (group) {
      group.files.push({ ...file, path });
      group.parts.add(part);
    } else
      this.groups.set(key, {
        format: source.id,
        name,
        files: [{ ...file, path }],
        parts: new Set([part]),
        dropped: this.dropped,
        left_open,
      });
  }

  /** Two drops, or two members of one archive, may share a name and are two files all the same. */
  private place(source: Source, { path }: FoundFile, head: FileHead): Place {
    const root = source.gather?.root(path, head);
    const key = root === undefined ? `${this.count}` : `${this.dropped}\n${source.id}\n${root}`;
    return { key, name: root || path, path };
  }

  private claims(source: Source, file: FoundFile, head: FileHead): boolean {
    return (head.bytes.length > 0 && source.detect(head)) || (source.gather?.owns?.(file.path) ?? false);
  }

  private unknown(file: FoundFile, head: FileHead, named: boolean): void {
    const empty = head.bytes.length === 0;
    const name = file.path.split('/').at(-1)!;
    const problem: Problem = empty
      ? { code: 'file.empty', message: `${name} is empty`, place: file.path }
      : {
          code: 'file.unknown_format',
          message: `${name} is in no format that Faultline knows`,
          place: file.path,
          ...this.hintFor(head, named),
        };
    this.others.push({ name: file.path, format: null, files: [file], named, problem });
  }

  /** What it looks like helps who named this very file; thousands of strangers in a folder must not each carry it. */
  private hintFor(head: FileHead, named: boolean): { readonly hint?: string } {
    const compressed = packed(head.bytes);
    if (compressed !== undefined) return { hint: compressed };
    return named ? { hint: describeUnknown(head, this.sources) } : {};
  }

  problem(name: string, problem: Problem, named: boolean): void {
    this.others.push({ name, format: null, files: [], named, problem });
  }

  /** As they were dropped, and by name within a folder or an archive; what could not be recognised last. */
  list(): FoundSource[] {
    const groups = [...this.groups.values()]
      .flatMap(ofOneTree)
      .sort((a, b) => a.dropped - b.dropped || (a.name < b.name ? -1 : 1));
    const found = groups.map(
      ({ format, name, files, left_open }): FoundSource => ({
        ...(left_open && { left_open }),
        name: files.length === 1 ? files[0]!.path : name,
        format,
        files: files.sort((a, b) => (a.path < b.path ? -1 : 1)),
        named: true,
      }),
    );
    return [...found, ...this.others];
  }
}

/** The group that a file belongs to, the group's name, and the file's path below the folder that holds the group. */
interface Place {
  readonly key: string;
  readonly name: string;
  readonly path: string;
}

/** Of a file that was named by itself but lies deep in a tree of its format: files of one tree are one source all the same. */
function treeAbove(source: Source, { location }: FoundFile, head: FileHead): Place | undefined {
  const place = resolve(location);
  const root = source.gather?.root(place, head);
  if (!root || basename(root) === '' || !dirname(place).startsWith(`${root}/`)) return undefined;
  return { key: `${source.id}\n${root}`, name: basename(root), path: relative(dirname(root), place) };
}

/** Files that are all the same part of a tree are of as many trees. */
function ofOneTree(group: Group): readonly Group[] {
  const [part] = group.parts;
  const isRepeated = group.files.length > 1 && group.parts.size === 1 && part !== undefined && part !== '';
  return isRepeated ? group.files.map((file) => ({ ...group, name: file.path, files: [file] })) : [group];
}

/** Compressions that are recognised only for a hint. */
function packed(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 6)).toString('latin1');
  if (start === '\xfd7zXZ\0') return 'it is compressed with xz: unpack it first (xz -d)';
  if (start.startsWith('BZh')) return 'it is compressed with bzip2: unpack it first (bzip2 -d)';
  if (start === "7z\xbc\xaf'\x1c") return 'it is a 7-Zip archive: unpack it first';
  if (start.startsWith('Rar!')) return 'it is a RAR archive: unpack it first';
  return undefined;
}
