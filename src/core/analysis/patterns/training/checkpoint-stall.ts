import { isQualified } from '../../../../model/telemetry/event-details.ts';
import type { NamedSpanFact } from '../../../store/facts/reader.ts';
import { median } from '../../statistics.ts';
import type { CaseFacts, PatternEvent } from '../case-facts.ts';
import { type Episode, episodes, eventLines } from '../episodes.ts';
import { count, lengthText, nameList, secondsBetween } from '../finding-text.ts';
import { lacks, type Pattern, type Sign } from '../pattern.ts';
import { isSave } from './training-spans.ts';

const APART_S = 600;
/** Compared with other checkpoints of the same job. */
const SLOW = 3;
const LEAST_OTHERS = 3;
const LEAST_S = 10;
const NEAR_NS = 300_000_000_000n;

export const checkpointStall: Pattern = {
  id: 'checkpoint-stall',
  detect: (facts) => {
    const storageRuns = episodes(facts.of('storage_not_responding'), undefined, APART_S);
    const hung = facts.of('process_event').filter((event) => isQualified(event, 'hung_task'));
    const saves = facts.rows.spans.filter(isSave);
    const slow = [...Map.groupBy(saves, ({ service, name }) => `${service} ${name}`).values()].flatMap(slowOnes);
    const slowSaves = slow.map((save) => ofSave(facts, save, { storageRuns, hung }));
    const isStorageReported = (from: bigint, to: bigint): boolean =>
      slowSaves.some(({ start_ns, end_ns }) => to >= start_ns - NEAR_NS && from <= end_ns + NEAR_NS);
    const others = storageRuns.filter(({ start_ns }) => !isStorageReported(start_ns, start_ns));
    const stuck = episodes(hung.filter(({ time_ns }) => !isStorageReported(time_ns, time_ns)));
    return [
      ...slowSaves,
      ...others.map((run) => ofStorage(facts, run)),
      ...stuck
        .filter(
          ({ events }) =>
            !others.some(
              ({ start_ns: reported }) =>
                (reported > events[0].time_ns ? reported - events[0].time_ns : events[0].time_ns - reported) < NEAR_NS,
            ),
        )
        .map(({ events, entities, start_ns, end_ns }) => ({
          headline: `Tasks hang on ${events[0].device_id} (${nameList(events.map(({ attributes }) => String(attributes['process'] ?? 'unknown')))}), ${count(events.length, 'report')}: reason not reported.`,
          severity: 'medium' as const,
          start_ns,
          end_ns,
          entities: entities,
          evidence: eventLines(events),
          missing: lacks(false, 'traces', 'no checkpoint spans and no storage data: wait for storage not confirmed'),
        })),
    ];
  },
};

interface Slow {
  readonly span: NamedSpanFact;
  readonly normal_s: number;
}
const lengthOf = ({ start_ns, end_ns }: NamedSpanFact): number => secondsBetween(start_ns, end_ns);

function slowOnes(saves: readonly NamedSpanFact[]): Slow[] {
  return saves.flatMap((span) => {
    const others = saves.filter((other) => other !== span && !other.failed).map(lengthOf);
    const normal_s = median(others);
    const isSlow =
      others.length >= LEAST_OTHERS && lengthOf(span) >= SLOW * normal_s && lengthOf(span) - normal_s >= LEAST_S;
    return isSlow ? [{ span, normal_s: normal_s }] : [];
  });
}

interface Storage {
  readonly storageRuns: readonly Episode[];
  readonly hung: readonly PatternEvent[];
}

function ofSave(facts: CaseFacts, { span, normal_s }: Slow, { storageRuns, hung }: Storage): Sign {
  const { service, start_ns, end_ns, ref, failed } = span;
  const isNear = (time_ns: bigint): boolean => time_ns >= start_ns - NEAR_NS && time_ns <= end_ns + NEAR_NS;
  const near = storageRuns.filter((run) => isNear(run.start_ns));
  const stuck = [
    ...hung,
    ...facts.of('mount_failed', 'host_degradation').filter((event) => isQualified(event, 'storage_error')),
  ].filter(({ time_ns }) => isNear(time_ns));
  const hosts = [...facts.at(start_ns).sourcesOf(service).keys()].filter((key) =>
    facts.isKind(key, 'server', 'node', 'instance'),
  );
  const isKnown =
    near.length + stuck.length > 0 ||
    facts.hasLog(hosts) ||
    facts.hasMetric(hosts, 'system.disk.') ||
    facts.hasMetric(hosts, 'node_disk_');
  return {
    headline: `A checkpoint of ${facts.name(service)} took ${lengthText(lengthOf(span))}${failed ? ' and failed' : ''}, others take ${lengthText(normal_s)}.`,
    severity: 'high',
    start_ns,
    end_ns,
    entities: service < 0 ? [] : [service],
    evidence: [
      { text: `${span.name}: ${lengthText(lengthOf(span))}`, refs: [ref] },
      ...near.flatMap(({ events }) => eventLines(events)),
      ...eventLines(stuck),
    ],
    missing: lacks(
      isKnown,
      'server',
      'neither kernel log nor disk data of its machine: slow storage cannot be distinguished from a larger checkpoint',
    ),
  };
}

const ofStorage = (facts: CaseFacts, { events, entities, start_ns, end_ns }: Episode): Sign => {
  const [first] = events;
  return {
    headline: `Storage of ${first.entity < 0 ? 'a machine' : facts.name(first.entity)} does not answer, reported ${count(events.length, 'time')}: ${first.message.slice(0, 120)}.`,
    severity: 'high',
    start_ns,
    end_ns,
    entities,
    evidence: eventLines(events),
    missing: lacks(facts.rows.spans.some(isSave), 'traces', 'no checkpoint spans: affected job unknown'),
  };
};
