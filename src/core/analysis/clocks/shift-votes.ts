import type { Recorder } from './event-groups.ts';
import type { PairKind } from './pair-kind.ts';
import { clocks } from './parameters.ts';
import type { GroupPair, SourceLink } from './source-links.ts';

/**
 * Interval of one possible pair: the correction of the first data source minus that of the second lies
 * between `low` and `high` (seconds), most likely near `centre`.
 */
export interface Vote {
  readonly kind: PairKind;
  /** 1 where the first source recorded the cause; the error of a typical delay enters with this sign. */
  readonly sign: 1 | -1;
  readonly low: number;
  readonly high: number;
  readonly centre: number;
  /** Width added by sampling and truncation. */
  readonly blur: number;
  readonly cause_id: number;
  readonly effect_id: number;
  /** Key of the effect and kind: it has one cause. */
  readonly effect: string;
  /** Key of the cause, kind and entity: one effect per entity. */
  readonly cause: string;
  readonly causeOn: string;
  readonly cause_s: number;
  /** Time in the first source. */
  readonly first_s: number;
}

/** Range of tested shifts; each has its own chance level. */
export interface Domain {
  readonly name: 'near' | 'zone';
  /** Seconds of shifts that lie in it. */
  readonly width_s: number;
  /** From the least to the greatest shift in it. */
  readonly reach_s: number;
  readonly isAllowed: (shift: number) => boolean;
}

export const QUARTER_S = 900;
/** UTC+14 is the farthest time zone. */
export const MOST_QUARTERS = 56;
export const near: Domain = {
  name: 'near',
  get width_s() {
    return 2 * clocks.nearSeconds;
  },
  get reach_s() {
    return 2 * clocks.nearSeconds;
  },
  isAllowed: (shift) => Math.abs(shift) <= clocks.nearSeconds,
};
export const zone: Domain = {
  name: 'zone',
  get width_s() {
    return 2 * MOST_QUARTERS * 2 * clocks.zoneToleranceSeconds;
  },
  reach_s: 2 * MOST_QUARTERS * QUARTER_S,
  isAllowed: (shift) => {
    const quarters = Math.round(shift / QUARTER_S);
    return (
      quarters !== 0 &&
      Math.abs(quarters) <= MOST_QUARTERS &&
      Math.abs(shift - quarters * QUARTER_S) <= clocks.zoneToleranceSeconds
    );
  },
};

export function votesOf(link: SourceLink, recorders: ReadonlyMap<number, Recorder>, domain: Domain): Vote[] {
  const votes: Vote[] = [];
  for (const pair of link.pairs) {
    if (domain.name === 'zone' && pair.kind.high_s - pair.kind.low_s > clocks.widestZoneKindSeconds) continue;
    addVotes(votes, link, { pair, recorders, domain });
  }
  return votes;
}

function addVotes(
  votes: Vote[],
  { first }: SourceLink,
  {
    pair: { kind, cause, effect },
    recorders,
    domain,
  }: { readonly pair: GroupPair; readonly recorders: ReadonlyMap<number, Recorder>; readonly domain: Domain },
): void {
  const sign = cause.source === first ? 1 : -1;
  const causeDigits = recorders.get(cause.source)?.resolution_s ?? 0;
  const effectDigits = recorders.get(effect.source)?.resolution_s ?? 0;
  const effectKeys = effect.event_id.map((id) => `${id} ${kind.name}`);
  const causeKeys = cause.event_id.map((id) => `${id} ${kind.name}`);
  const causeOnKeys = causeKeys.map((key) => `${key} ${effect.entity}`);
  for (const [c, cause_s] of cause.time_s.entries()) {
    for (const [e, effect_s] of effect.time_s.entries()) {
      const lag = effect_s - cause_s;
      if (!domain.isAllowed(sign * (lag - kind.typical_s))) continue;
      // A record is later than the event by up to a sample's distance, and earlier by up to the truncated digits.
      const later = effectDigits + cause.floor_s[c]!;
      const sooner = causeDigits + effect.floor_s[e]!;
      const low = lag - kind.high_s - sooner - clocks.voteJitterSeconds;
      const high = lag - kind.low_s + later + clocks.voteJitterSeconds;
      votes.push({
        kind,
        sign,
        low: sign === 1 ? low : -high,
        high: sign === 1 ? high : -low,
        centre: sign * (lag - kind.typical_s + (later - sooner) / 2),
        blur: later + sooner,
        cause_id: cause.event_id[c]!,
        effect_id: effect.event_id[e]!,
        effect: effectKeys[e]!,
        cause: causeKeys[c]!,
        causeOn: causeOnKeys[c]!,
        cause_s,
        first_s: sign === 1 ? cause_s : effect_s,
      });
    }
  }
}

/** Vote of one effect: the union of the intervals of its possible causes. */
interface Ballot {
  readonly low: number;
  readonly high: number;
  readonly weight: number;
}

/**
 * The shifts with most support, best first. The weight of an effect is how unlikely a cause within reach is by chance, in nats:
 * small for wide windows or many possible causes. Effects of one cause share their weight, because one coincidence explains
 * them all.
 */
export function likeliestShifts(votes: readonly Vote[], domain: Domain): number[] {
  const ballots = ballotsOf(votes, domain);
  const edges = ballots.flatMap(({ low, high, weight }) => [
    { at: low, step: weight },
    { at: high, step: -weight },
  ]);
  edges.sort((a, b) => a.at - b.at || b.step - a.step);
  const peaks: { readonly shift: number; readonly score: number }[] = [];
  let score = 0;
  for (let i = 0; i < edges.length; i++) {
    const { at, step } = edges[i]!;
    score += step;
    const next = edges[i + 1];
    if (step <= 0 || !next || next.step > 0) continue;
    const shift = (at + next.at) / 2;
    const away = Math.abs(domain.name === 'near' ? shift : shift - Math.round(shift / QUARTER_S) * QUARTER_S);
    // Small errors are more common than large ones.
    peaks.push({ shift, score: score - Math.log1p(away) });
  }
  peaks.sort((a, b) => b.score - a.score || Math.abs(a.shift) - Math.abs(b.shift) || a.shift - b.shift);
  return peaks.slice(0, clocks.mostPeaks).map(({ shift }) => shift);
}

function ballotsOf(votes: readonly Vote[], domain: Domain): Ballot[] {
  const perCause = new Map<string, number>();
  for (const vote of votes) perCause.set(vote.cause, (perCause.get(vote.cause) ?? 0) + 1);
  return [...Map.groupBy(votes, ({ effect }) => effect).values()].flatMap((own) => {
    const sorted = own.toSorted((a, b) => a.low - b.low || a.high - b.high);
    const width = sorted[0]!.high - sorted[0]!.low;
    const surprise = Math.log(domain.width_s / (width * own.length));
    if (surprise <= 0) return [];
    const merged: { low: number; high: number; weight: number }[] = [];
    for (const vote of sorted) {
      const siblings = perCause.get(vote.cause) ?? 1;
      const weight = (surprise * (1 + Math.log(siblings))) / siblings;
      const last = merged.at(-1);
      if (last && vote.low <= last.high) {
        last.high = Math.max(last.high, vote.high);
        last.weight = Math.max(last.weight, weight);
      } else merged.push({ low: vote.low, high: vote.high, weight });
    }
    return merged;
  });
}

/**
 * Number of effects explained over all shifts, in effects times seconds, counted in bundles of `bundle`: divided by the width
 * of the domain it is the expected number of explained bundles at a random shift.
 */
export function coveredSeconds(votes: readonly Vote[], bundle: number): number {
  const edges: { readonly at: number; readonly step: 1 | -1 }[] = [];
  for (const own of Map.groupBy(votes, ({ effect }) => effect).values()) {
    let end = Number.NEGATIVE_INFINITY;
    for (const { low, high } of own.toSorted((a, b) => a.low - b.low)) {
      if (high <= end) continue;
      edges.push({ at: Math.max(low, end), step: 1 }, { at: high, step: -1 });
      end = high;
    }
  }
  edges.sort((a, b) => a.at - b.at);
  let [explained, since, covered] = [0, 0, 0];
  for (const { at, step } of edges) {
    covered += Math.floor(explained / bundle) * (at - since);
    explained += step;
    since = at;
  }
  return covered;
}

/** One cause per effect, and one effect per entity and cause: the pairs closest to the shift. */
export function pairsAt(votes: readonly Vote[], shift: number): Vote[] {
  const within = votes
    .filter(({ low, high }) => low <= shift && shift <= high)
    .sort(
      (a, b) =>
        Math.abs(a.centre - shift) - Math.abs(b.centre - shift) || a.cause_id - b.cause_id || a.effect_id - b.effect_id,
    );
  const effects = new Set<string>();
  const causes = new Set<string>();
  return within.filter(({ effect, causeOn }) => {
    if (effects.has(effect) || causes.has(causeOn)) return false;
    effects.add(effect);
    causes.add(causeOn);
    return true;
  });
}
