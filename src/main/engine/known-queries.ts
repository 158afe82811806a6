import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { KnownQueries } from '../../model/case-storage.ts';

const MOST = 5000;

const digest = (sql: string): string => createHash('sha256').update(sql).digest('hex');

/** Kept as digests, the latest last: the list must not tell what somebody asked of another case. */
export function knownQueries(file: string): KnownQueries {
  const read = async (): Promise<string[]> => {
    const text = await readFile(file, 'utf8').catch(() => '[]');
    try {
      const known: unknown = JSON.parse(text);
      return Array.isArray(known) ? known.filter((one) => typeof one === 'string') : [];
    } catch {
      return []; // A damaged list costs one more click for each query.
    }
  };
  const add = async (sql: string): Promise<void> => {
    const own = digest(sql);
    const known = await read();
    if (known.includes(own)) return;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(`${file}.new`, JSON.stringify([...known, own].slice(-MOST)));
    await rename(`${file}.new`, file);
  };
  let last: Promise<void> = Promise.resolve();
  return {
    has: async (sql) => {
      await last;
      return (await read()).includes(digest(sql));
    },
    // One after the other: each writes what the one before left. A disk that is full must not take the answer away.
    add: (sql) => {
      last = last.then(() => add(sql)).catch(() => undefined);
      return last;
    },
  };
}
