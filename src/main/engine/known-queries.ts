import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { KnownQueries } from '../../model/storage/case-storage.ts';
import { changeFile } from '../disk/change-file.ts';

const MOST = 5000;

const digest = (sql: string): string => createHash('sha256').update(sql).digest('hex');

/** A damaged list costs one more click for each query. */
function parse(text: string | null): string[] {
  try {
    const known: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(known) ? known.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

/** Stored as digests, the latest last: the list must not reveal queries on another case. */
export function knownQueries(file: string): KnownQueries {
  let last: Promise<void> = Promise.resolve();
  const add = (sql: string): Promise<void> =>
    changeFile(file, (text) => {
      const [own, known] = [digest(sql), parse(text)];
      return known.includes(own) ? null : JSON.stringify([...known, own].slice(-MOST));
    });
  return {
    has: async (sql) => {
      await last;
      return parse(await readFile(file, 'utf8').catch(() => null)).includes(digest(sql));
    },
    // A disk that is full must not take the answer away.
    add: (sql) => {
      const added = add(sql).catch(() => undefined);
      last = Promise.all([last, added]).then(() => undefined);
      return added;
    },
  };
}
