import { access, constants, copyFile, link, mkdir, readdir, realpath, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { errorCode } from '../../base/error-code.ts';
import { fail, ProblemError } from '../../model/problem.ts';
import {
  CASE_DATABASE,
  type CaseStorage,
  isOlderDatabase,
  olderDatabase,
  type RecentCase,
  type StoredCase,
} from '../../model/storage/case-storage.ts';
import { caseSummarySchema } from '../../model/storage/case-summary.ts';
import type { Engine } from '../../model/storage/engine.ts';
import type { StartProcess } from '../../model/storage/statement-process.ts';
import { isScratch, scratchFileFor, scratchName, sweepScratch } from '../disk/scratch-folder.ts';
import { syncFolder } from '../disk/write-whole.ts';
import { bundleMark, removeMark } from './bundle-mark.ts';
import { copyCase } from './case-copy.ts';
import { isClaimed } from './claim-database.ts';
import { withIsolatedStatements } from './isolated-statements.ts';
import { knownQueries } from './known-queries.ts';
import { openNativeEngine } from './native-engine.ts';
import { recentCases, recentId } from './recent-cases.ts';
import { salvageCase } from './salvage-case.ts';

const SUFFIX = '.faultline';
const ATTACHMENTS = 'attachments';

/**
 * Cases as `NAME.faultline/` folders; new ones and the list of recent ones live under `root`.
 * @param start how a process for statements of people is started; left out: they run in this one
 */
export function caseFolders(root: string, start?: StartProcess): CaseStorage {
  const recent = recentCases(join(root, 'recent.json'));
  /** By real path. */
  const inUse = new Map<string, StoredCase>();
  let swept: Promise<void> | undefined;
  /** Half of a case that a killed process was making is a copy of evidence. */
  const sweep = (): Promise<void> => (swept ??= sweepScratch(root));
  /** From now on it is answered again until it is closed. */
  const retainOpen = (stored: StoredCase): StoredCase => {
    const { engine } = stored;
    const own = start ? withIsolatedStatements(engine, join(stored.path, CASE_DATABASE), start) : engine;
    const close = (): Promise<void> => {
      if (inUse.get(stored.path) === tracked) inUse.delete(stored.path);
      return own.close();
    };
    const { keepOlder } = stored;
    const tracked = {
      ...stored,
      engine: { ...own, close },
      ...(keepOlder && { keepOlder: async (schema: number) => retainOpen(await keepOlder(schema)) }),
    };
    inUse.set(stored.path, tracked);
    return tracked;
  };
  const open = async (folder: string): Promise<StoredCase> => {
    await sweep();
    const path = await realpath(folder).catch(() => resolve(folder));
    const opened = inUse.get(path) ?? retainOpen(await openCaseFolder(path, { create: false, called: basename(path) }));
    await recent.opened(path);
    return opened;
  };
  const create = async (name: string): Promise<StoredCase> => {
    await sweep();
    const opened = retainOpen(await openCaseFolder(await claimFolder(root, name), { create: true, claimed: true }));
    await recent.opened(opened.path);
    return opened;
  };
  const createAside = async (name: string): Promise<StoredCase> => {
    await mkdir(root, { recursive: true });
    await sweep();
    const aside = join(root, scratchName('case'));
    const settle = async (): Promise<StoredCase> => {
      const place = await claimFolder(root, name);
      await move(aside, place);
      return open(place);
    };
    return { ...(await openCaseFolder(aside, { create: true })), name, settle };
  };
  return {
    queries: knownQueries(join(root, 'queries.json')),
    open,
    create: (name, options) => (options?.aside ? createAside(name) : create(name)),
    recent: async () => recentOf(await recent.read()),
    salvage: salvageCase,
    describe: ({ path }, summary) => recent.describe(path, summary),
    forgetRecent: (id) => recent.forget(id),
    openRecent: async (id) => {
      const entry = (await recent.read()).find((candidate) => recentId(candidate) === id);
      return entry ? open(entry.path) : fail('case.not_recent', 'this case is no longer in the list of recent cases');
    },
  };
}

/** Those that are still there. */
async function recentOf(entries: Awaited<ReturnType<ReturnType<typeof recentCases>['read']>>): Promise<RecentCase[]> {
  const present = await Promise.all(entries.map(({ path }) => isThere(join(path, CASE_DATABASE))));
  const marks = await Promise.all(entries.map((entry) => bundleMark(entry.path)));
  return entries.flatMap((entry, i) => {
    if (!present[i]) return [];
    const { path, opened_at_ms, summary } = entry;
    return {
      id: recentId(entry),
      name: caseName(path),
      opened_at_ns: BigInt(Math.trunc(opened_at_ms)) * 1_000_000n,
      bundle: marks[i] !== null,
      summary: caseSummarySchema.safeParse(summary).data ?? null,
    };
  });
}

const caseName = (folder: string): string => basename(resolve(folder)).replace(new RegExp(`\\${SUFFIX}$`), '');

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** A new folder of that name, or of that name with a number: made by nobody else at the same time. */
async function claimFolder(root: string, wanted: string): Promise<string> {
  const safe =
    wanted
      .replaceAll(/[^\p{L}\p{N}._() -]+/gu, '-')
      .replace(/^\.+/, '')
      .slice(0, 80) || 'case';
  await mkdir(root, { recursive: true });
  const taken = new Set(await readdir(root));
  const real = await realpath(root);
  for (let number = 1; ; number++) {
    const name = `${safe}${number === 1 ? '' : `-${number}`}${SUFFIX}`;
    if (taken.has(name)) continue;
    try {
      await mkdir(join(real, name));
      return join(real, name);
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

/** Puts a folder in place of an empty one. */
async function move(from: string, to: string): Promise<void> {
  // POSIX replaces an empty folder in one step; elsewhere it has to go first.
  if (process.platform === 'win32') await rmdir(to);
  await rename(from, to);
  await syncFolder(resolve(to, '..'));
}

interface FolderOptions {
  /** A case is made where there is none. */
  readonly create: boolean;
  /** The folder is there because it was made for this case. */
  readonly claimed?: boolean;
  /** How messages name the folder; what a page sees holds no path. */
  readonly called?: string;
}

/**
 * Opens the case in a folder.
 * @throws ProblemError case.missing, case.not_a_case, case.locked, case.damaged, bundle.unfinished
 */
export async function openCaseFolder(
  folder: string,
  { create, claimed = false, called = folder }: FolderOptions,
): Promise<StoredCase> {
  const path = resolve(folder);
  const found = await stat(path).catch(() => null);
  if (found && !found.isDirectory())
    fail('case.not_a_case', `${called} is a file, not a case`, {
      hint: 'a case is a folder NAME.faultline; import files with: faultline import CASE FILE',
    });
  if (!create && !(await isThere(join(path, CASE_DATABASE)))) {
    const code = found ? 'case.not_a_case' : 'case.missing';
    fail(code, found ? `${called} holds no case` : `there is no case ${called}`, {
      hint: 'name a new folder, and faultline import NAME.faultline FILE makes a case of it',
    });
  }
  // Evidence on read-only media, or somebody else's, can still be looked at.
  const readOnly = found !== null && !(await writable(path));
  if (!readOnly) await mkdir(join(path, ATTACHMENTS), { recursive: true });
  const isNew = create && !readOnly && !(await isThere(join(path, CASE_DATABASE))) && (await makeDatabase(path));
  const engine = await openNativeEngine(join(path, CASE_DATABASE), { readOnly });
  const discard = () => rm(path, { recursive: true, force: true });
  const mark = await bundleMark(path);
  if (mark && !mark.loaded && !(await hasSources(engine))) {
    await engine.close();
    fail('bundle.unfinished', 'this case was never loaded completely from its bundle', {
      hint: 'open the bundle again: it is loaded anew',
    });
  }
  const name = mark?.case ?? caseName(path);
  const keepOlder = async (schema: number): Promise<StoredCase> => {
    await keepCopy(join(path, CASE_DATABASE), join(path, olderDatabase(schema)));
    return openCaseFolder(path, { create: false, called });
  };
  const olderCopies = (await readdir(path)).filter(isOlderDatabase).toSorted();
  return {
    engine,
    name,
    path,
    isNew,
    olderCopies,
    ...(!readOnly && { keepOlder }),
    ...(found && !claimed ? {} : { discard }),
  };
}

/** Copies a database that no process has open; the copy is there whole or not at all. */
async function keepCopy(from: string, to: string): Promise<void> {
  const aside = await scratchFileFor(to);
  try {
    // A file system that shares blocks copies nothing.
    await copyFile(from, aside, constants.COPYFILE_FICLONE);
    // Where closing could not write everything into the database.
    if (await isThere(`${from}.wal`)) await copyFile(`${from}.wal`, `${to}.wal`);
    await rename(aside, to);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
  await syncFolder(dirname(to));
}

/**
 * The case in a folder to read from: a copy as of now if another process has it open. What is written to the copy is lost.
 * @param onCopy it is a copy
 */
export async function openCaseToRead(folder: string, onCopy: () => void): Promise<StoredCase> {
  try {
    return await openCaseFolder(folder, { create: false });
  } catch (error) {
    const database = join(resolve(folder), CASE_DATABASE);
    const isElsewhere = error instanceof ProblemError && error.problem.code === 'case.locked';
    // A file that this process has open would lose its lock by the end of the copy.
    if (!isElsewhere || (await isClaimed(database))) throw error;
    const { engine, close } = await copyCase(database);
    onCopy();
    return { engine: { ...engine, close }, name: caseName(folder), path: resolve(folder) };
  }
}

/**
 * A database is there whole or not at all: the empty file of a process that was killed here could never be opened.
 * @returns whether it is the one made here
 */
async function makeDatabase(folder: string): Promise<boolean> {
  const aside = await scratchFileFor(join(folder, CASE_DATABASE));
  try {
    await (await openNativeEngine(aside)).close();
    // Unlike a renamed file it replaces nothing that another process made meanwhile. Where there are no links DuckDB makes it in place.
    return await link(aside, join(folder, CASE_DATABASE)).then(
      () => true,
      () => false,
    );
  } finally {
    await rm(aside, { force: true });
  }
}

/** There is nothing at that path, or no more than a killed process leaves of a case that it was about to make. */
export async function isFree(path: string): Promise<boolean> {
  const names = await readdir(path).catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? [] : null));
  return names?.every((name) => name === ATTACHMENTS || isScratch(name)) ?? false;
}

/** A bundle is loaded in one transaction: all of its sources are there, or none. */
async function hasSources(engine: Engine): Promise<boolean> {
  const session = await engine.session();
  try {
    // In a stranger's case it may be a view that never ends.
    const table = await session.query("select 1 from system.main.duckdb_tables() where table_name = 'source'");
    return table.count > 0 && (await session.query('select 1 from source limit 1')).count > 0;
  } catch {
    return false; // Not even its tables are there.
  } finally {
    session.close();
  }
}

/** Gives a case that is of no use the name of what is wrong with it; nothing of it is lost. */
export async function putAside(folder: string, why: string): Promise<void> {
  await removeMark(folder);
  await move(folder, await claimFolder(dirname(folder), `${caseName(folder)} (${why})`));
}

async function writable(folder: string): Promise<boolean> {
  const paths = [folder, join(folder, CASE_DATABASE)];
  const checks = await Promise.all(
    paths.map((path) =>
      access(path, constants.W_OK).then(
        () => true,
        (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
      ),
    ),
  );
  return checks.every(Boolean);
}
