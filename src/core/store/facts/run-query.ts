import type { EntityKind } from '../../../model/entity.ts';
import type { Session, SqlValue } from '../../../model/storage/engine.ts';
import { rowsOf } from '../case-file/case-file.ts';
import { neededKinds, neededMetrics, neededRows, type RecordedTable } from '../queries/needed-rows.ts';
import type { RunQuery } from './software-facts.ts';

/** A query that needs rows of tables that are empty, or entities or metrics that are not there, is not run: {@link neededRows}. */
export function createRunQuery(session: Session, signal?: AbortSignal): RunQuery {
  const filled = new Set<RecordedTable>();
  const hasRows = async (table: RecordedTable): Promise<boolean> => {
    // What is empty now may get rows, which a filled table rarely loses.
    if (!filled.has(table) && (await session.query(`select 1 from ${table} limit 1`, [], signal)).count > 0)
      filled.add(table);
    return filled.has(table);
  };
  const hasAny = async (tables: readonly RecordedTable[]): Promise<boolean> => {
    for (const table of tables) if (await hasRows(table)) return true;
    return false;
  };
  const hasEntity = async (kinds: readonly EntityKind[]): Promise<boolean> => {
    const anyOf = kinds.map((kind) => `'${kind}'`).join(', ');
    return (await session.query(`select 1 from entity where kind in (${anyOf}) limit 1`, [], signal)).count > 0;
  };
  const hasMetric = async (pattern: string): Promise<boolean> =>
    (await session.query('select 1 from series where regexp_matches(metric, $1) limit 1', [pattern], signal)).count > 0;
  const isNeeded = async (sql: string): Promise<boolean> => {
    const [tables, kinds, metrics] = [neededRows.get(sql), neededKinds.get(sql), neededMetrics.get(sql)];
    if (tables && !(await hasAny(tables))) return false;
    return (!kinds || (await hasEntity(kinds))) && (!metrics || (await hasMetric(metrics)));
  };
  return async <T>(sql: string, values: readonly SqlValue[] = []): Promise<T[]> =>
    (await isNeeded(sql)) ? rowsOf<T>(await session.query(sql, values, signal)) : [];
}
