import { fail, ProblemError } from '../../../model/problem.ts';
import type { SourceFile } from '../../../model/storage/source.ts';
import { jsonRecords } from '../bytes/json-records.ts';
import { wholeFile } from '../bytes/whole-file.ts';
import { isPickle } from './detect.ts';
import { type Dump, isMembers, type Members, member, type ProcessGroup } from './format.ts';
import { decodePickle } from './pickle.ts';

/** The recorder stores 2,000 entries by default; this is far above any real setting. */
const MAX_ENTRIES = 1_000_000;
const MAX_PICKLE = 256 * 1024 * 1024;

/**
 * Reads one rank's dump, in either encoding.
 * @throws ProblemError pickle.*, flight_recorder.not_a_dump, flight_recorder.too_large
 */
export async function readDump(file: SourceFile): Promise<Dump> {
  const dump = isPickle(await firstBytes(file)) ? await readPickle(file) : await readJson(file);
  if (dump.entries.length + dump.broken.length > MAX_ENTRIES)
    fail('flight_recorder.too_large', `${file.path} holds more entries than a recorder keeps`, { place: file.path });
  return dump;
}

async function firstBytes(file: SourceFile): Promise<Uint8Array> {
  const bytes: number[] = [];
  for await (const chunk of file.open()) {
    bytes.push(...chunk.subarray(0, 2));
    if (bytes.length >= 2) break;
  }
  return Uint8Array.from(bytes);
}

async function readPickle(file: SourceFile): Promise<Dump> {
  const value: unknown = decodePickle(await wholeFile(file.open(), file.path, MAX_PICKLE), file.path);
  if (!isMembers(value)) return notADump(file);
  const { entries, ...head } = value;
  if (entries === undefined && !looksLike(head)) return notADump(file);
  const list: readonly unknown[] = Array.isArray(entries) ? entries : [];
  return { head, entries: list.map((entry, at) => ({ at, value: entry })), broken: [] };
}

async function readJson(file: SourceFile): Promise<Dump> {
  const head: Record<string, unknown> = Object.create(null);
  const entries: { at: number; value: unknown }[] = [];
  const broken: { at: number; reason: string; excerpt: string }[] = [];
  for await (const record of jsonRecords(file.open(), ['entries'], { exact: true })) {
    if (record.reason !== undefined) broken.push(record);
    else if (record.path === 'entries') entries.push(record);
    else head[record.path] = record.value;
    if (entries.length + broken.length > MAX_ENTRIES) break;
  }
  if (entries.length === 0 && !looksLike(head)) return notADump(file);
  return { head, entries, broken };
}

const looksLike = (head: Members): boolean => 'pg_config' in head || 'pg_status' in head;

const notADump = (file: SourceFile): never =>
  fail('flight_recorder.not_a_dump', `${file.path} holds no entries and no process groups`, { place: file.path });

/** The process groups that a dump describes, by name. */
export function processGroups(head: Members): ReadonlyMap<string, ProcessGroup> {
  const groups = new Map<string, ProcessGroup>();
  const config = member(head, 'pg_config');
  if (!isMembers(config)) return groups;
  for (const [key, value] of Object.entries(config)) {
    if (!isMembers(value)) continue;
    const name = member(value, 'name');
    const description = member(value, 'desc');
    groups.set(typeof name === 'string' || typeof name === 'number' ? String(name) : key, {
      description: typeof description === 'string' ? description : '',
      ranks: rankList(member(value, 'ranks')),
    });
  }
  return groups;
}

/** `"[0, 1, 2]"` or a list; null when some are left out (`...`) or it is anything else. */
function rankList(value: unknown): readonly number[] | null {
  if (Array.isArray(value)) return value.every(isRank) ? (value as number[]) : null;
  if (typeof value !== 'string' || !/^[[(]?\s*\d[\d\s,]*[\])]?$/.test(value)) return null;
  const ranks = (value.match(/\d+/g) ?? []).map(Number);
  return ranks.every(isRank) ? ranks : null;
}

const isRank = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < 1e7;

/**
 * The rank that wrote a dump: by its file name, unless the dump's own groups contradict it; else the only rank that is
 * in all of its groups, because a rank lists its groups.
 */
export function rankOf(named: number | undefined, head: Members): number | undefined {
  const stated = member(head, 'rank');
  if (isRank(stated)) return stated as number;
  const lists = [...processGroups(head).values()].flatMap(({ ranks }) => (ranks ? [ranks] : []));
  if (named !== undefined && (lists.length === 0 || lists.some((ranks) => ranks.includes(named)))) return named;
  const [first, ...others] = lists.sort((a, b) => a.length - b.length).map((ranks) => new Set(ranks));
  const common = [...(first ?? [])].filter((rank) => others.every((ranks) => ranks.has(rank)));
  return common.length === 1 ? common[0] : undefined;
}

/** What went wrong with one file, when it is the file's fault; anything else goes on up. */
export function problemOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  throw error;
}
