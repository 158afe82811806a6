import type { MeanOf } from '../../../model/incident/incident.ts';
import type { Phases } from '../../store/facts/reader.ts';
import type { Measurements } from '../impact/measurement-table.ts';
import { impact } from '../impact/parameters.ts';
import { median, spread } from '../statistics.ts';
import { software } from './parameters.ts';
import { binomialTail, oddsAgainstChance, studentTail } from './significance.ts';

/** Deviation of one metric of a service from its baseline. */
export interface Deviation {
  readonly before: number;
  readonly after: number;
  /** Log-odds against chance; 0: unchanged. */
  readonly weight: number;
}

export const latencyFields = ['p50', 'p95', 'p99'] as const;
export type LatencyField = (typeof latencyFields)[number];

/** One service compared with its baseline; null if either phase has no measurements. */
export interface ServiceDeviation {
  readonly service: number;
  /** In ms; only a rise weighs. */
  readonly latencies: Readonly<Partial<Record<LatencyField, Deviation>>>;
  /** The quantile with the most significant change. */
  readonly latency: LatencyField | null;
  /** Its `p50` is a mean of this, because no quantile is known. */
  readonly meanOf?: MeanOf;
  /** Percent; only a rise weighs. */
  readonly errors: Deviation | null;
  /** Requests per second; a fall and a rise weigh alike. */
  readonly throughput: Deviation | null;
  /** What callers measured, with the way to the service, and it did not: everything, or its errors alone. */
  readonly byCallers?: 'all' | 'errors';
}

/** The latency that rose most significantly; null without latencies. */
export const latencyOf = ({ latencies, latency }: ServiceDeviation): Deviation | null =>
  latency === null ? null : (latencies[latency] ?? null);

/** Log-odds against chance of the stronger of its latency and errors; 0 when unmeasured. */
export const deviationOf = (deviation: ServiceDeviation | undefined): number =>
  deviation ? Math.max(latencyOf(deviation)?.weight ?? 0, deviation.errors?.weight ?? 0) : 0;

/** How far the latency is above its baseline, in folds (natural logarithm), at least 0. */
export function foldsOf(deviation: ServiceDeviation): number {
  const latency = latencyOf(deviation);
  return latency ? Math.max(0, Math.log(latency.after / latency.before)) : 0;
}

/** How far latency and errors are from their baseline, in folds, at least 0. */
export function extentOf(deviation: ServiceDeviation): number {
  const errors = deviation.errors ? deviation.errors.after - deviation.errors.before : 0;
  return foldsOf(deviation) + Math.max(0, errors) / software.errorPercentOfFold;
}

/**
 * Errors are those that callers saw, where the service itself shows fewer.
 * @param history measurements of normal days: how much the service varies, at whatever level
 */
export function deviate(measured: Measurements, phases: Phases, history?: Measurements): ServiceDeviation {
  const own = deviationOfTable(measured, phases, history);
  const { errors } = measured.callers ? deviationOfTable(measured.callers, phases) : own;
  const hasMore = (errors?.weight ?? 0) > (own.errors?.weight ?? 0);
  return hasMore ? { ...own, errors, byCallers: 'errors' } : own;
}

function deviationOfTable(measured: Measurements, phases: Phases, history?: Measurements): ServiceDeviation {
  const before = rowsBetween(measured, phases.before_from_ns, phases.before_to_ns);
  const after = rowsBetween(measured, phases.window_from_ns, phases.window_to_ns);
  const latencies: Partial<Record<LatencyField, Deviation>> = {};
  let worst: LatencyField | null = null;
  for (const field of latencyFields) {
    const found = shift(known(measured[field], before), known(measured[field], after), normal(history, field));
    if (!found) continue;
    const one = { ...found, weight: found.after > software.leastRatio * found.before ? found.weight : 0 };
    latencies[field] = one;
    if (worst === null || one.weight > (latencies[worst]?.weight ?? 0)) worst = field;
  }
  return {
    service: measured.service,
    latencies,
    latency: worst,
    errors: errorShift(measured, before, after, history),
    throughput: throughputShift(measured, before, after, normal(history, 'throughput')),
    ...(measured.meanOf ? { meanOf: measured.meanOf } : {}),
    ...(measured.from === 'callers' ? { byCallers: 'all' } : {}),
  };
}

/**
 * The same for a service of which users complain though chance may explain what was measured: that it does worse is known, so
 * each rise counts, but as next to no evidence.
 */
export function believed(deviation: ServiceDeviation): ServiceDeviation {
  const { latencies, latency, errors } = deviation;
  if ((latency !== null && latencies[latency]!.weight > 0) || (errors?.weight ?? 0) > 0) return deviation;
  const rises = latencyFields.flatMap((field) => {
    const one = latencies[field];
    return one && one.after > one.before ? [{ field, one, times: one.after / one.before }] : [];
  });
  const [most] = rises.toSorted((a, b) => b.times - a.times);
  return {
    ...deviation,
    latency: most?.field ?? latency,
    latencies: most ? { ...latencies, [most.field]: { ...most.one, weight: software.believedOdds } } : latencies,
    errors: errors && errors.after > errors.before ? { ...errors, weight: software.believedOdds } : errors,
  };
}

/** A row's time is the end of its interval. */
function rowsBetween({ time_ns }: Measurements, from_ns: bigint, to_ns: bigint): number[] {
  return time_ns.flatMap((time, i) => (time > from_ns && time <= to_ns ? [i] : []));
}

const known = (column: Float64Array, rows: readonly number[]): number[] =>
  rows.map((row) => column[row]!).filter((value) => !Number.isNaN(value));

/** One of two measurements before an incident may be in it already: the one that is more like those of normal days. */
const nearest = (values: readonly number[], usual: number): number | undefined =>
  values.toSorted((a, b) => Math.abs(Math.log(a / usual)) - Math.abs(Math.log(b / usual)))[0];

const normal = (history: Measurements | undefined, field: LatencyField | 'error_rate' | 'throughput'): number[] =>
  history ? known(history[field], [...history.time_ns.keys()]) : [];

/**
 * Median of the window against median and MAD of the baseline, by Student's t: heavy-tailed when the baseline is short.
 * Unsigned; the caller knows the bad direction. With enough measurements of normal days, these give the spread, relative to the
 * level, and without a baseline the level, too.
 */
function shift(before: readonly number[], after: readonly number[], history: readonly number[] = []): Deviation | null {
  if (history.length >= software.leastHistory && median(history) > 0) return shiftOfShape(before, after, history);
  if (before.length === 0 || after.length === 0) return null;
  const centre = median(before);
  const level = median(after);
  const scale = Math.max(
    spread(before),
    (before.length > 1 ? software.leastSpreadShare : software.leastSpreadShareOfOne) * Math.abs(centre),
  );
  const t = Math.abs(level - centre) / (scale * Math.sqrt(1 + 1 / before.length) || Number.MIN_VALUE);
  // Adjacent measurements are correlated: a window counts as one value.
  // The window's median is compared with the baseline's single values too: a level that occurred before is not new.
  const seen = before.filter((value) => (level > centre ? value >= level : value <= level)).length;
  const p = Math.max(studentTail(t, Math.max(1, before.length - 1)), seen / before.length);
  return { before: centre, after: level, weight: level === centre ? 0 : oddsAgainstChance(p, software.mostOdds) };
}

/** Compared with windows of normal days that are as long, each relative to its level. */
function shiftOfShape(
  before: readonly number[],
  after: readonly number[],
  history: readonly number[],
): Deviation | null {
  if (after.length === 0) return null;
  const usual = median(history);
  const centre = before.length >= impact.fewestNormalPoints ? median(before) : (nearest(before, usual) ?? usual);
  const level = median(after);
  const scale = Math.max(spread(history) / Math.abs(usual), software.leastSpreadShareOfOne) * Math.abs(centre);
  const t = Math.abs(level - centre) / (scale * Math.sqrt(1 + 1 / Math.max(1, before.length)));
  // How often normal days were as far from their own level for as long.
  const times = level / centre;
  const length = Math.min(after.length, history.length);
  const windows = Math.floor(history.length / length);
  const normalLevels = Array.from({ length: windows }, (_, i) => median(history.slice(i * length, (i + 1) * length)));
  const seen = normalLevels.filter((one) => (times > 1 ? one >= times * usual : one <= times * usual)).length;
  // Few measurements before the incident leave its level uncertain, however well the spread is known.
  const p = Math.max(studentTail(t, Math.max(1, before.length)), seen / normalLevels.length);
  const most = before.length > 0 ? software.mostOdds : software.mostOldLevelOdds;
  return { before: centre, after: level, weight: level === centre ? 0 : oddsAgainstChance(p, most) };
}

function throughputShift(
  measured: Measurements,
  before: readonly number[],
  after: readonly number[],
  history: readonly number[],
): Deviation | null {
  const found = shift(known(measured.throughput, before), known(measured.throughput, after), history);
  if (!found) return null;
  const ratio = Math.max(found.after / found.before, found.before / found.after);
  return { ...found, weight: ratio > software.leastThroughputRatio ? found.weight : 0 };
}

/** Failed of all requests, by counts: the chance that so many fail at the baseline's rate. */
function errorShift(
  measured: Measurements,
  before: readonly number[],
  after: readonly number[],
  history: Measurements | undefined,
): Deviation | null {
  const own = errorCount(measured, before);
  const was = own ?? (history ? errorCount(history, [...history.time_ns.keys()]) : null);
  const now = errorCount(measured, after);
  if (!was || !now) {
    const found = shift(known(measured.error_rate, before), known(measured.error_rate, after));
    if (!found) return null;
    return { ...found, weight: found.after > found.before + software.leastErrorRisePercent ? found.weight : 0 };
  }
  const [normalErrors, rate] = [(100 * was.failed) / was.requests, (100 * now.failed) / now.requests];
  // One error more than observed (rule of succession).
  const chance = Math.max((was.failed + 1) / (was.requests + 1), impact.leastNormalErrorPercent / 100);
  const p = binomialTail(Math.round(now.failed), Math.round(now.requests), Math.min(1, chance));
  const rises = rate > normalErrors + software.leastErrorRisePercent;
  return {
    before: normalErrors,
    after: rate,
    weight: rises ? oddsAgainstChance(p, own ? software.mostOdds : software.mostOldLevelOdds) : 0,
  };
}

/** Null if the count is unknown. */
function errorCount(
  measured: Measurements,
  rows: readonly number[],
): { readonly requests: number; readonly failed: number } | null {
  let requests = 0;
  let failed = 0;
  for (const row of rows) {
    const rate = measured.error_rate[row]!;
    const requestCount = measured.requests[row]!;
    if (Number.isNaN(rate) || Number.isNaN(requestCount)) continue;
    requests += requestCount;
    failed += (requestCount * rate) / 100;
  }
  return requests >= 1 ? { requests, failed } : null;
}
