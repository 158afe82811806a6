import { median } from '../statistics.ts';
import { firstAtOrAfter, type Measurements } from './measurement-table.ts';
import { impact } from './parameters.ts';

const DAY_NS = 86_400_000_000_000n;
/** What is usual changes slowly: it is found once for each of these parts of a day. */
const CELL_NS = 300_000_000_000n;
/** What another day measured this long before and after the same time is what is usual then. */
const AROUND_NS = 900_000_000_000n;
/** The nearest days are most like this one. */
const MOST_DAYS = 7n;

const latencies = ['p30', 'p50', 'p70', 'p95', 'p99'] as const;
const relative = [...latencies, 'throughput'] as const;
type Relative = (typeof relative)[number];
type Column = Record<Relative, Float64Array>;
type Level = Readonly<Record<Relative, number>>;

/** What is read and mapped of an impact. */
interface Window {
  readonly measurements: Measurements;
  /** Indexes of its measurements. */
  readonly first: number;
  readonly last: number;
  readonly baseline: { readonly p99: number; readonly throughput: number };
}

/**
 * Impacts within a window that is usual on the whole: a service that takes three times as long by day hides there what makes it ten times as
 * slow at noon. Each measurement is compared with those of other days at that time, as if the whole window were of one hour.
 * @param find impacts of a table of measurements
 * @param normal of normal days at any date
 */
export function beyondUsual<W extends Window>(
  { measurements, first, last }: W,
  normal: Measurements | undefined,
  find: (table: Measurements) => readonly W[],
): W[] {
  if (last - first + 1 < impact.leastUsualRows) return [];
  const others = [measurements, ...(normal ? [normal] : [])];
  const expected = expectedOf(measurements, { first, last }, others);
  const centre = levels((field) => median(expected[field]));
  const rows = (column: Float64Array): Float64Array => column.slice(first, last + 1);
  const table: Measurements = {
    ...measurements,
    time_ns: measurements.time_ns.slice(first, last + 1),
    error_rate: rows(measurements.error_rate),
    requests: rows(measurements.requests),
    ...levels((field) => rows(measurements[field]).map((value, i) => (value / expected[field][i]!) * centre[field])),
  };
  return find(table).map((found) => {
    const at = (field: Relative, value: number): number => (value / centre[field]) * expected[field][found.first]!;
    const { p99, throughput } = found.baseline;
    const baseline = { ...found.baseline, p99: at('p99', p99), throughput: at('throughput', throughput) };
    return { ...found, measurements, baseline, first: found.first + first, last: found.last + first };
  });
}

const levels = <T>(of: (field: Relative) => T): Record<Relative, T> =>
  Object.fromEntries(relative.map((field) => [field, of(field)])) as Record<Relative, T>;

/** Per measurement of a window the median of those of other days at the same time; NaN where fewer days than show what is usual have any. */
function expectedOf(
  measured: Measurements,
  { first, last }: { readonly first: number; readonly last: number },
  others: readonly Measurements[],
): Column {
  const columns = levels(() => new Float64Array(last - first + 1).fill(Number.NaN));
  let [cell, usual]: [bigint | null, Level | null] = [null, null];
  for (let i = first; i <= last; i++) {
    const own = measured.time_ns[i]! / CELL_NS;
    if (own !== cell) {
      cell = own;
      const days = others.flatMap((of) => sameTime(of, own, of === measured));
      usual = days.length < impact.usualDays ? null : levels((field) => median(days.map((day) => day[field])));
    }
    if (usual) for (const field of relative) columns[field][i - first] = usual[field];
  }
  return columns;
}

/** What each other day measured at a time of day. */
function sameTime(of: Measurements, cell: bigint, isOwn: boolean): Level[] {
  const { time_ns } = of;
  if (time_ns.length === 0) return [];
  const nearest = (day: bigint): bigint => (day < -MOST_DAYS ? -MOST_DAYS : day > MOST_DAYS ? MOST_DAYS : day);
  const [begin, end] = [time_ns[0]!, time_ns.at(-1)!].map((one) => (one - cell * CELL_NS) / DAY_NS) as [bigint, bigint];
  const [from_day, to_day] = isOwn ? [nearest(begin), nearest(end)] : [begin, end];
  const days: Level[] = [];
  for (let day = from_day; day <= to_day; day++) {
    const level = isOwn && day === 0n ? null : levelAt(of, cell + day * (DAY_NS / CELL_NS));
    if (level) days.push(level);
  }
  return days;
}

/** By table and part of time: each window of a day asks for those of the same other days. */
const knownLevels = new WeakMap<Measurements, Map<bigint, Level | null>>();

/** null: nothing was measured around then. */
function levelAt(of: Measurements, cell: bigint): Level | null {
  const known = knownLevels.get(of) ?? new Map<bigint, Level | null>();
  knownLevels.set(of, known);
  const before = known.get(cell);
  if (before !== undefined) return before;
  const centre = cell * CELL_NS + CELL_NS / 2n;
  const from = firstAtOrAfter(of.time_ns, centre - AROUND_NS);
  const to = firstAtOrAfter(of.time_ns, centre + AROUND_NS + 1n);
  const level = to > from ? levels((field) => median(of[field].subarray(from, to))) : null;
  known.set(cell, level);
  return level;
}
