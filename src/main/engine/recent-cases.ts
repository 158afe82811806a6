import { createHmac, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { CaseSummary } from '../../model/storage/case-summary.ts';
import { changeFile } from '../disk/change-file.ts';

const MOST_RECENT = 12;

const entrySchema = z.object({ path: z.string(), opened_at_ms: z.number(), summary: z.unknown().optional() });

type RecentEntry = z.infer<typeof entrySchema>;

/** Of this process: the ids that a page gets reveal no path, not even to somebody who guesses one. */
const key = randomBytes(32);

/** By which a page names a recent case. */
export const recentId = ({ path }: RecentEntry): string => createHmac('sha256', key).update(path).digest('hex');

/** The list of cases that were opened last, the latest first. One that is damaged, or cannot be written, is only a lost convenience. */
export function recentCases(file: string) {
  const parse = (text: string | null): RecentEntry[] => {
    try {
      const entries: unknown = JSON.parse(text ?? '[]');
      return Array.isArray(entries) ? entries.flatMap((entry) => entrySchema.safeParse(entry).data ?? []) : [];
    } catch {
      return [];
    }
  };
  const change = (entries: (before: readonly RecentEntry[]) => readonly RecentEntry[]): Promise<void> =>
    changeFile(file, (text) => JSON.stringify(entries(parse(text)).slice(0, MOST_RECENT))).catch(() => undefined);
  return {
    read: async () => parse(await readFile(file, 'utf8').catch(() => null)),
    /** The case at a path was opened now. */
    opened: (path: string) =>
      change((entries) => {
        const before = entries.find((entry) => entry.path === path);
        return [
          { path, opened_at_ms: Date.now(), summary: before?.summary },
          ...entries.filter((entry) => entry !== before),
        ];
      }),
    /** Takes a case off the list; the case stays where it is. */
    forget: (id: string) => change((entries) => entries.filter((entry) => recentId(entry) !== id)),
    describe: (path: string, summary: CaseSummary) => {
      const plain: unknown = JSON.parse(
        JSON.stringify(summary, (_key, value) => (typeof value === 'bigint' ? `${value}` : value)),
      );
      return change((entries) => entries.map((entry) => (entry.path === path ? { ...entry, summary: plain } : entry)));
    },
  };
}
