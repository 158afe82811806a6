import type { Baseline, Region } from '../../../model/contract/differences.ts';
import type { DifferenceFilter } from '../../store/facts/reader.ts';

/** Half of the range of a BIGINT: a correction can be taken from it without overflow. */
const EVER = 2n ** 62n;

/** A region and its baseline as query parameters. */
export function differenceFilterOf(
  region: Region,
  baseline: Baseline,
  members: DifferenceFilter['members'],
): DifferenceFilter {
  const { start_ns, end_ns, duration_ms, span_name } = region;
  const nanoseconds = (ms: number): bigint => BigInt(Math.round(ms * 1e6));
  const own = {
    region_from_ns: start_ns,
    region_to_ns: end_ns,
    members,
    span_name,
    took_from_ns: duration_ms?.from == null ? -EVER : nanoseconds(duration_ms.from),
    took_below_ns: duration_ms?.below == null ? EVER : nanoseconds(duration_ms.below),
  };
  switch (baseline.kind) {
    case 'rest':
      return { ...own, baseline_from_ns: -EVER, baseline_to_ns: EVER, is_rest: true };
    case 'beside':
      return { ...own, baseline_from_ns: start_ns, baseline_to_ns: end_ns, is_rest: true };
    case 'before':
      return { ...own, baseline_from_ns: start_ns - (end_ns - start_ns), baseline_to_ns: start_ns, is_rest: false };
    case 'chosen':
      return { ...own, baseline_from_ns: baseline.start_ns, baseline_to_ns: baseline.end_ns, is_rest: false };
  }
}
