import { nanoseconds } from '../../../../model/time.ts';
import type { CaseFacts, PatternEvent } from '../case-facts.ts';
import { type Episode, episodes, eventLines, toEpisode } from '../episodes.ts';
import { count, nameList } from '../finding-text.ts';
import { patterns } from '../parameters.ts';
import { lacks, type Pattern, type Sign } from '../pattern.ts';
import { trainingPatterns } from './parameters.ts';

export const collectiveHang: Pattern = {
  id: 'collective-hang',
  detect: (facts) => {
    const stalled = facts.of('collective_stalled');
    const known = groupsOf(stalled).map((events) => ofRanks(facts, events));
    // All ranks of a job time out together.
    const timeouts = episodes(facts.of('collective_timeout'), () => 'all', patterns.briefApartSeconds).filter(
      ({ start_ns: from }) =>
        !known.some(
          ({ start_ns, end_ns }) =>
            from >= start_ns - nanoseconds(trainingPatterns.watchdogSeconds) &&
            from <= end_ns + nanoseconds(trainingPatterns.watchdogSeconds),
        ),
    );
    return [...known, ...timeouts.map((episode) => ofWatchdog(facts, episode))];
  },
};

/** One hang per data source of derived events; reported events are joined by time. */
export const groupsOf = (events: readonly PatternEvent[]): (readonly [PatternEvent, ...PatternEvent[]])[] =>
  episodes(events, ({ origin, source_id }) => (origin === 'derived' ? source_id : 'reported')).map(
    (episode) => episode.events,
  );

function ofRanks(facts: CaseFacts, events: readonly [PatternEvent, ...PatternEvent[]]): Sign {
  const { entities: entityIds, start_ns, end_ns } = toEpisode(events);
  const waiting = new Set(
    events.flatMap(({ attributes }) => (attributes['waiting_ranks'] as number[] | undefined) ?? []),
  );
  const absent = events.filter(({ attributes }) => attributes['reason'] === 'absent');
  // If a rank never arrived, ranks that lag are only affected.
  const [first] = events.toSorted((a, b) => a.severity - b.severity) as [PatternEvent];
  const hosts = entityIds
    .flatMap((rank) => [...facts.at(start_ns).sourcesOf(rank).keys()])
    .filter((key) => facts.isKind(key, 'gpu', 'server', 'node', 'instance'));
  const others = waiting.size > 0 ? `; ${count(waiting.size, 'rank')} wait${waiting.size === 1 ? 's' : ''}` : '';
  const who =
    entityIds.length > 1
      ? `${count(entityIds.length, 'rank')} (${nameList(entityIds.map((key) => facts.name(key)))}): `
      : '';
  return {
    headline: `The job hangs: ${who}${first.message}${others}.`,
    severity: events.every(({ severity }) => severity >= 2) ? 'medium' : 'critical',
    start_ns,
    end_ns,
    entities: entityIds,
    evidence: eventLines(events),
    missing: [
      ...lacks(
        absent.length === 0,
        'collectives',
        `no recording of ${nameList(absent.map(({ entity }) => facts.name(entity)))}: position in the program unknown`,
      ),
      ...lacks(facts.isMentioned(hosts), 'gpu', 'no data of the GPUs and machines of these ranks: reason unknown'),
    ],
  };
}

function ofWatchdog(facts: CaseFacts, { events, entities, start_ns, end_ns }: Episode): Sign {
  const { operation } = events[0].details;
  const by = entities.length > 0 ? ` by ${nameList(entities.map((key) => facts.name(key)))}` : '';
  return {
    headline: `A collective${operation ? ` (${operation})` : ''} timed out, reported ${count(events.length, 'time')}${by}; missing rank not recorded.`,
    severity: 'critical',
    start_ns,
    end_ns,
    entities,
    evidence: eventLines(events),
    missing: lacks(
      false,
      'collectives',
      'no flight recorder dumps: the rank that never entered the collective is unknown',
    ),
  };
}
