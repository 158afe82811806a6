import { clickhouse, run } from './clickhouse.ts';
import { faultlineHere } from './command-line-here.ts';
import { fleetPlan, fleetRowStatements, fleetSchemaOptions } from './fleet-statements.ts';

/** A real ClickHouse with an hour of a fleet, in the tables of `archive init`, and its plan. */
export async function fleetRows(): Promise<{ readonly url: string; readonly plan: string }> {
  const url = await clickhouse();
  const { out } = await faultlineHere('archive', 'init', 'clickhouse', ...fleetSchemaOptions);
  const { statements } = JSON.parse(out) as { readonly statements: readonly string[] };
  for (const sql of [...statements, ...fleetRowStatements]) await run(url, sql);
  return { url, plan: fleetPlan(url) };
}
