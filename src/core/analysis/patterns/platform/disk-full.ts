import type { FindingEvidence } from '../../../../model/incident/finding.ts';
import { isQualified } from '../../../../model/telemetry/event-details.ts';
import type { LogFact } from '../../../store/facts/reader.ts';
import type { CaseFacts, PatternEvent } from '../case-facts.ts';
import { episodes, eventLines } from '../episodes.ts';
import { count } from '../finding-text.ts';
import { logRunEvidence, logRuns } from '../log-runs.ts';
import { lacks, type Pattern, type Sign } from '../pattern.ts';

const TEXTS = [
  'No space left on device',
  'Remounting filesystem read-only',
  'disk quota exceeded',
  'Disk quota exceeded',
];
const READ_ONLY = /read-?only/i;

export const diskFull: Pattern = {
  id: 'disk-full',
  texts: TEXTS,
  detect: (facts) => {
    // Exhausted inotify watches have the same message.
    const diskLogs = facts.logsContaining(...TEXTS).filter(({ body }) => !/inotify|file watch/i.test(body));
    const diskEvents = facts
      .of('node_condition', 'host_degradation')
      .filter((event) => event.severity < 3 && isQualified(event, 'disk_pressure'));
    return [
      ...logRuns(diskLogs).map((run) => ofLog(facts, run)),
      ...episodes(diskEvents).map(({ events }) => ofEvents(facts, events)),
    ];
  },
};

const ofLog = (facts: CaseFacts, run: readonly [LogFact, ...LogFact[]]): Sign => {
  const [first] = run;
  const who = first.entity < 0 ? 'An unnamed entity' : facts.name(first.entity);
  const what = run.some(({ body }) => READ_ONLY.test(body))
    ? 'had a file system remounted read-only'
    : 'ran out of file system space';
  return sign(facts, {
    headline: `${who} ${what}, ${count(run.length, 'time')}.`,
    entity: first.entity,
    start_ns: first.time_ns,
    end_ns: run.at(-1)?.time_ns ?? first.time_ns,
    evidence: [logRunEvidence(run)],
  });
};

const ofEvents = (facts: CaseFacts, events: readonly [PatternEvent, ...PatternEvent[]]): Sign => {
  const [first] = events;
  return sign(facts, {
    headline: `${first.device_id}: ${first.message}.`,
    entity: first.entity,
    start_ns: first.time_ns,
    end_ns: events.at(-1)?.time_ns ?? first.time_ns,
    evidence: eventLines(events),
  });
};

interface About {
  readonly headline: string;
  readonly entity: number;
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  readonly evidence: readonly FindingEvidence[];
}

function sign(facts: CaseFacts, { entity, ...about }: About): Sign {
  const around =
    entity < 0
      ? []
      : [...facts.at(about.start_ns).sourcesOf(entity).keys(), ...facts.machineWithParts(entity, about.start_ns)];
  return {
    ...about,
    severity: 'high',
    entities: entity < 0 ? [] : [entity],
    missing: lacks(
      facts.hasMetric(around, 'system.filesystem.') || facts.hasMetric(around, 'node_filesystem_'),
      'metrics',
      'no file system usage: the full file system and the start are unknown',
    ),
  };
}
