import { nanoseconds } from '../../../model/time.ts';
import type { Measurements } from '../impact/measurement-table.ts';
import { medianInterval } from '../impact/onset.ts';
import { impact } from '../impact/parameters.ts';
import { median } from '../statistics.ts';
import { software } from './parameters.ts';
import { studentTail } from './significance.ts';

/** Medians of neighbouring measurements, long enough that one slow minute is not a bad time. */
interface Block {
  readonly from_ns: bigint;
  readonly p50: number;
  readonly p95: number;
  readonly error_rate: number;
}

const fields = ['p50', 'p95', 'error_rate'] as const;

/**
 * When a service did worst: the start of the minutes whose median latency, P95 or error rate differs most from the rest of the
 * recording. For a service of which users complain though no measurement is an impact. Null when chance may explain it, or the
 * difference is not relevant.
 */
export function worstTime(measured: Measurements): bigint | null {
  const blocks = blocksOf(measured);
  let worst: { readonly at_ns: bigint; readonly chance: number } | null = null;
  for (const field of fields) {
    const values = blocks.flatMap((block, i) => (Number.isNaN(block[field]) ? [] : [{ i, value: block[field] }]));
    const scaled = values.map(({ value }) => (field === 'error_rate' ? value : Math.log(value)));
    const least = field === 'error_rate' ? software.leastErrorRisePercent : Math.log(software.leastRatio);
    const found = worstRun(scaled, least);
    if (found && found.chance < (worst?.chance ?? software.worstTimeChance / blocks.length))
      worst = { at_ns: blocks[values[found.from]!.i]!.from_ns, chance: found.chance };
  }
  return worst?.at_ns ?? null;
}

function blocksOf(measured: Measurements): Block[] {
  const { time_ns } = measured;
  const interval_ns = nanoseconds(medianInterval(time_ns) || 0);
  const length = nanoseconds(impact.statedSeconds);
  // A row's time is the end of its interval.
  const keyOf = (time: bigint): bigint => (interval_ns < length ? (time - 1n) / length : time);
  const groups = Map.groupBy(time_ns.keys(), (i) => keyOf(time_ns[i]!));
  return [...groups.values()].map((rows) => {
    const of = (column: Float64Array): number => median(rows.map((row) => column[row]!));
    const from_ns = time_ns[rows[0]! - 1] ?? time_ns[rows[0]!]! - interval_ns;
    return { from_ns, p50: of(measured.p50), p95: of(measured.p95), error_rate: of(measured.error_rate) };
  });
}

/** The run of values, after the first one, that is above the rest by at least `least` and most significantly (Student's t). */
function worstRun(values: readonly number[], least: number): { readonly from: number; readonly chance: number } | null {
  const all = sums(values);
  let found: { readonly from: number; readonly chance: number } | null = null;
  for (let from = 1; from < values.length; from++) {
    let [n, sum, squares] = [0, 0, 0];
    for (let i = from; i < Math.min(values.length, from + software.worstTimeBlocks); i++) {
      n++;
      sum += values[i]!;
      squares += values[i]! ** 2;
      const [m, rest] = [all.n - n, all.sum - sum];
      const rise = sum / n - rest / m;
      if (m < 2 || !(rise >= least)) continue;
      const scatter = Math.max(0, squares - sum ** 2 / n + (all.squares - squares) - rest ** 2 / m) / (all.n - 2);
      const floor = (software.leastSpreadShare * rise) ** 2;
      const t = rise / Math.sqrt(Math.max(scatter, floor) * (1 / n + 1 / m));
      const chance = studentTail(t, all.n - 2);
      if (chance < (found?.chance ?? 1)) found = { from, chance };
    }
  }
  return found;
}

const sums = (values: readonly number[]) => ({
  n: values.length,
  sum: values.reduce((total, value) => total + value, 0),
  squares: values.reduce((total, value) => total + value ** 2, 0),
});
