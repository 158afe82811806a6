import type { Reader } from '../../src/core/store/facts/reader.ts';
import type { Answer, Engine } from './answer.ts';
import { type CatalogEntry, type Checking, catalog } from './catalog.ts';
import { generateIncident } from './generate.ts';
import type { Family, Split } from './label.ts';
import { openCase } from './rows.ts';
import type { Result } from './score.ts';

export interface CorpusPart {
  readonly split?: Split;
  readonly family?: Family;
  /** Of `check`. */
  readonly checking?: Checking;
  /** Families of training jobs instead of the corpus. */
  readonly ofJobs?: boolean;
  /** These alone. */
  readonly ids?: ReadonlySet<string>;
}

/** Cases that are open at once: the database works on its own threads while the next incident is made up. */
const OPEN_AT_ONCE = 3;

/** The entries of a part of the corpus. */
export const entriesOf = ({ split, family, checking, ids, ofJobs }: CorpusPart): CatalogEntry[] =>
  catalog(checking, ofJobs).filter(
    (entry) => (!split || entry.split === split) && (!family || entry.family === family) && (!ids || ids.has(entry.id)),
  );

/**
 * Puts every incident of a part of the corpus before an engine.
 * @returns per incident, in the order of the catalog, the label with all answers of the engine
 */
export async function runCorpus<T extends Answer>(engine: Engine<T>, part: CorpusPart): Promise<Result<T>[]> {
  const [results] = await runEngines([engine as Engine], part);
  return results as Result<T>[];
}

/** As {@link runCorpus}, for several engines over the same open cases; all but the first are spared most of the reading. */
export async function runEngines(engines: readonly Engine[], part: CorpusPart): Promise<Result[][]> {
  const entries = entriesOf(part);
  const rows: Result[][] = new Array(entries.length);
  let next = 0;
  const work = async (): Promise<void> => {
    for (let i = next++; i < entries.length; i = next++) rows[i] = await runOne(engines, entries[i]!);
  };
  await Promise.all(Array.from({ length: OPEN_AT_ONCE }, work));
  return engines.map((_, e) => rows.map((row) => row[e]!));
}

async function runOne(engines: readonly Engine[], entry: CatalogEntry): Promise<Result[]> {
  const { label, recording } = generateIncident(entry);
  const opened = await openCase(recording);
  try {
    const results: Result[] = [];
    const reader = engines.length > 1 ? remembering(opened.reader) : opened.reader;
    for (const engine of engines) {
      const from = performance.now();
      const answers = await engine(reader);
      results.push({ label, answers, milliseconds: performance.now() - from });
    }
    return results;
  } finally {
    await opened.close();
  }
}

/** Answers each question once: what the first engine has read, the next one has at once. */
function remembering(reader: Reader): Reader {
  const known = new Map<string, unknown>();
  return new Proxy(reader, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...values: readonly unknown[]) => {
        const key = `${String(name)} ${JSON.stringify(values, asText)}`;
        if (!known.has(key)) known.set(key, method.apply(target, values));
        return known.get(key);
      };
    },
  });
}

/** What JSON has no words for. */
function asText(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  return value instanceof Set || value instanceof Map ? [...value] : value;
}
