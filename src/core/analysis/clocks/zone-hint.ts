import type { ClockFact } from '../../store/reader.ts';
import { zoneName, zoneOf } from './clock-words.ts';
import type { LinkVerdict } from './shift-test.ts';
import { QUARTER_S } from './shift-votes.ts';

/** Recordings with less between them have a time in common: they end when a poll or a download does. */
const BESIDE_NS = BigInt(QUARTER_S) * 1_000_000_000n;
/** A clock in a wrong zone is mostly right otherwise; beyond this one pair in ten would fit some hour by chance. */
const CLOSE_S = 5;

/** Sources whose whole recording lies apart from every other, where others were recorded together. */
export function sourcesApart(sources: readonly ClockFact[]): ReadonlySet<number> {
  const ranges = sources.flatMap(({ source_id, first_ns, last_ns, clock_offset_ns }) =>
    first_ns === null || last_ns === null
      ? []
      : [{ source_id, first: first_ns + clock_offset_ns, last: last_ns + clock_offset_ns }],
  );
  ranges.sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  const flocks: { last: bigint; readonly ids: number[] }[] = [];
  for (const { source_id, first, last } of ranges) {
    const flock = flocks.at(-1);
    if (flock && first <= flock.last + BESIDE_NS) {
      flock.ids.push(source_id);
      if (last > flock.last) flock.last = last;
    } else flocks.push({ last, ids: [source_id] });
  }
  if (flocks.every(({ ids }) => ids.length < 2)) return new Set();
  return new Set(flocks.filter(({ ids }) => ids.length === 1).flatMap(({ ids }) => ids));
}

/** What a source that lies apart may be off by: the zone that most of its pairs with one other source would fit. */
export interface ZoneHint {
  /** Quarters of an hour to add to its times. */
  readonly quarters: number;
  /** The other source. */
  readonly beside: number;
  readonly pairs: number;
}

export function zoneHint(id: number, verdicts: readonly LinkVerdict[]): ZoneHint | null {
  const hints = verdicts.flatMap(({ first, second, zone }) => {
    const found = zone && zoneOf(first === id ? zone.shift : -zone.shift);
    if (!found || Math.abs(found.beside_s) > CLOSE_S || zoneName(found.quarters) === null) return [];
    const { quarters, beside_s } = found;
    return [{ quarters, beside: first === id ? second : first, pairs: zone.pairs.length, off: Math.abs(beside_s) }];
  });
  const [best] = hints.sort((a, b) => b.pairs - a.pairs || a.off - b.off);
  return best ?? null;
}
