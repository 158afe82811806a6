import type { Session } from '../../../model/storage/engine.ts';
import { placeKeys, placeMarks, type StatedPlace } from '../../../model/telemetry/place-attributes.ts';

/** Different places of one data source: a fleet of 10,000 GPUs, and no id of a request. */
const MOST_PLACES = 20_000;

const marked = placeMarks.map((mark) => `contains(attributes, '${mark}')`).join(' or ');
const paths = placeKeys.map((key) => `'$."${key}"'`).join(', ');

/**
 * The different places that spans and log records of a data source name in their own attributes. Called before its commit:
 * whatever container carried them, they are in these tables.
 *
 * @param resources attributes of each resource by its number
 */
export async function statedPlaces(
  session: Session,
  sourceId: number,
  resources: ReadonlyMap<number, string>,
): Promise<StatedPlace[]> {
  const found: StatedPlace[] = [];
  for (const table of ['span', 'log']) {
    const { columns, count } = await session.query(
      `select resource, to_json(stated)::varchar from (
         select distinct coalesce(resource, -1)::integer as resource, json_extract_string(attributes, [${paths}]) as stated
         from ${table} where source_id = $1 and attributes is not null and (${marked}))
       where len(list_filter(stated, text -> text is not null)) > 0
       limit ${MOST_PLACES}`,
      [sourceId],
    );
    for (let row = 0; row < count; row++) {
      const stated = JSON.parse(columns[1]?.[row] as string) as (string | null)[];
      found.push({
        resource: resources.get(columns[0]?.[row] as number) ?? '',
        attributes: Object.fromEntries(placeKeys.flatMap((key, i) => (stated[i] ? [[key, stated[i]]] : []))),
      });
    }
  }
  return found;
}
