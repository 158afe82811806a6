import { access, constants, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { CaseStorage, StoredCase } from '../../model/case-storage.ts';
import { caseSummarySchema } from '../../model/case-summary.ts';
import { fail } from '../../model/problem.ts';
import { bundleMark } from './bundle-mark.ts';
import { knownQueries } from './known-queries.ts';
import { openNativeEngine } from './native-engine.ts';

const SUFFIX = '.faultline';
const DATABASE = 'case.duckdb';
const MOST_RECENT = 12;

interface RecentEntry {
  readonly id: string;
  readonly path: string;
  readonly opened_at_ms: number;
  readonly summary?: unknown;
}

/** Cases as `NAME.faultline/` folders; new ones and the list of recent ones live under `root`. */
export function caseFolders(root: string): CaseStorage {
  const recentFile = join(root, 'recent.json');
  const readRecent = async (): Promise<RecentEntry[]> => {
    const text = await readFile(recentFile, 'utf8').catch(() => '[]');
    try {
      const entries = JSON.parse(text) as RecentEntry[];
      return Array.isArray(entries) ? entries.filter((entry) => typeof entry?.path === 'string') : [];
    } catch {
      return []; // A damaged list of recent cases is only a lost convenience.
    }
  };
  const write = async (entries: readonly RecentEntry[]): Promise<void> => {
    await mkdir(root, { recursive: true });
    await writeFile(`${recentFile}.new`, JSON.stringify(entries.slice(0, MOST_RECENT)));
    await rename(`${recentFile}.new`, recentFile);
  };
  const remember = async (path: string): Promise<void> => {
    const entries = await readRecent();
    const before = entries.find((entry) => entry.path === path);
    const id = Buffer.from(path).toString('base64url').slice(-48);
    await write([{ ...before, id, path, opened_at_ms: Date.now() }, ...entries.filter((entry) => entry !== before)]);
  };
  const open = async (folder: string): Promise<StoredCase> => {
    const opened = await openCaseFolder(folder, { create: false });
    await remember(resolve(folder));
    return opened;
  };
  return {
    queries: knownQueries(join(root, 'queries.json')),
    open,
    create: async (name) => {
      const opened = await openCaseFolder(await freeName(root, name), { create: true });
      await remember(opened.path);
      return opened;
    },
    recent: async () => {
      const entries = await readRecent();
      const present = await Promise.all(
        entries.map((entry) =>
          stat(join(entry.path, DATABASE)).then(
            () => true,
            () => false,
          ),
        ),
      );
      const marks = await Promise.all(entries.map((entry) => bundleMark(entry.path)));
      return entries.flatMap((entry, i) => {
        if (!present[i]) return [];
        const { id, path, opened_at_ms, summary } = entry;
        return {
          id,
          name: caseName(path),
          opened_at_ns: BigInt(opened_at_ms) * 1_000_000n,
          bundle: marks[i] !== null,
          summary: caseSummarySchema.safeParse(summary).data ?? null,
        };
      });
    },
    describe: async ({ path }, summary) => {
      const plain = JSON.parse(
        JSON.stringify(summary, (_key, value) => (typeof value === 'bigint' ? `${value}` : value)),
      );
      const entries = await readRecent();
      const isNews = entries.some((one) => one.path === path && JSON.stringify(one.summary) !== JSON.stringify(plain));
      if (isNews) await write(entries.map((entry) => (entry.path === path ? { ...entry, summary: plain } : entry)));
    },
    openRecent: async (id) => {
      const entry = (await readRecent()).find((candidate) => candidate.id === id);
      return entry ? open(entry.path) : fail('case.not_recent', 'this case is no longer in the list of recent cases');
    },
  };
}

const caseName = (folder: string): string => basename(resolve(folder)).replace(new RegExp(`\\${SUFFIX}$`), '');

async function freeName(root: string, wanted: string): Promise<string> {
  const safe =
    wanted
      .replaceAll(/[^\p{L}\p{N}._ -]+/gu, '-')
      .replace(/^\.+/, '')
      .slice(0, 80) || 'case';
  await mkdir(root, { recursive: true });
  const taken = new Set(await readdir(root));
  for (let number = 1; ; number++) {
    const name = `${safe}${number === 1 ? '' : `-${number}`}${SUFFIX}`;
    if (!taken.has(name)) return join(root, name);
  }
}

/**
 * Opens the case in a folder.
 * @throws ProblemError case.missing, case.not_a_case, case.locked, case.damaged
 */
export async function openCaseFolder(folder: string, options: { readonly create: boolean }): Promise<StoredCase> {
  const path = resolve(folder);
  const found = await stat(path).catch(() => null);
  if (found && !found.isDirectory())
    fail('case.not_a_case', `${folder} is a file, not a case`, {
      hint: 'a case is a folder NAME.faultline; import files with: faultline import CASE FILE',
    });
  const database = await stat(join(path, DATABASE)).catch(() => null);
  if (!database && !options.create) {
    const code = found ? 'case.not_a_case' : 'case.missing';
    fail(code, found ? `${folder} holds no case` : `there is no case ${folder}`, {
      hint: 'faultline import CASE FILE makes one',
    });
  }
  // Evidence on read-only media, or somebody else's, can still be looked at.
  const readOnly = found !== null && !(await writable(path));
  if (!readOnly) await mkdir(join(path, 'attachments'), { recursive: true });
  const engine = await openNativeEngine(join(path, DATABASE), { readOnly });
  const discard = () => rm(path, { recursive: true, force: true });
  const name = (await bundleMark(path))?.case ?? caseName(path);
  return { engine, name, path, ...(found ? {} : { discard }) };
}

async function writable(folder: string): Promise<boolean> {
  const paths = [folder, join(folder, DATABASE)];
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
