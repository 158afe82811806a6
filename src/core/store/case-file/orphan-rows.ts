import type { Engine, Session } from '../../../model/storage/engine.ts';
import { rowsOf } from './case-file.ts';

/**
 * Takes out rows of a source that was never committed. A process killed while its commit was being written leaves a log
 * that ends within a transaction; DuckDB (1.5) shows the row groups of such a transaction all the same, without the row
 * in `source` that belongs to them (`test/main/torn-log.test.ts`). Sources are numbered upward, so that such rows have
 * numbers beyond the last.
 */
export async function removeOrphanRows(engine: Engine, session: Session): Promise<void> {
  const [last] = rowsOf<{ id: number }>(
    await session.query('select coalesce(max(source_id), 0)::integer as id from source'),
  );
  const owned = rowsOf<{ name: string }>(
    await session.query(
      `select table_name as name from duckdb_columns()
       where column_name = 'source_id' and table_name in (select table_name from duckdb_tables()) order by all`,
    ),
  );
  const beyond = `source_id > ${last?.id ?? 0}`;
  // Zone maps answer this without a scan.
  const strayed = rowsOf<{ name: string }>(
    await session.query(
      owned
        .map(({ name }) => `select '${name}' as name where exists (select 1 from ${name} where ${beyond})`)
        .join(' union all '),
    ),
  );
  if (strayed.length === 0) return;
  await session.execute(
    `begin transaction;\n${strayed.map(({ name }) => `delete from ${name} where ${beyond};`).join('\n')}\ncommit;`,
  );
  // Else the log would bring them back.
  await engine.checkpoint();
}
