import type { Session } from '../../../model/storage/engine.ts';

/** The first number of each sort that no row of the case has, or ever had. */
export interface NextNumbers {
  readonly source: number;
  readonly event: number;
  readonly name: number;
  readonly entity: number;
  readonly resource: number;
  readonly series: number;
}

const KEPT = 'next_numbers';

const above = (id: string, table: string, first: number): string =>
  `greatest((select coalesce(max(${id}) + 1, ${first}) from ${table}), coalesce((select value->>'$.${table}' from meta where key = '${KEPT}')::integer, ${first}))::integer`;

/**
 * Numbers are never used again: notes, links and reports name events and series by them. And they are not how many there are: rows
 * may have been removed between others.
 */
export async function nextNumbers(session: Session): Promise<NextNumbers> {
  const { columns } = await session.query(
    `select ${above('source_id', 'source', 1)}, ${above('event_id', 'event', 1)}, ${above('name_id', 'name', 0)},
       ${above('entity_id', 'entity', 0)}, ${above('resource_id', 'resource', 0)}, ${above('series_id', 'series', 0)}`,
  );
  const [source, event, name, entity, resource, series] = columns.map((column) => column[0] as number);
  return { source: source!, event: event!, name: name!, entity: entity!, resource: resource!, series: series! };
}

/** Before rows are removed. */
export async function keepNextNumbers(session: Session): Promise<void> {
  const next = await nextNumbers(session);
  await session.query('insert or replace into meta values ($1, $2)', [KEPT, JSON.stringify(next)]);
}
