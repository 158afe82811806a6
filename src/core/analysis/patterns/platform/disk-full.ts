import type { FindingEvidence } from '../../../../model/incident/finding.ts';
import { isQualified } from '../../../../model/telemetry/event-details.ts';
import type { CaseFacts, PatternEvent } from '../case-facts.ts';
import { episodes, eventLines } from '../episodes.ts';
import { count } from '../finding-text.ts';
import { patterns } from '../parameters.ts';
import { lacks, type Pattern, type Sign } from '../pattern.ts';

export const diskFull: Pattern = {
  id: 'disk-full',
  detect: (facts) => {
    const diskEvents = facts
      .of('node_condition', 'host_degradation')
      .filter((event) => event.severity < 3 && isQualified(event, 'disk_pressure'));
    return [
      ...episodes(facts.of('file_system_full'), undefined, patterns.briefApartSeconds).map(({ events }) =>
        ofLogs(facts, events),
      ),
      ...episodes(diskEvents).map(({ events }) => ofEvents(facts, events)),
    ];
  },
};

const ofLogs = (facts: CaseFacts, events: readonly [PatternEvent, ...PatternEvent[]]): Sign => {
  const [first] = events;
  const who = first.entity < 0 ? 'An unnamed entity' : facts.name(first.entity);
  const what = events.some((event) => isQualified(event, 'read_only'))
    ? 'had a file system remounted read-only'
    : 'ran out of file system space';
  return sign(facts, {
    headline: `${who} ${what}, ${count(events.length, 'time')}.`,
    entity: first.entity,
    start_ns: first.time_ns,
    end_ns: events.at(-1)?.time_ns ?? first.time_ns,
    evidence: eventLines(events),
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
