import type { LogFact } from '../../../store/facts/reader.ts';
import type { CaseFacts, PatternEvent } from '../case-facts.ts';
import { episodes, eventLines, toEpisode } from '../episodes.ts';
import { count, nameList } from '../finding-text.ts';
import { logRunEvidence, logRuns } from '../log-runs.ts';
import { lacks, type Pattern, type Sign } from '../pattern.ts';

const TEXTS = ['Watchdog caught collective operation timeout'];
/** A watchdog reports after its timeout: half an hour by default (PyTorch: 10 or 30 min). */
const SAME_NS = 3_600_000_000_000n;

export const collectiveHang: Pattern = {
  id: 'collective-hang',
  texts: TEXTS,
  detect: (facts) => {
    const stalled = facts.of('collective_stalled');
    const known = groupsOf(stalled).map((events) => ofRanks(facts, events));
    // All ranks of a job time out together.
    const timeouts = logRuns(facts.logsContaining(...TEXTS), () => 'all').filter(
      ([first]) =>
        !known.some(({ start_ns, end_ns }) => first.time_ns >= start_ns - SAME_NS && first.time_ns <= end_ns + SAME_NS),
    );
    return [...known, ...timeouts.map((run) => ofWatchdog(facts, run))];
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

function ofWatchdog(facts: CaseFacts, timeoutLogs: readonly [LogFact, ...LogFact[]]): Sign {
  const [first] = timeoutLogs;
  const entityIds = [...new Set(timeoutLogs.map(({ entity }) => entity))].filter((entity) => entity >= 0);
  const operation = /OpType=(\w+)/.exec(first.body)?.[1];
  return {
    headline: `A collective${operation ? ` (${operation})` : ''} timed out, reported ${count(timeoutLogs.length, 'time')}${entityIds.length > 0 ? ` by ${nameList(entityIds.map((key) => facts.name(key)))}` : ''}; missing rank not recorded.`,
    severity: 'critical',
    start_ns: first.time_ns,
    end_ns: timeoutLogs.at(-1)?.time_ns ?? first.time_ns,
    entities: entityIds,
    evidence: [logRunEvidence(timeoutLogs)],
    missing: lacks(
      false,
      'collectives',
      'no flight recorder dumps: the rank that never entered the collective is unknown',
    ),
  };
}
