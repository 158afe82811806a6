import { median } from '../statistics.ts';
import { chanceOf } from './chance.ts';
import type { Recorder } from './event-groups.ts';
import { clocks } from './parameters.ts';
import { type Domain, likeliestShifts, near, pairsAt, type Vote, votesOf, zone } from './shift-votes.ts';
import type { SourceLink } from './source-links.ts';

/** Estimated clock difference of two data sources. */
export interface Shift {
  readonly first: number;
  readonly second: number;
  /** Correction of the first minus that of the second, in seconds. */
  readonly shift: number;
  readonly pairs: readonly Vote[];
  /** Independent pairs. */
  readonly independent: number;
  /** Expected number of equally good shifts by chance. */
  readonly chance: number;
}
export interface LinkVerdict {
  readonly first: number;
  readonly second: number;
  readonly found: Shift | null;
  /** Best shift that was rejected, and the reason. */
  readonly hint: Shift | null;
  readonly doubt: 'no_pairs' | 'too_few' | 'chance' | 'ambiguous' | null;
  /** Best shift by a wrong time zone, if no shift was accepted. */
  readonly zone: Shift | null;
}

export function testLink(link: SourceLink, recorders: ReadonlyMap<number, Recorder>): LinkVerdict {
  const { first, second } = link;
  const close = best(link, recorders, near);
  if (close.found) return { first, second, ...close, zone: null };
  const far = best(link, recorders, zone);
  return { first, second, ...(far.found ? far : close), zone: far.hint };
}

type Best = Pick<LinkVerdict, 'found' | 'hint' | 'doubt'>;

function best(link: SourceLink, recorders: ReadonlyMap<number, Recorder>, domain: Domain): Best {
  const votes = votesOf(link, recorders, domain);
  if (votes.length === 0) return { found: null, hint: null, doubt: 'no_pairs' };
  const spans = [link.first, link.second].map((source) => recorders.get(source)?.span_s ?? 1) as [number, number];
  // In two recordings of an hour each, unrelated events are more often close than two hours apart.
  const watched_s = domain.name === 'near' ? Math.max(...spans) : spans[0] + spans[1];
  const readings = likeliestShifts(votes, domain)
    .map((shift) => weigh(link, votes, { shift, watched_s, domain }))
    .sort((a, b) => a.chance - b.chance || Math.abs(a.shift) - Math.abs(b.shift));
  const hint = readings[0] ?? null;
  if (!hint) return { found: null, hint, doubt: 'no_pairs' };
  if (hint.pairs.length < clocks.fewestPairs) return { found: null, hint, doubt: 'too_few' };
  if (hint.chance > clocks.shiftChance) return { found: null, hint, doubt: 'chance' };
  if (readings.some((other) => isRival(hint, other))) return { found: null, hint, doubt: 'ambiguous' };
  return { found: hint, hint: null, doubt: null };
}

/** Periodic events align at every multiple of their period. */
function isRival(hint: Shift, other: Shift): boolean {
  if (other.pairs.length < clocks.fewestPairs || shareMost(hint, other)) return false;
  const asMany =
    other.independent >= clocks.rivalShare * hint.independent &&
    other.pairs.length >= clocks.rivalShare * hint.pairs.length;
  return other.chance < hint.chance * clocks.clearerTimes || (asMany && other.chance <= clocks.shiftChance);
}

/** Two shifts from the same pairs are one. */
function shareMost(a: Shift, b: Shift): boolean {
  const own = new Set(a.pairs.map(({ cause_id, effect_id }) => `${cause_id} ${effect_id}`));
  const shared = b.pairs.filter(({ cause_id, effect_id }) => own.has(`${cause_id} ${effect_id}`)).length;
  return 2 * shared >= b.pairs.length;
}

interface Reading {
  readonly shift: number;
  readonly watched_s: number;
  readonly domain: Domain;
}

/** Expected number of shifts up to this size with as many independent pairs by chance. */
function weigh(link: SourceLink, votes: readonly Vote[], { shift: start, watched_s, domain }: Reading): Shift {
  let shift = start;
  let pairs = pairsAt(votes, shift);
  for (let round = 0; round < 2; round++) {
    shift = middle(pairs, shift);
    pairs = pairsAt(votes, shift);
  }
  const { independent, chance } = chanceOf(pairs, votes, { watched_s, domain, tried: shift });
  return { first: link.first, second: link.second, shift, pairs, independent, chance };
}

/** Weighted centre of the pairs' intervals, narrow ones first; within the bounds of every pair. */
export function middle(pairs: readonly Vote[], otherwise: number): number {
  if (pairs.length === 0) return otherwise;
  const narrowest = Math.min(...pairs.map(spreadOf));
  const centre = median(pairs.filter((pair) => spreadOf(pair) <= 2 * narrowest).map((pair) => pair.centre));
  const low = Math.max(...pairs.map((pair) => pair.low));
  const high = Math.min(...pairs.map((pair) => pair.high));
  return low <= high ? Math.min(high, Math.max(low, centre)) : centre;
}
const spreadOf = ({ kind, blur }: Vote): number => Math.hypot(kind.scatter_s, kind.bias_s, blur / Math.sqrt(12));

/**
 * Pairs within one data source: their clock is the same, so they show the delay in this cluster. Null if there are too few or
 * chance explains as many.
 */
export function ownDelays(link: SourceLink, recorders: ReadonlyMap<number, Recorder>): Shift | null {
  const votes = votesOf(link, recorders, near);
  const pairs = pairsAt(votes, 0);
  const watched_s = recorders.get(link.first)?.span_s ?? 1;
  const { independent, chance } = chanceOf(pairs, votes, { watched_s, domain: near, tried: null });
  if (pairs.length < clocks.fewestPairs || !(chance <= clocks.shiftChance)) return null;
  return { first: link.first, second: link.second, shift: 0, pairs, independent, chance };
}
