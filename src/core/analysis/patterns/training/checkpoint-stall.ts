import { isQualified } from '../../../../model/telemetry/event-details.ts';
import { nanoseconds } from '../../../../model/time.ts';
import type { NamedSpanFact } from '../../../store/facts/reader.ts';
import type { CaseFacts, PatternEvent } from '../case-facts.ts';
import { type Episode, episodes, eventLines } from '../episodes.ts';
import { count, lengthText, nameList, secondsBetween } from '../finding-text.ts';
import { patterns } from '../parameters.ts';
import { lacks, type Pattern, type Sign } from '../pattern.ts';
import { trainingPatterns } from './parameters.ts';
import { ProcessNames, processKey } from './process-names.ts';
import { overlapping } from './same-time.ts';
import { isSave } from './training-spans.ts';

const MOST_SHOWN = 8;
export const checkpointStall: Pattern = {
  id: 'checkpoint-stall',
  detect: (facts) => {
    const storageRuns = episodes(facts.of('storage_not_responding'), undefined, patterns.briefApartSeconds);
    const hung = facts.of('process_event').filter((event) => isQualified(event, 'hung_task'));
    const names = new ProcessNames(facts);
    const jobs = Map.groupBy(facts.rows.saves.filter(isSave), (save) => names.group(save));
    const slowSaves = [...jobs.values()].flatMap((saves) => {
      const slow = [...Map.groupBy(saves, ({ name }) => name).values()].flatMap(slowOnes);
      const processes = new Set(saves.map((save) => processKey(save))).size;
      return overlapping(slow).map((together) => ofSaves(facts, { names, together, processes }, { storageRuns, hung }));
    });
    const isStorageReported = (from: bigint, to: bigint): boolean =>
      slowSaves.some(
        ({ start_ns, end_ns }) =>
          to >= start_ns - nanoseconds(trainingPatterns.storageSeconds) &&
          from <= end_ns + nanoseconds(trainingPatterns.storageSeconds),
      );
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
                (reported > events[0].time_ns ? reported - events[0].time_ns : events[0].time_ns - reported) <
                nanoseconds(trainingPatterns.storageSeconds),
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
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  readonly normal_s: number;
}
const lengthOf = ({ start_ns, end_ns }: NamedSpanFact): number => secondsBetween(start_ns, end_ns);
const isSlower = (length_s: number, normal_s: number): boolean =>
  length_s >= trainingPatterns.slowSaveTimes * normal_s && length_s - normal_s >= trainingPatterns.slowSaveSeconds;

/** Of the checkpoints of one name and job. A process is compared with itself: one that writes for all takes longer each time. */
function slowOnes(saves: readonly NamedSpanFact[]): Slow[] {
  const all = new Lengths(saves);
  return [...Map.groupBy(saves, processKey).values()].flatMap((ofProcess) => {
    const own = new Lengths(ofProcess);
    return ofProcess.flatMap((span) => {
      const isKnown = own.others(span) >= trainingPatterns.otherSaves;
      const normal_s = isKnown ? own.normal(span) : all.normal(span);
      const isComparable =
        isKnown || (all.others(span) >= trainingPatterns.otherSaves && !isSlower(own.normal(span), normal_s));
      if (!isComparable || own.others(span) === 0 || !isSlower(lengthOf(span), normal_s)) return [];
      return [{ span, start_ns: span.start_ns, end_ns: span.end_ns, normal_s }];
    });
  });
}

/** How long checkpoints that succeeded took. */
class Lengths {
  private readonly sorted: readonly number[];

  constructor(saves: readonly NamedSpanFact[]) {
    this.sorted = saves
      .filter(({ failed }) => !failed)
      .map(lengthOf)
      .sort((a, b) => a - b);
  }

  /** How many others there are. */
  others({ failed }: NamedSpanFact): number {
    return failed ? this.sorted.length : this.sorted.length - 1;
  }

  /** Median of the others of a slow one, in seconds: without any one of the slower half it is the same. */
  normal(span: NamedSpanFact): number {
    const middle = (this.others(span) - 1) / 2;
    return (this.sorted[Math.floor(middle)]! + this.sorted[Math.ceil(middle)]!) / 2;
  }
}

interface Storage {
  readonly storageRuns: readonly Episode[];
  readonly hung: readonly PatternEvent[];
}

interface SlowSaves {
  readonly names: ProcessNames;
  readonly together: readonly [Slow, ...Slow[]];
  /** Of the job. */
  readonly processes: number;
}

/** Checkpoints of one job that were slow at the same time. */
function ofSaves(facts: CaseFacts, { names, together, processes }: SlowSaves, { storageRuns, hung }: Storage): Sign {
  const longest = together.toSorted((a, b) => lengthOf(b.span) - lengthOf(a.span));
  const { span, normal_s } = longest[0]!;
  const { start_ns } = together[0];
  const end_ns = together.reduce((last, one) => (one.end_ns > last ? one.end_ns : last), together[0].end_ns);
  const isNear = (time_ns: bigint): boolean =>
    time_ns >= start_ns - nanoseconds(trainingPatterns.storageSeconds) &&
    time_ns <= end_ns + nanoseconds(trainingPatterns.storageSeconds);
  const near = storageRuns.filter((run) => isNear(run.start_ns));
  const stuck = [
    ...hung,
    ...facts.of('mount_failed', 'host_degradation').filter((event) => isQualified(event, 'storage_error')),
  ].filter(({ time_ns }) => isNear(time_ns));
  const entities = [...new Set(together.map((one) => names.entity(one.span)))].filter((entity) => entity >= 0);
  const hosts = entities
    .flatMap((entity) => [...facts.at(start_ns).sourcesOf(entity).keys()])
    .filter((key) => facts.isKind(key, 'server', 'node', 'instance'));
  const isKnown =
    near.length + stuck.length > 0 ||
    facts.hasLog(hosts) ||
    facts.hasMetric(hosts, 'system.disk.') ||
    facts.hasMetric(hosts, 'node_disk_');
  const slow = new Map(together.map((one) => [processKey(one.span), names.name(one.span)]));
  const who =
    slow.size === 1 ? names.name(span) : `${slow.size} of ${processes} processes (${nameList([...slow.values()])})`;
  const failed = together.some((one) => one.span.failed) ? ' and failed' : '';
  return {
    headline: `A checkpoint of ${who} took ${lengthText(lengthOf(span))}${failed}, others take ${lengthText(normal_s)}.`,
    severity: 'high',
    start_ns,
    end_ns,
    entities,
    evidence: [
      ...longest.slice(0, MOST_SHOWN).map((one) => ({
        text: `${slow.size === 1 ? '' : `${names.name(one.span)}, `}${one.span.name}: ${lengthText(lengthOf(one.span))}`,
        refs: [one.span.ref],
      })),
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
    missing: lacks(facts.rows.saves.some(isSave), 'traces', 'no checkpoint spans: affected job unknown'),
  };
};
