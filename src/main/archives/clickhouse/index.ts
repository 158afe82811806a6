import type { PullEstimate, SliceSize, TimeWindow } from '../../../model/storage/archive.ts';
import { failed, passed } from '../../capture/connection-checks.ts';
import type { ArchiveKind, KindQuery } from '../archive-kind.ts';
import { httpLogin } from '../http/login.ts';
import { ClickHouseApi } from './api.ts';
import { checkedCondition } from './condition.ts';
import { clickhouseFleet } from './fleet-store.ts';
import { type ClickHousePlan, planSchema } from './plan.ts';
import { type PlannedTable, presentTables } from './present-tables.ts';
import { identifier, literal, tableKinds } from './tables.ts';

/** Each slice is a transaction of its own, which costs as much as 100,000 spans; one of a million is some 50 MB. */
const OF_PARQUET: SliceSize = { rows: 1_000_000, bytes: 48 * 1024 * 1024 };

/**
 * ClickHouse by its HTTP interface (https://clickhouse.com/docs/interfaces/http), as Parquet: the tables of the collector's exporter
 * (opentelemetry-collector-contrib, exporter/clickhouseexporter).
 */
export const clickhouseArchive: ArchiveKind<typeof planSchema> = {
  kind: 'clickhouse',
  plan: planSchema,
  login: httpLogin,
  queries: async ({ plan, client, selection: { services, where }, signal }) => {
    const api = new ClickHouseApi(client, plan);
    // Before anything is asked.
    const conditions = [
      ...(services.length > 0 ? [`ServiceName IN (${services.map(literal).join(', ')})`] : []),
      ...(where === null ? [] : [`(${checkedCondition(where)})`]),
    ];
    const present = await presentTables(api, plan, signal);
    return present.map((table) => queryOf(api, plan, table, conditions));
  },
  fleet: clickhouseFleet,
  probe: async (client, plan, signal) => {
    const present = await presentTables(new ClickHouseApi(client, plan), plan, signal);
    return present.length > 0
      ? passed('values', `it has ${present.map((table) => table.name).join(', ')}`)
      : failed(
          'values',
          `the database ${plan.database} has none of the tables of the plan`,
          'set database and the names of tables',
        );
  },
};

function queryOf(
  api: ClickHouseApi,
  { database }: ClickHousePlan,
  table: PlannedTable,
  conditions: readonly string[],
): KindQuery {
  const { time, columns } = tableKinds[table.kind];
  const from = `${identifier(database)}.${identifier(table.name)}`;
  const inWindow = ({ from_ns, until_ns }: TimeWindow): string =>
    [
      `${time} >= fromUnixTimestamp64Nano(${from_ns}, 'UTC')`,
      `${time} < fromUnixTimestamp64Nano(${until_ns}, 'UTC')`,
      ...conditions,
    ].join(' AND ');
  return {
    text: `${database}.${table.name}${conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''}`,
    format: 'parquet',
    grain_ns: 1n,
    most: OF_PARQUET,
    estimate: (window, signal) =>
      estimated(api, { from, database, table: table.name, where: inWindow(window) }, signal),
    documents: async function* (window, signal) {
      yield await api.parquet(`SELECT ${columns} FROM ${from} WHERE ${inWindow(window)}`, signal);
    },
  };
}

/** The rows are counted; their bytes are those of an average row of the table. */
async function estimated(
  api: ClickHouseApi,
  {
    from,
    database,
    table,
    where,
  }: { readonly from: string; readonly database: string; readonly table: string; readonly where: string },
  signal: AbortSignal,
): Promise<PullEstimate> {
  const [counted] = await api.rows(`SELECT count() AS rows FROM ${from} WHERE ${where}`, signal);
  const rows = Number(counted?.['rows']);
  const [sizes] = await api.rows(
    `SELECT sum(rows) AS rows, sum(data_compressed_bytes) AS bytes FROM system.parts
     WHERE active AND database = ${literal(database)} AND table = ${literal(table)}`,
    signal,
  );
  const stored = Number(sizes?.['rows'] ?? 0);
  // A distributed table has no parts of its own.
  return { rows, bytes: stored > 0 ? Math.round((rows * Number(sizes?.['bytes'])) / stored) : null, isCounted: true };
}
