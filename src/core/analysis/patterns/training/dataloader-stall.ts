import { isQualified } from '../../../../model/telemetry/event-details.ts';
import type { CaseFacts } from '../case-facts.ts';
import { type Episode, episodes, eventLines } from '../episodes.ts';
import { count, lengthText, nameList, percent, secondsBetween } from '../finding-text.ts';
import { patterns } from '../parameters.ts';
import { lacks, type Pattern, type Sign } from '../pattern.ts';
import { type DataWait, dataWaits, type LoopProcess, loopProcesses, shareBetween } from './data-waits.ts';
import { trainingPatterns } from './parameters.ts';
import { ProcessNames } from './process-names.ts';
import { overlapping } from './same-time.ts';
import { starvedProcesses } from './starved-processes.ts';

const MOST_NAMED = 8;

export const dataloaderStall: Pattern = {
  id: 'dataloader-stall',
  detect: (facts) => {
    const names = new ProcessNames(facts);
    const jobs = Map.groupBy(loopProcesses(facts.rows.loadSlices), (process) => names.group(process));
    return [
      ...[...jobs.values()]
        .map(bestMeasured)
        .flatMap((processes) =>
          overlapping(processes.flatMap(dataWaits)).map((waits) => ofWaits(names, waits, processes)),
        ),
      ...starvedProcesses(facts),
      ...episodes(facts.of('data_loader_failed'), undefined, patterns.briefApartSeconds).map((episode) =>
        ofFailures(facts, episode),
      ),
    ];
  },
};

/** Spans of steps show more than what a program states of them. */
const bestMeasured = (processes: readonly LoopProcess[]): readonly LoopProcess[] =>
  ['steps', 'stated', 'loads']
    .map((kind) => processes.filter(({ measured }) => measured === kind))
    .find((some) => some.length > 0) ?? [];

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
const shareOf = ({ load_s, time_s }: DataWait): number => load_s / time_s;

/** Processes of one job that waited at the same time. */
function ofWaits(
  names: ProcessNames,
  waits: readonly [DataWait, ...DataWait[]],
  processes: readonly LoopProcess[],
): Sign {
  const [first] = waits;
  const start_ns = waits.reduce((least, one) => (one.start_ns < least ? one.start_ns : least), first.start_ns);
  const end_ns = waits.reduce((most, one) => (one.end_ns > most ? one.end_ns : most), first.end_ns);
  const share = sum(waits.map(({ load_s }) => load_s)) / sum(waits.map(({ time_s }) => time_s));
  const waiting = new Set(waits.map(({ process }) => process));
  const isStepped = waits.every(({ measured }) => measured !== 'loads');
  const peers = processes.filter((process) => !waiting.has(process));
  const worst = waits.toSorted((a, b) => shareOf(b) - shareOf(a)).slice(0, MOST_NAMED);
  return {
    headline: `${headOf(names, waits, waiting, processes.length)}, ${percent(share)} of ${stepsOf(waits)} in ${lengthText(secondsBetween(start_ns, end_ns))}${comparison(waits, peers, { start_ns, end_ns })}.`,
    severity: share >= trainingPatterns.severeStallShare ? 'high' : 'medium',
    start_ns,
    end_ns,
    entities: [...new Set([...waiting].map((process) => names.entity(process)))].filter((entity) => entity >= 0),
    evidence: worst.map((wait) => ({
      text: `${names.name(wait.process)}: ${percent(shareOf(wait))} of ${stepsOf([wait])}, the longest`,
      refs: [...wait.refs],
    })),
    missing: lacks(isStepped, 'traces', 'no training steps: share of a step unknown'),
  };
}

const stepsOf = (waits: readonly DataWait[]): string => {
  const steps = sum(waits.map((wait) => wait.steps));
  const { measured } = waits[0]!;
  if (measured === 'stated') return `its steps by ${count(steps, 'log line or sample', 'log lines or samples')}`;
  return measured === 'steps' ? count(steps, 'step') : `the time between ${count(steps, 'load')}`;
};

function headOf(
  names: ProcessNames,
  waits: readonly [DataWait, ...DataWait[]],
  waiting: ReadonlySet<LoopProcess>,
  processes: number,
): string {
  const [{ process }] = waits;
  const waited_s = sum(waits.map(({ load_s }) => load_s));
  if (waiting.size === 1) return `${names.name(process)} waited ${lengthText(waited_s)} for input`;
  const job = names.jobName(process);
  const who = waiting.size === processes ? `All ${processes}` : `${waiting.size} of ${processes}`;
  const list = waiting.size === processes ? '' : ` (${nameList([...waiting].map((one) => names.name(one)))})`;
  return `${who} processes${job === '' ? '' : ` of ${job}`}${list} waited ${lengthText(waited_s / waiting.size)} each for input`;
}

/** How it was at other times, and with the others of the job. */
function comparison(
  waits: readonly DataWait[],
  peers: readonly LoopProcess[],
  { start_ns, end_ns }: { readonly start_ns: bigint; readonly end_ns: bigint },
): string {
  const known = waits.flatMap(({ otherwise }) => otherwise ?? []);
  const before = known.length === 0 ? [] : [`otherwise ${percent(sum(known) / known.length)}`];
  const other = shareBetween(peers, start_ns, end_ns);
  const with_peers =
    other === undefined ? [] : [`${count(peers.length, 'other process', 'other processes')} ${percent(other)}`];
  const both = [...before, ...with_peers].join(', ');
  return both === '' ? '' : ` (${both})`;
}

function ofFailures(facts: CaseFacts, { events, entities, start_ns, end_ns }: Episode): Sign {
  const [first] = events;
  const who = first.entity < 0 ? 'A program' : facts.name(first.entity);
  const { signal } = first.details;
  const what = signal
    ? `lost a DataLoader worker (${signal})`
    : isQualified(first, 'timed_out')
      ? 'timed out waiting for its DataLoader'
      : 'lost a DataLoader worker';
  const hosts =
    first.entity < 0
      ? []
      : [...facts.at(start_ns).sourcesOf(first.entity).keys()].filter((key) =>
          facts.isKind(key, 'server', 'node', 'instance'),
        );
  return {
    headline: `${who} ${what}, ${count(events.length, 'time')}.`,
    severity: 'high',
    start_ns,
    end_ns,
    entities,
    evidence: eventLines(events),
    missing: lacks(
      facts.hasLog(hosts),
      'logs',
      `no kernel log of the machine${hosts.length > 0 ? ` (${nameList(hosts.map((key) => facts.name(key)))})` : ''}: reason (memory or storage) unknown`,
    ),
  };
}
