import type { RequestedTokensFact } from '../../../store/facts/reader.ts';
import type { ServingCondition, ServingRule } from '../../serving/condition.ts';
import {
  type Compared,
  comparedIn,
  isOfOrigin,
  meanTokens,
  originOf,
  originsIn,
  type RequestOrigin,
  tokenTrack,
} from '../../serving/request-origin.ts';
import { meanIn, middleIn, type Run, readingsIn, refsOf, runsUnlikeBefore, usualBefore } from '../../serving/runs.ts';
import type { Level, ServiceSeries, Track } from '../../serving/service-series.ts';
import { median } from '../../statistics.ts';
import { lacks } from '../pattern.ts';
import { servingPatterns } from './parameters.ts';

/** Prompts or answers became longer, most of them or those of one origin: the requests changed, not the service. */
export const tokenShift: ServingRule = {
  id: 'token-shift',
  find: (series) => [...shifts(series, 'input'), ...shifts(series, 'output')],
};

type Tokens = 'input_tokens' | 'output_tokens';
const isLong = (tokens: number, than: number): boolean => tokens >= servingPatterns.longerTokensTimes * than;

const longRuns = (track: Track, series: ServiceSeries): Run[] =>
  runsUnlikeBefore(track, series, servingPatterns.tokensLastSeconds, isLong, { of: 'middle' });

/** Tokens of a usual request in a time and before it, with the requests. */
interface Shift {
  readonly tokens: number;
  readonly tokens_before: number;
  readonly requests: number;
  readonly refs: readonly string[];
}

const isShift = ({ tokens, tokens_before, requests }: Shift): boolean =>
  isLong(tokens, tokens_before) && requests >= servingPatterns.leastTokenRequests;

/** Those of one origin first: they last as long as its requests are longer, and most of all requests may be longer for less. */
function shifts(series: ServiceSeries, of: 'input' | 'output'): ServingCondition[] {
  const track = series.tracks.get(`${of}_tokens`);
  if (!track) return [];
  const rows = series.requested.filter(({ quantity }) => quantity === `${of}_tokens`);
  const kept: ServingCondition[] = [];
  for (const found of [...ofParts(series, rows), ...ofAll(series, { of, track, rows })])
    if (!kept.some((one) => one.start_ns < found.run.end_ns && found.run.start_ns < one.end_ns))
      kept.push(toCondition(series, of, found));
  return kept;
}

interface Found {
  readonly run: Run;
  readonly shift: Shift;
  /** null: of all requests. */
  readonly origin: RequestOrigin | null;
  /** Mean of all requests, and before. */
  readonly means: readonly [number, number];
}

interface All {
  readonly of: 'input' | 'output';
  readonly track: Track;
  readonly rows: readonly RequestedTokensFact[];
}

function ofAll(series: ServiceSeries, { of, track, rows }: All): Found[] {
  const quantity: Tokens = `${of}_tokens`;
  return longRuns(track, series).flatMap((run) => {
    const earlier = track.levels.filter(({ slice }) => slice < run.slices[0]!);
    const shift: Shift = {
      tokens: middleIn(series, quantity, run),
      tokens_before: median(earlier.map(({ middle }) => middle)),
      requests: readingsIn(series, quantity, run),
      refs: refsOf(series, quantity, run),
    };
    if (!isShift(shift)) return [];
    const means = [meanIn(series, quantity, run), usualBefore(series, quantity, run)] as const;
    return [ofOrigin(series, rows, run) ?? { run, shift, origin: null, means }];
  });
}

/** Longer requests of one origin, those of which there are most first; other requests of the service may be as before. */
const ofParts = (series: ServiceSeries, rows: readonly RequestedTokensFact[]): Found[] =>
  originsIn(rows)
    .flatMap(({ kind, name, rows: own }) =>
      longRuns(tokenTrack(own), series).flatMap((run) => {
        const found = ofOrigin(series, rows, run);
        return found?.origin?.[kind === 'first' ? 'caller' : kind] === name ? [found] : [];
      }),
    )
    .toSorted((a, b) => b.shift.requests - a.shift.requests);

/** What became longer in a time, if requests of one origin account for it. */
function ofOrigin(series: ServiceSeries, rows: readonly RequestedTokensFact[], run: Run): Found | undefined {
  const { before, during } = comparedIn(rows, run, series);
  const origin = originOf({ before, during });
  if (Object.values(origin).every((name) => name === null)) return undefined;
  const shift = shiftOf({ before, during }, origin);
  return isShift(shift) ? { run, shift, origin, means: [meanTokens(during), meanTokens(before)] } : undefined;
}

/** Of the requests of an origin; one that is new is compared with all requests before. */
function shiftOf({ before, during }: Compared, origin: RequestOrigin): Shift {
  const [own, earlier] = [during, before].map((some) => some.filter((row) => isOfOrigin(row, origin)));
  const usual = (some: readonly RequestedTokensFact[]): number =>
    some.length === 0 ? Number.NaN : median(tokenTrack(some).levels.map(({ middle }) => middle));
  const levels: readonly Level[] = own!.length === 0 ? [] : tokenTrack(own!).levels;
  return {
    tokens: usual(own!),
    tokens_before: usual(earlier!.length === 0 ? before : earlier!),
    requests: own!.reduce((sum, { readings }) => sum + readings, 0),
    refs: levels.flatMap(({ refs }) => refs).slice(0, MOST_REFS),
  };
}

const MOST_REFS = 5;

function toCondition(
  { service, model, tracks }: ServiceSeries,
  of: 'input' | 'output',
  { run: { start_ns, end_ns }, shift, origin, means }: Found,
): ServingCondition {
  const { tokens, tokens_before, refs } = shift;
  const [mean, mean_before] = means;
  return {
    service,
    model,
    start_ns,
    end_ns,
    figures: { rule: 'token-shift', of, tokens, tokens_before, origin, mean, mean_before },
    evidence: [{ quantity: `${of}_tokens`, refs }],
    missing: lacks(tracks.has('duration'), 'traces', 'no durations of requests: the effect is unknown'),
    isNew: true,
  };
}
