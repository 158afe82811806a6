import type { ServingPartFact } from '../../../store/facts/reader.ts';
import { partTime } from '../../serving/estimate.ts';
import { type Run, runsUnlikeBefore } from '../../serving/runs.ts';
import { type Level, type ServiceSeries, Track } from '../../serving/service-series.ts';
import type { CaseFacts } from '../case-facts.ts';
import { count, lengthText, percent } from '../finding-text.ts';
import { lacks, type Pattern, type Sign } from '../pattern.ts';
import { servingPatterns } from './parameters.ts';

/** Requests for one model, route or tenant are much slower than before, and the others are not: a small part hides in a p99. */
export const slowPart: Pattern = {
  id: 'slow-part',
  detect: (facts) =>
    facts.rows.serving.flatMap((series) => {
      const own = facts.rows.servingParts.filter(({ service }) => service === series.service);
      const parts = Map.groupBy(own, ({ part, name }) => JSON.stringify([part, name]));
      return [...parts.values()].flatMap((rows) => slowTimes(facts, series, rows));
    }),
};

const toLevel = ({ slice, readings, mean, ref }: ServingPartFact): Level => ({
  ...{ slice: Number(slice), readings, mean, middle: mean, high: mean },
  total: readings * mean,
  refs: [ref],
});

const sums = (levels: readonly Level[]): { readonly requests: number; readonly time_s: number } => ({
  requests: levels.reduce((sum, { readings }) => sum + readings, 0),
  time_s: levels.reduce((sum, { total }) => sum + total, 0),
});

function slowTimes(facts: CaseFacts, series: ServiceSeries, rows: readonly ServingPartFact[]): Sign[] {
  const track = new Track(rows.map(toLevel));
  const isSlow = (mean: number, than: number): boolean => mean >= servingPatterns.slowPartTimes * than;
  return runsUnlikeBefore(track, series, servingPatterns.servingLastsSeconds, isSlow).flatMap((run) => {
    const before = sums(track.levels.filter(({ slice }) => slice < run.slices[0]!));
    const inside = sums(track.levels.filter(({ slice }) => run.slices.includes(slice)));
    const { leastPartRequests } = servingPatterns;
    if (before.requests < leastPartRequests || inside.requests < leastPartRequests) return [];
    const usualMean = before.time_s / before.requests;
    const mean = inside.time_s / inside.requests;
    const others = othersIn(series, track, run);
    // What slowed the other requests as well is no sign of the part: a tenant 3.1 times as slow beside others 2.8 times.
    if (!others || !isSlow(mean, usualMean * Math.max(1, others.mean / others.usual))) return [];
    return [toSign(facts, series, rows[0]!, { run, track, mean, usualMean, requests: inside.requests, others })];
  });
}

interface Others {
  readonly requests: number;
  readonly mean: number;
  readonly usual: number;
}

/** The requests of the service without those of the part, during a run and before it; undefined: there are none. */
function othersIn({ tracks }: ServiceSeries, part: Track, { slices }: Run): Others | undefined {
  const all = tracks.get('duration')?.levels ?? [];
  const [first, last] = [slices[0]!, slices.at(-1)!];
  const rest = (of: (slice: number) => boolean) => {
    const [whole, own] = [
      sums(all.filter(({ slice }) => of(slice))),
      sums(part.levels.filter(({ slice }) => of(slice))),
    ];
    return { requests: whole.requests - own.requests, time_s: whole.time_s - own.time_s };
  };
  const [inside, before] = [rest((slice) => slice >= first && slice <= last), rest((slice) => slice < first)];
  if (inside.requests < 1 || before.requests < 1) return undefined;
  return { requests: inside.requests, mean: inside.time_s / inside.requests, usual: before.time_s / before.requests };
}

interface Slowness {
  readonly run: Run;
  readonly track: Track;
  readonly mean: number;
  readonly usualMean: number;
  readonly requests: number;
  readonly others: Others;
}

const MOST_REFS = 5;

function toSign(facts: CaseFacts, series: ServiceSeries, { part, name }: ServingPartFact, slow: Slowness): Sign {
  const { run, track, mean, usualMean, requests, others } = slow;
  const own = track.levels.filter(({ slice }) => run.slices.includes(slice)).toSorted((a, b) => b.mean - a.mean);
  const share = requests / (requests + others.requests);
  return {
    headline: `${facts.name(series.service)} took ${lengthText(mean)} a request for ${part} ${name} (${lengthText(usualMean)} before): ${count(requests, 'request')}, ${percent(share)} of all, and ${lengthText(others.mean)} for the others`,
    severity: 'medium',
    start_ns: run.start_ns,
    end_ns: run.end_ns,
    entities: [series.service],
    evidence: [{ text: `requests for ${part} ${name}`, refs: own.flatMap(({ refs }) => refs).slice(0, MOST_REFS) }],
    missing: lacks(
      series.tracks.has('input_tokens') || series.tracks.has('output_tokens'),
      'traces',
      'no lengths of prompts or answers: longer requests look the same',
    ),
    estimates: partTime(requests, mean, usualMean),
  };
}
