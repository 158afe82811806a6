import type { EntityKind } from '../../../model/entity.ts';
import type { Session, SqlValue } from '../../../model/storage/engine.ts';
import { rowsOf } from '../case-file/case-file.ts';
import { queries } from '../queries/index.ts';
import { neededEvents, neededKinds, neededMetrics, neededRows, type RecordedTable } from '../queries/needed-rows.ts';
import type { RunQuery } from './software-facts.ts';

const RECORDED_TYPES = 'select text as type from name where name_id in (select distinct type from event)';

/** What a case is while it is read. */
export interface ReadState {
  /** Nothing is written until the last answer, as in a snapshot: what is not there is looked up once. */
  readonly atRest?: boolean;
}

/**
 * A query that needs rows of tables that are empty, or entities, metrics or events that are not there, is not run:
 * {@link neededRows}.
 */
export function createRunQuery(session: Session, signal?: AbortSignal, { atRest = false }: ReadState = {}): RunQuery {
  const known = new Map<string, readonly unknown[]>();
  const lookUp = async <T>(sql: string, isKept: (rows: readonly unknown[]) => boolean): Promise<T[]> => {
    const before = known.get(sql);
    if (before) return before as T[];
    const rows = rowsOf<T>(await session.query(sql, [], signal));
    if (atRest || isKept(rows)) known.set(sql, rows);
    return rows;
  };
  // What is empty now may get rows, which a filled table rarely loses.
  const isThere = async (sql: string): Promise<boolean> => (await lookUp(sql, (rows) => rows.length > 0)).length > 0;
  const all = <T>(sql: string): Promise<T[]> => lookUp<T>(sql, () => false);
  const hasAny = async (tables: readonly RecordedTable[]): Promise<boolean> => {
    for (const table of tables) if (await isThere(`select 1 from ${table} limit 1`)) return true;
    return false;
  };
  const hasEntity = (kinds: readonly EntityKind[]): Promise<boolean> =>
    isThere(`select 1 from entity where kind in (${kinds.map((kind) => `'${kind}'`).join(', ')}) limit 1`);
  const isNeeded = async (sql: string): Promise<boolean> => {
    const [tables, kinds] = [neededRows.get(sql), neededKinds.get(sql)];
    if (tables && !(await hasAny(tables))) return false;
    if (kinds && !(await hasEntity(kinds))) return false;
    const [isMetric, types] = [neededMetrics.get(sql), neededEvents.get(sql)];
    if (isMetric)
      return (await all<MetricName>(queries.metricNames)).some(({ metric, unit }) => isMetric(metric, unit));
    return !types || (await all<{ readonly type: string }>(RECORDED_TYPES)).some(({ type }) => types.includes(type));
  };
  return async <T>(sql: string, values: readonly SqlValue[] = []): Promise<T[]> => {
    if (sql === queries.metricNames) return [...(await all<T>(sql))];
    return (await isNeeded(sql)) ? rowsOf<T>(await session.query(sql, values, signal)) : [];
  };
}

interface MetricName {
  readonly metric: string;
  readonly unit: string;
}
