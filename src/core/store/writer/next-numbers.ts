import { z } from 'zod';
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
const keptNumbers = z.partialRecord(
  z.enum(['source', 'event', 'name', 'entity', 'resource', 'series']),
  z
    .int()
    .nonnegative()
    .max(2 ** 31 - 1),
);

/** Where each sort is numbered, and from which number on. */
const sorts = [
  { table: 'source', id: 'source_id', first: 1 },
  { table: 'event', id: 'event_id', first: 1 },
  { table: 'name', id: 'name_id', first: 0 },
  { table: 'entity', id: 'entity_id', first: 0 },
  { table: 'resource', id: 'resource_id', first: 0 },
  { table: 'series', id: 'series_id', first: 0 },
] as const;

/** One list: as values beside each other in one row it takes four times as long to plan. */
const highest = [
  ...sorts.map(({ table, id }) => `select '${table}' as place, max(${id})::varchar as value from ${table}`),
  `select '', value from meta where key = '${KEPT}'`,
].join(' union all ');

/** None where the text is not ours: a case may come from outside. */
function keptOf(text: string): z.infer<typeof keptNumbers> {
  try {
    return keptNumbers.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
}

/**
 * Numbers are never used again: notes, links and reports name events and series by them. And they are not how many there are: rows
 * may have been removed between others.
 */
export async function nextNumbers(session: Session): Promise<NextNumbers> {
  const { columns } = await session.query(highest);
  const [places = [], values = []] = columns;
  const found = new Map(places.map((place, i) => [place, values[i]]));
  const kept = keptOf(String(found.get('') ?? '{}'));
  const next = ({ table, first }: (typeof sorts)[number]): number => {
    const last = found.get(table);
    return Math.max(typeof last === 'string' ? Number(last) + 1 : first, kept[table] ?? first);
  };
  const [source, event, name, entity, resource, series] = sorts.map(next);
  return { source: source!, event: event!, name: name!, entity: entity!, resource: resource!, series: series! };
}

/** Before rows are removed. */
export async function keepNextNumbers(session: Session): Promise<void> {
  const next = await nextNumbers(session);
  await session.query('insert or replace into meta values ($1, $2)', [KEPT, JSON.stringify(next)]);
}
