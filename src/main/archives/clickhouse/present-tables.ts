import type { ClickHouseApi } from './api.ts';
import type { ClickHousePlan } from './plan.ts';
import { literal, type TableKind } from './tables.ts';

export interface PlannedTable {
  readonly name: string;
  readonly kind: TableKind;
}

/** Which tables of the plan there are: the exporter makes only those that it needs. */
export async function presentTables(
  api: ClickHouseApi,
  plan: ClickHousePlan,
  signal: AbortSignal,
): Promise<PlannedTable[]> {
  const { database, traces, logs, metrics } = plan;
  const wanted: PlannedTable[] = [
    ...(traces === null ? [] : [{ name: traces, kind: 'traces' as const }]),
    ...(logs === null ? [] : [{ name: logs, kind: 'logs' as const }]),
    ...metrics.map((table) => ({ name: table, kind: 'metrics' as const })),
  ];
  const names = wanted.map((table) => literal(table.name)).join(', ');
  const sql = `SELECT name FROM system.tables WHERE database = ${literal(database)} AND name IN (${names || "''"})`;
  const found = new Set((await api.rows(sql, signal)).map((row) => row['name']));
  return wanted.filter((table) => found.has(table.name));
}
