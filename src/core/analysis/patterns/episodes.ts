import type { FindingEvidence } from '../../../model/incident/finding.ts';
import { nanoseconds } from '../../../model/time.ts';
import type { PatternEvent } from './case-facts.ts';
import { count } from './finding-text.ts';
import { patternLimits, patterns } from './parameters.ts';

const MOST_REFS = 20;

/** Consecutive events, each within a maximum distance of the one before. */
export interface Episode {
  readonly events: readonly [PatternEvent, ...PatternEvent[]];
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  /** Affected entities by first event; unnamed ones are omitted. */
  readonly entities: readonly number[];
}

/** Episodes in time order. @param keyOf events with equal keys can share an episode */
export function episodes(
  events: readonly PatternEvent[],
  keyOf: (event: PatternEvent) => unknown = ({ entity, device_id }) => (entity < 0 ? device_id : entity),
  apart_s = patterns.apartSeconds,
): Episode[] {
  const apart = nanoseconds(apart_s);
  return [...Map.groupBy(events, keyOf).values()].flatMap((own) => {
    const groups: PatternEvent[][] = [];
    for (const event of own) {
      const open = groups.at(-1);
      const last = open?.at(-1);
      if (open && last && event.time_ns - endOf(last) <= apart) open.push(event);
      else groups.push([event]);
    }
    return groups.map(toEpisode);
  });
}

export function toEpisode(events: readonly PatternEvent[]): Episode {
  const [first, ...rest] = events as [PatternEvent, ...PatternEvent[]];
  const entities = [...new Set(events.map(({ entity }) => entity))].filter((entity) => entity >= 0);
  return { events: [first, ...rest], start_ns: first.time_ns, end_ns: latest(events.map(endOf)), entities };
}

const endOf = ({ time_ns, details }: PatternEvent): bigint => time_ns + nanoseconds(details.lasted_s ?? 0);
const latest = (times: readonly bigint[]): bigint => times.reduce((a, b) => (a > b ? a : b));

/** How often it was reported: an event may stand for several. */
export const timesOf = (events: readonly PatternEvent[]): number =>
  events.reduce((sum, { attributes: { count } }) => sum + (typeof count === 'number' && count > 1 ? count : 1), 0);

/** Events as evidence, merged by type and text, with their records. */
export function eventLines(events: readonly PatternEvent[]): FindingEvidence[] {
  const alike = Map.groupBy(
    events,
    ({ device_id, type, message }) => `${device_id} ${type} ${withoutNumbers(message)}`,
  );
  return [...alike.values()].map((own) => {
    const [first] = own as [PatternEvent];
    const { device_id, type, message, origin } = first;
    const all =
      first.total > patternLimits.mostEvents ? ` of the first ${patternLimits.mostEvents} of ${first.total}` : '';
    const times = timesOf(own) > 1 || all !== '' ? `${count(timesOf(own), 'time')}${all}` : '';
    const messageText = message === '' ? type.replaceAll('_', ' ') : message;
    const by =
      origin === 'derived'
        ? isOfSamples(first)
          ? 'from metric samples'
          : 'derived'
        : origin === ''
          ? ''
          : `reported by ${origin}`;
    const how = [by, times].filter((part) => part !== '').join(', ');
    return {
      text: `${device_id === '' ? 'unnamed entity' : device_id}: ${messageText}${how === '' ? '' : ` (${how})`}`,
      refs: own.slice(0, MOST_REFS).map(({ ref }) => ref),
    };
  });
}

const isOfSamples = ({ attributes }: PatternEvent): boolean =>
  typeof (attributes['derived_from'] as { readonly metric?: unknown } | undefined)?.metric === 'string';

const withoutNumbers = (text: string): string => text.replaceAll(/\d+/g, '#');
