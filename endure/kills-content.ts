import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { rowsOf } from '../src/core/store/case-file/case-file.ts';
import { openNativeEngine } from '../src/main/engine/native-engine.ts';
import { faultline, reportOf } from './faultline.ts';

/** With rows of sources, as of `src/core/store/tables`. */
const owned = [
  'reject',
  'outage',
  'entity',
  'alias',
  'edge',
  'resource',
  'series',
  'span',
  'trace_place',
  'span_count',
  'span_event',
  'span_link',
  'point',
  'series_extent',
  'point_range',
  'distribution',
  'exemplar',
  'log',
  'event',
  'collective',
] as const;
/** Of these rows all but the numbers that depend on what was imported together. */
const payload: Readonly<Record<string, string>> = {
  span: 'trace_hi, trace_lo, span_id, parent_id, start_ns, end_ns, status, attributes',
  span_event: 'trace_hi, trace_lo, span_id, time_ns, attributes',
  log: 'time_ns, observed_ns, severity, trace_hi, trace_lo, span_id, body, attributes',
  event: 'original_id, time_ns, severity, message, attributes, raw',
};
/** Without a number of a source. */
const common = ['name', 'canonical', 'merge', 'held_apart'] as const;

const CONTENT = [
  ...owned.map(
    (table) =>
      `select '${table}' as t, source_id, count(*)::integer as n, bit_xor(hash(${payload[table] ?? 'x'}))::varchar as h from ${table} x group by all`,
  ),
  ...common.map((table) => `select '${table}', 0, count(*)::integer, '' from ${table}`),
  // But for when it was imported.
  "select 'source', source_id, 1, hash(name, rows, rejects, remarks, digest)::varchar from source",
].join(' union all ');

export interface CaseState {
  /** Numbers of sources. */
  readonly sources: readonly number[];
  /** Of all rows of all tables. */
  readonly content: string;
  /** What caused what. */
  readonly verdict: string;
}

/**
 * Content and conclusions of a case, which the built command line opens. @throws Error with the command's output if it does not
 * open
 */
export async function stateOf(path: string, env: Readonly<Record<string, string>>): Promise<CaseState> {
  const { report, ran } = await reportOf(path, env);
  if (report === null) throw new Error(`does not open: ${ran.signal ?? ran.code} ${ran.err.trim().slice(0, 400)}`);
  const rows = await rowsIn<{ t: string; source_id: number; n: number; h: string }>(path, CONTENT);
  const lines = rows.map(({ t, source_id, n, h }) => `${t} ${source_id} ${n} ${h}`).sort();
  return {
    sources: rows.flatMap(({ t, source_id }) => (t === 'source' ? [source_id] : [])).sort((a, b) => a - b),
    content: lines.join('\n'),
    verdict: createHash('sha256').update(JSON.stringify(report)).digest('hex'),
  };
}

/**
 * Answers of a case that a command has opened since the kill, and closed. Two processes of a command for each would take most of
 * the time of a run.
 */
export async function rowsIn<T>(path: string, sql: string): Promise<readonly T[]> {
  const engine = await openNativeEngine(join(path, 'case.duckdb'), { readOnly: true });
  const session = await engine.session();
  try {
    return rowsOf<T>(await session.query(sql));
  } finally {
    session.close();
    await engine.close();
  }
}

/** The same by the command line, which may be the first to open the case. @throws Error with the command's output */
export async function query<T>(
  path: string,
  sql: string,
  env: Readonly<Record<string, string>>,
): Promise<readonly T[]> {
  const ran = await faultline(['query', path, sql, '--format', 'json'], env);
  if (ran.code !== 0) throw new Error(`cannot be queried: ${ran.signal ?? ran.code} ${ran.err.trim().slice(0, 400)}`);
  return JSON.parse(ran.out) as T[];
}

/** Tables and data sources in which two states differ; '' if they are equal. */
export function differenceOf(found: CaseState, wanted: CaseState): string {
  const verdict = found.verdict === wanted.verdict ? [] : ['another verdict'];
  const [has, had] = [found.content, wanted.content].map((text) => text.split('\n')) as [string[], string[]];
  const less = had.filter((line) => !has.includes(line)).map((line) => `-${line}`);
  const more = has.filter((line) => !had.includes(line)).map((line) => `+${line}`);
  return [...verdict, ...[...less, ...more].slice(0, 6)].join(', ');
}
