import { isQualified } from '../../../../model/telemetry/event-details.ts';
import type { LogFact, NamedSpanFact } from '../../../store/facts/reader.ts';
import { median } from '../../statistics.ts';
import type { CaseFacts, PatternEvent } from '../case-facts.ts';
import { episodes, eventLines } from '../episodes.ts';
import { count, lengthText, nameList, secondsBetween } from '../finding-text.ts';
import { logRunEvidence, logRuns } from '../log-runs.ts';
import { lacks, type Pattern, type Sign } from '../pattern.ts';
import { isSave } from './training-spans.ts';

/** Messages of network file systems when their server does not answer: NFS and Lustre clients. */
const TEXTS = [
  'not responding, still trying',
  'not responding, timed out',
  'in progress operations using this service will wait for recovery',
];
/** Compared with other checkpoints of the same job. */
const SLOW = 3;
const LEAST_OTHERS = 3;
const LEAST_S = 10;
const NEAR_NS = 300_000_000_000n;

export const checkpointStall: Pattern = {
  id: 'checkpoint-stall',
  texts: TEXTS,
  detect: (facts) => {
    const storageRuns = logRuns(facts.logsContaining(...TEXTS));
    const hung = facts.of('process_event').filter((event) => isQualified(event, 'hung_task'));
    const saves = facts.rows.spans.filter(isSave);
    const slow = [...Map.groupBy(saves, ({ service, name }) => `${service} ${name}`).values()].flatMap(slowOnes);
    const slowSaves = slow.map((save) => ofSave(facts, save, { storageRuns, hung }));
    const isStorageReported = (from: bigint, to: bigint): boolean =>
      slowSaves.some(({ start_ns, end_ns }) => to >= start_ns - NEAR_NS && from <= end_ns + NEAR_NS);
    const others = storageRuns.filter(([first]) => !isStorageReported(first.time_ns, first.time_ns));
    const stuck = episodes(hung.filter(({ time_ns }) => !isStorageReported(time_ns, time_ns)));
    return [
      ...slowSaves,
      ...others.map((run) => ofStorage(facts, run)),
      ...stuck
        .filter(
          ({ events }) =>
            !others.some(
              ([first]) =>
                (first.time_ns > events[0].time_ns
                  ? first.time_ns - events[0].time_ns
                  : events[0].time_ns - first.time_ns) < NEAR_NS,
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
  readonly storageRuns: readonly (readonly [LogFact, ...LogFact[]])[];
  readonly hung: readonly PatternEvent[];
}

function ofSave(facts: CaseFacts, { span, normal_s }: Slow, { storageRuns, hung }: Storage): Sign {
  const { service, start_ns, end_ns, ref, failed } = span;
  const isNear = (time_ns: bigint): boolean => time_ns >= start_ns - NEAR_NS && time_ns <= end_ns + NEAR_NS;
  const near = storageRuns.filter(([first]) => isNear(first.time_ns));
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
      ...near.map(logRunEvidence),
      ...eventLines(stuck),
    ],
    missing: lacks(
      isKnown,
      'server',
      'neither kernel log nor disk data of its machine: slow storage cannot be distinguished from a larger checkpoint',
    ),
  };
}

const ofStorage = (facts: CaseFacts, run: readonly [LogFact, ...LogFact[]]): Sign => {
  const [first] = run;
  return {
    headline: `Storage of ${first.entity < 0 ? 'a machine' : facts.name(first.entity)} does not answer, reported ${count(run.length, 'time')}: ${first.body.slice(0, 120)}.`,
    severity: 'high',
    start_ns: first.time_ns,
    end_ns: run.at(-1)?.time_ns ?? first.time_ns,
    entities: first.entity < 0 ? [] : [first.entity],
    evidence: [logRunEvidence(run)],
    missing: lacks(facts.rows.spans.some(isSave), 'traces', 'no checkpoint spans: affected job unknown'),
  };
};
