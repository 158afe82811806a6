import { type PlacePart, placeAttributes } from '../../../model/telemetry/place-attributes.ts';
import type { RankNames } from './rank.ts';

type Attributes = Readonly<Record<string, unknown>>;

/** The first attribute of a part that has a value; '': none. */
export function placePart(attributes: Attributes, part: PlacePart): string {
  for (const key of placeAttributes[part]) {
    const value = attributes[key];
    if (typeof value === 'string' ? value !== '' : typeof value === 'number' || typeof value === 'bigint')
      return String(value);
  }
  return '';
}

/**
 * The rank that attributes name; undefined: none. Without a job, ranks of one service are of one job, whose name is unknown.
 */
export function rankOf(attributes: Attributes): RankNames | undefined {
  const text = placePart(attributes, 'rank');
  if (!/^\d{1,6}$/.test(text)) return undefined;
  const job = placePart(attributes, 'job');
  const isBare = placeAttributes.rank.every((key) => key === 'rank' || attributes[key] === undefined);
  if (isBare && job === '' && placePart(attributes, 'world') === '') return undefined;
  const rank = Number(text);
  if (job !== '') {
    const namespace = placePart(attributes, 'namespace');
    return { rank, job: namespace === '' ? job : `${namespace}/${job}`, alias: 'rank_of_job' };
  }
  const service = attributes['service.name'];
  return { rank, job: typeof service === 'string' ? service : '', alias: 'rank_of_unnamed_job' };
}
