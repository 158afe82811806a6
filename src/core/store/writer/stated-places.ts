import type { Session } from '../../../model/storage/engine.ts';
import type { ReadPlaces } from '../../../model/storage/source.ts';
import { placeKeys, placeMarks, type StatedPlace } from '../../../model/telemetry/place-attributes.ts';
import { type CutByTime, eachPart, uncut } from '../copies/time-parts.ts';
import { Identities } from './identities.ts';
import { storedColumns } from './stored-columns.ts';

/** Different places of one data source: a fleet of 10,000 GPUs, and no id of a request. */
export const MOST_PLACES = 20_000;

/** Records that name places in their own attributes; of series, those that name a rank. */
export const placeTables = ['span', 'log', 'series'] as const;
type PlaceTable = (typeof placeTables)[number];

const anyOf = (texts: readonly string[]): string => texts.map((text) => text.replaceAll('.', '\\.')).join('|');
/** One search for all marks: eight of them by `contains` took twice as long. */
const marked = `regexp_matches(attributes, '${anyOf(placeMarks)}')`;
/** Other series are about the places that they name. */
const markedIn = (table: PlaceTable): string => (table === 'series' ? `contains(attributes, 'rank"')` : marked);
/** Members as they are written: records with the same ones are one place, so that few are parsed. */
const members = `regexp_extract_all(attributes, '"(?:${anyOf(placeKeys)})"\\s*:\\s*(?:"(?:[^"\\\\]|\\\\.)*"|[^,}"]*)')`;
/** A member of an inner object is none of the record: with objects inside, only equal texts are one place. */
const nested = `case when contains(substr(attributes, 2), '{') then attributes end`;
const paths = placeKeys.map((key) => `'$."${key}"'`).join(', ');

/**
 * The different places that spans, log records and series of a data source name in their own attributes. Called before its commit:
 * whatever container carried them, they are in these tables.
 *
 * @param resources attributes of each resource by its number
 * @param tables where the data source has rows
 * @param cut into parts that are read beside each other: 4 M records of an open transaction took 2.2 s as one, 1.2 s so
 */
export async function statedPlaces(
  session: Session,
  sourceId: number,
  resources: ReadonlyMap<number, string>,
  tables: readonly PlaceTable[] = placeTables,
  cut: CutByTime = uncut,
): Promise<StatedPlace[]> {
  const found: StatedPlace[] = [];
  for (const table of tables) {
    const { columns, count } = await session.query(
      `select distinct resource, to_json(stated)::varchar from (
         select resource, json_extract_string(attributes, [${paths}]) as stated from (${eachPart(
           table === 'series' ? ['true'] : cut(table, 1n),
           (part) => `
           select coalesce(resource, -1)::integer as resource, any_value(attributes) as attributes
           from ${table} where source_id = $1 and attributes is not null and ${markedIn(table)} and ${part}
           group by 1, ${members}, ${nested}`,
         )}))
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

/** Adds these places to data sources that were written as their rows came. */
export async function addStatedPlaces(session: Session, sources: readonly number[], read: ReadPlaces): Promise<void> {
  const identities = await Identities.load(session);
  for (const source of sources) {
    const places = await statedPlaces(session, source, identities.resourceAttributes());
    if (places.length === 0) continue;
    const batch = read(places);
    const remap = identities.remap(batch);
    await identities.flush(session, source);
    const rows = batch.tables.edge;
    if (!rows || rows.count === 0) continue;
    const columns = storedColumns({ table: 'edge', rows, remap, source, event: 0 });
    await session.append('edge', columns, rows.count);
  }
}
