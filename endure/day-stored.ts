import type { Sent, Signal } from './day-sender.ts';
import { RECORDS } from './day-sender.ts';
import { faultline } from './faultline.ts';

/** What is known of acknowledged records in the end. */
export interface Stored {
  readonly figures: readonly string[];
  readonly failures: readonly string[];
}

/** Of each signal: the number of a record, by how {@link idOf} made it. */
const idIn: Readonly<Record<Signal, string>> = {
  logs: `select split_part(body, ' ', 2)::bigint as id from log where body like 'day %'`,
  traces: 'select span_id::bigint as id from span',
  metrics: `select value::bigint as id from metrics where metric = 'day.record'`,
};

/** Rows of a query, through the command line as anybody asks. */
export async function rowsOf<T>(path: string, sql: string): Promise<readonly T[]> {
  const { code, out, err } = await faultline(['query', path, sql, '--format', 'json']);
  if (code !== 0) throw new Error(`the case cannot be queried: ${err}`);
  return JSON.parse(out) as T[];
}

/** When a capture was killed, by this process's clock. */
export interface Kill {
  readonly at_ms: number;
  /** Records acknowledged before this time were reported as written. */
  readonly written_ms: number;
}

/**
 * Checks that every acknowledged record is stored once. A record that was acknowledged just before a kill, and not
 * reported as written, may be missing: it is counted and must be in a gap. A capture that ends, or has a full disk,
 * loses nothing.
 */
export async function checkStored(path: string, sent: readonly Sent[], kills: readonly Kill[]): Promise<Stored> {
  const [figures, failures]: [string[], string[]] = [[], []];
  for (const signal of Object.keys(idIn) as Signal[]) {
    const sql = `select (id - 1) // 1000 as number, count(*)::integer as rows, count(distinct id)::integer as ids from (${idIn[signal]}) group by 1`;
    const found = new Map(
      (await rowsOf<{ number: number | string; rows: number; ids: number }>(path, sql)).map((row) => [
        Number(row.number),
        row,
      ]),
    );
    const own = sent.filter((one) => one.signal === signal);
    let [acknowledged, missing, oldest_ms] = [0, 0, 0];
    for (const { number, fate, at_ms } of own) {
      const { rows = 0, ids = 0 } = found.get(number) ?? {};
      const what = `${signal} request ${number} (${fate})`;
      if (rows !== ids) failures.push(`${what}: ${rows} rows of ${ids} records`);
      if (fate === 'refused' && ids > 0) failures.push(`${what}: ${ids} records are there all the same`);
      if (fate !== 'acknowledged') continue;
      acknowledged += RECORDS;
      if (ids === RECORDS) continue;
      const kill = kills.find((one) => at_ms <= one.at_ms && at_ms >= one.written_ms);
      if (!kill) failures.push(`${what}: ${ids} of ${RECORDS} records are there`);
      else {
        missing += RECORDS - ids;
        oldest_ms = Math.max(oldest_ms, kill.at_ms - at_ms);
      }
    }
    const refused = own.filter(({ fate }) => fate === 'refused').length;
    const unknown = own.filter(({ fate }) => fate === 'unknown').length;
    const lost =
      missing === 0
        ? ''
        : `, ${missing} lost by the kill (the oldest ${(oldest_ms / 1000).toFixed(1)} s before it, docs/capture.md: 2 s)`;
    figures.push(
      `${signal}: ${acknowledged} records acknowledged${lost}; requests refused ${refused}, without an answer ${unknown}`,
    );
  }
  return { figures, failures };
}
