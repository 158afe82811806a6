import { fail, ProblemError } from '../../../model/problem.ts';
import { type FleetStore, type FleetTable, pushedTables } from '../../../model/storage/fleet-store.ts';
import type { ArchiveClient } from '../http/archive-client.ts';
import { sliceFiles } from '../slice-files.ts';
import { ClickHouseApi } from './api.ts';
import { checkedCondition } from './condition.ts';
import type { ClickHousePlan } from './plan.ts';
import { presentTables } from './present-tables.ts';
import { clickhouseSchema } from './schema.ts';
import { identifier, literal } from './tables.ts';

const TOO_MUCH = ['archive.slice_too_large', 'archive.too_slow'];

/** The database of a plan, to be asked in place. */
/** @param condition rows of its tables meet it; null: all of them */
export function clickhouseFleet(
  client: ArchiveClient,
  plan: ClickHousePlan,
  condition: string | null = null,
): FleetStore {
  const api = new ClickHouseApi(client, plan);
  const { database, traces, logs } = plan;
  // A statement that names a table of which the plan has none is not asked: see `tables`.
  let times: boolean | undefined;
  const named = { database, traces: traces ?? '', logs: logs ?? '' };
  const filters = filtersOf(plan, condition);
  return {
    grafana: plan.grafana,
    where: (one) => clickhouseFleet(client, plan, one),
    sampleTables: async (signal) => {
      const sql = `SELECT table, max(name = 'IsMonotonic') AS sums FROM system.columns
        WHERE database = {database:String} AND table IN {tables:Array(String)} GROUP BY table HAVING max(name = 'Value') ORDER BY table`;
      const found = await api.rows(sql, signal, { database, tables: plan.metrics });
      return found.map((row) => ({ name: String(row['table']), kind: Number(row['sums']) === 1 ? 'sum' : 'gauge' }));
    },
    tables: async (signal) => {
      const kinds = (await presentTables(api, plan, signal)).map(({ kind }) => kind);
      return new Set(kinds.filter((kind): kind is FleetTable => kind !== 'metrics'));
    },
    traceTimes: async (signal) => {
      if (traces === null) return null;
      const name = `${traces}_trace_id_ts`;
      const sql = 'SELECT name FROM system.tables WHERE database = {database:String} AND name = {name:String} LIMIT 1';
      times ??= (await api.rows(sql, signal, { database, name })).length > 0;
      return times ? name : null;
    },
    hasPushedTables: async (signal) => {
      const sql = 'SELECT name FROM system.tables WHERE database = {database:String} AND name IN {names:Array(String)}';
      const found = await api.rows(sql, signal, { database, names: [...pushedTables] });
      return found.length === pushedTables.length;
    },
    query: (sql, values, signal) => withinLimits(api.rows(sql, signal, { ...named, ...values }, filters)),
    slice: async (sql, values, signal) => {
      const rows = await withinLimits(api.parquet(sql, signal, { ...named, ...values }, filters));
      const document = async function* () {
        yield rows;
      };
      return sliceFiles([{ path: 'an answer of ClickHouse', captured_ns: 0n, documents: document() }], rows.length);
    },
    put: async (table, rows, signal) => {
      if (rows.length === 0) return;
      const into = `INSERT INTO ${identifier(database)}.${identifier(table)} FORMAT JSONEachRow`;
      await api.change(into, rows.map((row) => JSON.stringify(row)).join('\n'), signal);
    },
    createTables: async (days, signal) => {
      const { statements } = clickhouseSchema({ database, ...days });
      for (const sql of statements) await api.change(sql, '', signal);
      return statements.length;
    },
  };
}

/** Rows of the tables of a plan that meet a condition, as a setting of a statement. */
function filtersOf(
  { database, traces, logs, metrics }: ClickHousePlan,
  condition: string | null,
): Readonly<Record<string, string>> {
  if (condition === null) return {};
  const tables = [traces, logs, ...metrics].filter((name) => name !== null);
  const filters = tables.map((name) => `${literal(`${database}.${name}`)}: ${literal(checkedCondition(condition))}`);
  return { additional_table_filters: `{${filters.join(', ')}}` };
}

async function withinLimits<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ProblemError) || !TOO_MUCH.includes(error.problem.code)) throw error;
    return fail('fleet.too_much', error.problem.message, {
      hint: 'ask for a shorter time or fewer services, or allow more with memory_gib and timeout_s of the plan',
    });
  }
}
