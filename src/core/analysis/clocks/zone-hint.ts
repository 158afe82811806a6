import { nanoseconds } from '../../../model/time.ts';
import type { ClockFact } from '../../store/facts/reader.ts';
import { zoneName, zoneOf } from './clock-text.ts';
import { clocks } from './parameters.ts';
import type { LinkVerdict } from './shift-test.ts';
import { QUARTER_S, type Vote } from './shift-votes.ts';

/** Data sources with no time in common with any other. */
export function sourcesAlone(sources: readonly ClockFact[]): ReadonlySet<number> {
  return new Set(flocksOf(sources).flatMap((flock) => (flock.length === 1 ? flock : [])));
}

/** Those of them that are separate from several overlapping ones: theirs is likely the wrong clock. */
export function sourcesApart(sources: readonly ClockFact[]): ReadonlySet<number> {
  return flocksOf(sources).some((flock) => flock.length > 1) ? sourcesAlone(sources) : new Set();
}

/** Data sources by overlapping time ranges. */
function flocksOf(sources: readonly ClockFact[]): (readonly number[])[] {
  const ranges = sources.flatMap(({ source_id, first_ns, last_ns, clock_offset_ns }) =>
    first_ns === null || last_ns === null
      ? []
      : [{ source_id, first: first_ns + clock_offset_ns, last: last_ns + clock_offset_ns }],
  );
  ranges.sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  const flocks: number[][] = [];
  let end = 0n;
  for (const { source_id, first, last } of ranges) {
    const flock = flocks.at(-1);
    if (flock && first <= end + nanoseconds(clocks.overlapSeconds)) flock.push(source_id);
    else flocks.push([source_id]);
    if (flocks.at(-1)?.length === 1 || last > end) end = last;
  }
  return flocks;
}

/** Possible time-zone error of a separate data source: the zone that fits most pairs with one other data source. */
export interface ZoneHint {
  /** Quarters of an hour to add to its times. */
  readonly quarters: number;
  /** The other source. */
  readonly otherSource: number;
  readonly pairs: readonly Vote[];
}

export function zoneHint(id: number, verdicts: readonly LinkVerdict[]): ZoneHint | null {
  const hints = verdicts.flatMap(({ first, second, zone }) => {
    const found = zone && zoneOf(first === id ? zone.shift : -zone.shift);
    if (!found || zoneName(found.quarters) === null) return [];
    const { quarters, residual_s } = found;
    const shift = (first === id ? 1 : -1) * quarters * QUARTER_S;
    const pairs = zone.pairs.filter(
      ({ low, high }) => low - clocks.zoneErrorSeconds <= shift && shift <= high + clocks.zoneErrorSeconds,
    );
    if (pairs.length === 0) return [];
    return [{ quarters, otherSource: first === id ? second : first, pairs, off: Math.abs(residual_s) }];
  });
  const [best] = hints.sort((a, b) => b.pairs.length - a.pairs.length || a.off - b.off);
  return best ?? null;
}
