import type { Session } from '../../../model/storage/engine.ts';
import { rowsOf } from '../case-file/case-file.ts';
import { outdateDerivedEvents } from './derived-events.ts';
import { keepNextNumbers } from './next-numbers.ts';
import { resolveEntities } from './resolve-entities.ts';

/** Rows that other sources may use as well; they name the source that brought them first. */
const SHARED = ['entity', 'resource', 'series'];

const USED: Readonly<Record<string, string>> = {
  series: 'select series from point union select series from distribution union select series from exemplar',
  resource: `select resource from span where resource is not null union select resource from log where resource is not null
    union select resource from series where resource is not null`,
  entity: `select entity from event where entity is not null union select entity from series where entity is not null
    union select entity from resource where entity is not null union select service from span where service is not null
    union select rank from collective where rank is not null union select from_entity from edge
    union select to_entity from edge union select entity_id from alias`,
};

/**
 * Takes data sources out of the case in one transaction: their rows, the entities that only they name, and clocks that were set
 * for them. What other sources brought stays. Derived events are outdated afterwards.
 */
export async function removeSources(session: Session, sources: readonly number[]): Promise<void> {
  const list = sources.map((id) => Math.trunc(id)).join(', ');
  const owned = rowsOf<{ name: string }>(
    await session.query(
      `select table_name as name from duckdb_columns()
       where column_name = 'source_id' and table_name in (select table_name from duckdb_tables()) order by all`,
    ),
  ).filter(({ name }) => !SHARED.includes(name));
  await session.execute('begin transaction');
  try {
    await keepNextNumbers(session);
    for (const { name } of owned) await session.execute(`delete from ${name} where source_id in (${list})`);
    // Series name resources, and both name entities.
    for (const [table, id] of [
      ['series', 'series_id'],
      ['resource', 'resource_id'],
      ['entity', 'entity_id'],
    ] as const) {
      await session.execute(`delete from ${table} where source_id in (${list}) and ${id} not in (${USED[table]})`);
      await session.execute(
        `update ${table} set source_id = (select min(source_id) from source) where source_id in (${list})`,
      );
    }
    await session.execute(
      `delete from annotation where kind = 'clock' and try_cast(json_extract(body, '$.source') as integer) in (${list})`,
    );
    await resolveEntities(session);
    await outdateDerivedEvents(session);
    await session.execute('commit');
  } catch (error) {
    await session.execute('rollback');
    throw error;
  }
}
