import { z } from 'zod';
import type { PullEstimate, TimeWindow } from '../../../model/storage/archive.ts';
import { failed, passed } from '../../capture/connection-checks.ts';
import type { ArchiveKind, KindQuery } from '../archive-kind.ts';
import { httpPlan } from '../connection-plan.ts';
import { httpLogin } from '../http/login.ts';
import { ClickHouseApi } from './api.ts';
import { identifier, literal, type TableKind, tableKinds } from './tables.ts';

const name = z.string().min(1).max(200);

const planSchema = httpPlan(
  'clickhouse',
  {
    database: name.default('default').describe('database with the tables of the OpenTelemetry exporter'),
    traces: name.nullable().default('otel_traces').describe('table of spans; null: none'),
    logs: name.nullable().default('otel_logs').describe('table of log records; null: none'),
    metrics: z
      .array(name)
      .max(20)
      .default([
        'otel_metrics_gauge',
        'otel_metrics_sum',
        'otel_metrics_histogram',
        'otel_metrics_exponential_histogram',
        'otel_metrics_summary',
      ])
      .describe('tables of metrics'),
  },
  {
    title: 'ClickHouse',
    description: 'traces, logs and metrics as the ClickHouse exporter of the OpenTelemetry collector stores them',
  },
);

type ClickHousePlan = z.output<typeof planSchema>;

/**
 * ClickHouse by its HTTP interface (https://clickhouse.com/docs/interfaces/http), as Parquet: the tables of the collector's exporter
 * (opentelemetry-collector-contrib, exporter/clickhouseexporter).
 */
export const clickhouseArchive: ArchiveKind<typeof planSchema> = {
  kind: 'clickhouse',
  plan: planSchema,
  login: httpLogin,
  queries: async ({ plan, client, selection: { services, where }, signal }) => {
    const api = new ClickHouseApi(client);
    const present = await presentTables(api, plan, signal);
    const conditions = [
      ...(services.length > 0 ? [`ServiceName IN (${services.map(literal).join(', ')})`] : []),
      ...(where === null ? [] : [`(${where})`]),
    ];
    return present.map((table) => queryOf(api, plan, table, conditions));
  },
  probe: async (client, plan, signal) => {
    const present = await presentTables(new ClickHouseApi(client), plan, signal);
    return present.length > 0
      ? passed('values', `it has ${present.map((table) => table.name).join(', ')}`)
      : failed(
          'values',
          `the database ${plan.database} has none of the tables of the plan`,
          'set database and the names of tables',
        );
  },
};

interface PlannedTable {
  readonly name: string;
  readonly kind: TableKind;
}

/** Which tables of the plan there are: the exporter makes only those that it needs. */
async function presentTables(api: ClickHouseApi, plan: ClickHousePlan, signal: AbortSignal): Promise<PlannedTable[]> {
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
  return { rows, bytes: stored > 0 ? Math.round((rows * Number(sizes?.['bytes'])) / stored) : null };
}
