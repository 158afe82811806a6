import { withEither } from '../../../base/with-either.ts';
import type { Lane, Parsed } from '../../../model/contract/index.ts';
import type { Annotation } from '../../../model/incident/annotation.ts';
import { QUERIES } from '../../../model/lane-kind.ts';
import { fail, ProblemError } from '../../../model/problem.ts';
import type { KnownQueries } from '../../../model/storage/case-storage.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { numbersOf, rowsOf } from '../../store/case-file/case-file.ts';
import type { Figures, LaneTargetOf, QueryLane, Reading, Wanted } from './lane-target.ts';

type Window = Pick<Parsed<'timeline.data'>, 'start_ns' | 'end_ns' | 'buckets'>;

export interface SavedLane {
  readonly lane: Lane;
  readonly target: LaneTargetOf<'query'>;
}

/** Saved queries that are drawn as lanes; those unknown to `queries` are listed but not run. */
export async function savedLanes(annotations: readonly Annotation[], queries: KnownQueries): Promise<SavedLane[]> {
  const saved = annotations.filter((one) => one.kind === 'query');
  const known = new Map(await Promise.all(saved.map(async ({ id, sql }) => [id, await queries.has(sql)] as const)));
  return saved.flatMap((one): SavedLane[] => {
    if (one.lane === null) return [];
    const { time, value, unit } = one.lane;
    const isKnown = known.get(one.id) === true;
    const lane: Lane = {
      id: `query:${one.id}:${versionOf(`${one.sql}\n${time}\n${value}\n${isKnown}`)}`,
      kind: 'metric',
      layer: QUERIES,
      entity_kind: 'query',
      entity_id: one.text,
      within: [],
      sources: [],
      metric: value ?? 'rows',
      unit: value === null ? '1/s' : unit,
      // The row count is unknown before it runs.
      count: 0,
      worst_severity: null,
      involved: null,
    };
    return [{ lane, target: { kind: 'query', isKnown, sql: one.sql, time, value, unit } }];
  });
}

/** Version of a lane, from its query (FNV-1a). */
export function versionOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}

/** The other lanes of a window wait for its slowest, and a case from elsewhere brings its own queries. */
const LONGEST_MS = 2000;

/** @throws ProblemError sql.slow_lane, and what `work` throws */
export async function inTime<T>(
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const patience = AbortSignal.timeout(LONGEST_MS);
  try {
    return await withEither([...(signal ? [signal] : []), patience], work);
  } catch (error) {
    signal?.throwIfAborted();
    if (!patience.aborted) throw error;
    return fail('sql.slow_lane', `its query takes longer than ${LONGEST_MS / 1000} s`, {
      hint: 'narrow it, or zoom in',
    });
  }
}

/** Min, max and last value per bucket, as for any metric. Each lane fails alone, because its SQL is the investigator's. */
export async function readQueries(
  wanted: readonly Wanted<'query'>[],
  { session, input, answer, signal }: Reading,
): Promise<void> {
  for (const { lane, target } of wanted) {
    if (!target.isKnown) {
      answer(lane, {
        kind: 'broken',
        lane,
        message: 'its query came with the case and was never run on this machine; press G to open it',
      });
      continue;
    }
    try {
      const [min, max, last] = await inTime(signal, (own) => readColumns(session, target, input, own));
      answer(lane, { kind: 'metric', lane, min, max, last });
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      answer(lane, { kind: 'broken', lane, message: error.message });
    }
  }
}

type Column = Float64Array<ArrayBuffer>;

async function readColumns(
  session: Session,
  target: QueryLane,
  { start_ns, end_ns, buckets }: Window,
  signal: AbortSignal,
): Promise<readonly [Column, Column, Column]> {
  const width = end_ns > start_ns ? end_ns - start_ns : 1n;
  const figures =
    target.value === null
      ? `count(*) / ${Number(width) / buckets / 1e9} as low, low as high, low as last`
      : `min(value) as low, max(value) as high, arg_max(value, at_ns) as last,
          ${OTHERS} as others`;
  const sql = `select least(floor((at_ns - ${start_ns})::double * ${buckets / Number(width)}), ${buckets - 1})::integer as cell, ${figures}
    from (${await samples(session, target, signal)}) where ${inside(start_ns, end_ns)} group by cell`;
  const found = await session.queryUntrusted(sql, buckets, signal);
  // One line through several series would show values that do not exist.
  if (target.value !== null && numbersOf(found, 'others').some((others) => others > 0))
    noLane('it has several values at one time', 'select one entity, or aggregate: a line has one value at a time');
  // An empty bucket is a rate of zero, but an unknown value.
  const empty = target.value === null ? 0 : Number.NaN;
  const column = (name: string): Column => {
    const values = new Float64Array(buckets).fill(empty);
    const read = numbersOf(found, name);
    numbersOf(found, 'cell').forEach((cell, row) => {
      values[cell] = read[row]!;
    });
    return values;
  };
  return [column('low'), column('high'), column('last')];
}

/** Values beyond one at each instant. */
const OTHERS = '(count(distinct (at_ns, value)) - count(distinct at_ns))::integer';

const inside = (start_ns: bigint, end_ns: bigint): string =>
  `at_ns between ${start_ns} and ${end_ns} and value is not null`;

/** Figures of a query's lane within a time; null where the query fails, or is not run. */
export async function queryStatistics(
  session: Session,
  target: LaneTargetOf<'query'>,
  { start_ns, end_ns }: Pick<Window, 'start_ns' | 'end_ns'>,
  signal?: AbortSignal,
): Promise<Figures | null> {
  if (!target.isKnown) return null;
  const measure = target.value === null ? 'null::double' : 'value';
  try {
    return await inTime(signal, async (own) => {
      const sql = `select count(*)::integer as count, min(${measure}) as min, avg(${measure}) as mean,
          quantile_cont(${measure}, 0.95) as p95, max(${measure}) as max, ${OTHERS} as others
        from (${await samples(session, target, own)}) where ${inside(start_ns, end_ns)}`;
      const [found] = rowsOf<Figures & { others: number }>(await session.queryUntrusted(sql, 1, own));
      const { others, ...figures } = found!;
      return others > 0 ? null : figures;
    });
  } catch (error) {
    if (error instanceof ProblemError) return null;
    throw error;
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * The query as rows of `at_ns` and `value`. It is explained on its own first: only a valid statement may become part
 * of a larger statement.
 * @throws ProblemError sql.refused, sql.failed, sql.no_lane
 */
async function samples(session: Session, { sql, time, value }: QueryLane, signal: AbortSignal): Promise<string> {
  await session.queryUntrusted(`explain ${sql}`, 1, signal);
  const part = `(\n${withoutEnd(sql)}\n)`;
  const { names, types } = await session.queryUntrusted(`select * from ${part} limit 0`, 0, signal);
  const typeOf = (name: string): string => types[names.indexOf(name)] ?? noLane(`it has no column ${name}`);
  const number = value === null ? '1' : numberSql(value, typeOf(value));
  return `select ${instantSql(time, typeOf(time))} as at_ns, ${number} as value from ${part}`;
}

/** A statement may end in a semicolon, a part of one may not. */
const withoutEnd = (sql: string): string => sql.trimEnd().replace(/;+$/, '');

function instantSql(name: string, type: string): string {
  if (type.startsWith('TIMESTAMP')) return `epoch_ns(${quoted(name)})`;
  if (type === 'DATE') return `epoch_ns(${quoted(name)}::timestamp)`;
  if (/^U?(BIG|HUGE)INT$/.test(type)) return `${quoted(name)}::bigint`;
  return noLane(`column ${name} holds no instants but ${type}`);
}

function numberSql(name: string, type: string): string {
  if (/INT|DOUBLE|FLOAT|DECIMAL/.test(type) && !/[[(]{2}|\[\]|STRUCT/.test(type)) return `${quoted(name)}::double`;
  return noLane(`column ${name} holds no numbers but ${type}`);
}

const noLane = (
  why: string,
  hint = 'a lane needs a column of times and, unless rows are counted, a column of numbers',
): never => fail('sql.no_lane', `this query cannot be drawn as a lane: ${why}`, { hint });
