import { isQualified } from '../../../../model/telemetry/event-details.ts';
import type { NamedSpanFact } from '../../../store/facts/reader.ts';
import type { CaseFacts } from '../case-facts.ts';
import { type Episode, episodes, eventLines } from '../episodes.ts';
import { count, lengthText, nameList, percent } from '../finding-text.ts';
import { lacks, type Pattern, type Sign } from '../pattern.ts';
import { isLoading, isStep } from './training-spans.ts';

const APART_S = 600;
/** PyTorch's profiler recommends a change from 5 % of a step; a stall is far beyond tuning. */
const LEAST_SHARE = 0.25;
const LEAST_STEPS = 3;

export const dataloaderStall: Pattern = {
  id: 'dataloader-stall',
  detect: (facts) => [
    ...[...Map.groupBy(facts.rows.spans, ({ service }) => service).values()].flatMap(
      (own) => ofSpans(facts, own) ?? [],
    ),
    ...episodes(facts.of('data_loader_failed'), undefined, APART_S).map((episode) => ofFailures(facts, episode)),
  ],
};

function ofSpans(facts: CaseFacts, spans: readonly NamedSpanFact[]): Sign | undefined {
  const loads = spans.filter(isLoading);
  const [first] = loads;
  if (!first || loads.length < LEAST_STEPS) return undefined;
  const steps = spans.filter(isStep);
  const loaded = covered(loads);
  const isStepped = steps.length >= LEAST_STEPS;
  const end_ns = loads.reduce((last, span) => (span.end_ns > last ? span.end_ns : last), first.end_ns);
  // Without steps, the time from the first to the last load is the only reference.
  const whole = isStepped ? covered([...steps, ...loads]) : Number(end_ns - first.start_ns) / 1e9;
  if (whole <= 0 || loaded / whole < LEAST_SHARE) return undefined;
  const longest = loads.toSorted((a, b) => Number(b.end_ns - b.start_ns - (a.end_ns - a.start_ns))).slice(0, 5);
  const of = isStepped ? count(steps.length, 'step') : 'the time between its loads';
  return {
    headline: `${facts.name(first.service)} waited ${lengthText(loaded)} for input, ${percent(loaded / whole)} of ${of}.`,
    severity: loaded / whole >= 0.5 ? 'high' : 'medium',
    start_ns: first.start_ns,
    end_ns,
    entities: first.service < 0 ? [] : [first.service],
    evidence: [{ text: `the longest of ${count(loads.length, 'load')}`, refs: longest.map(({ ref }) => ref) }],
    missing: lacks(isStepped, 'traces', 'no training steps: share of a step unknown'),
  };
}

/** Seconds that any of these spans covers: a load is often recorded both as an operator and as an annotation. */
function covered(spans: readonly NamedSpanFact[]): number {
  let sum = 0n;
  let until = -(2n ** 63n);
  for (const { start_ns, end_ns } of spans.toSorted((a, b) => (a.start_ns < b.start_ns ? -1 : 1))) {
    if (end_ns <= until) continue;
    sum += end_ns - (start_ns > until ? start_ns : until);
    until = end_ns;
  }
  return Number(sum) / 1e9;
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
