import { nanoseconds } from '../../../model/time.ts';
import type { PartBucketFact, RequestBucketFact } from '../../store/facts/reader.ts';
import { median } from '../statistics.ts';
import { emptyMeasurements, type Measurements } from './measurement-table.ts';
import { impact } from './parameters.ts';

/** Buckets without requests of one service: the times of a log may be centuries apart. */
const MOST_EMPTY = 1_000_000;

interface RecordedRange {
  readonly first_ns: bigint;
  readonly last_ns: bigint;
}

/**
 * Buckets without spans are zero throughput if the recording continued (another service had spans), and missing otherwise: a
 * telemetry gap is not an outage. Facts ascend by service and time.
 * @param others `steps` of training jobs count as their requests; `callers` measured services that record no spans
 */
export function fromSpans(
  facts: readonly RequestBucketFact[],
  others: { readonly steps?: readonly RequestBucketFact[]; readonly callers?: readonly RequestBucketFact[] } = {},
): Measurements[] {
  const { steps = [], callers = [] } = others;
  const all = [...facts, ...steps];
  const recorded = joined(all, shortestWidth(all));
  const last_end_ns = lastEnd([...facts, ...callers]);
  const measure = (some: readonly RequestBucketFact[], from: 'spans' | 'steps' | 'callers'): Measurements[] =>
    byService(some).map((rows) =>
      from === 'steps' || last_end_ns === undefined
        ? fromBuckets(rows, from, recorded)
        : withoutUnended(fromBuckets(rows, from, recorded), last_end_ns),
    );
  return [...measure(facts, 'spans'), ...measure(steps, 'steps'), ...measure(callers, 'callers')];
}

/** When the last of these spans ended; undefined where that is not known. */
const lastEnd = (facts: readonly Pick<RequestBucketFact, 'last_end_ns'>[]): bigint | undefined =>
  facts.reduce<bigint | undefined>(
    (last, { last_end_ns: end }) => (end !== undefined && (last === undefined || end > last) ? end : last),
    undefined,
  );

/**
 * Spans are recorded when they end, so that of the last requests of a recording only the quick ones are there. Where a typical one
 * of the latest would have ended after it, and fewer are there than usual, how many came and failed is unknown.
 */
function withoutUnended(table: Measurements, last_end_ns: bigint): Measurements {
  const latest: { readonly took_ms: number; readonly requests: number }[] = [];
  table.time_ns.forEach((time, i) => {
    const [took_ms, requests] = [table.p70[i]!, table.requests[i]!];
    const usual_ms = median(latest.map((one) => one.took_ms));
    const usually = median(latest.map((one) => one.requests));
    const isOpen = Number.isFinite(usual_ms) && time + nanoseconds(usual_ms / 1000) > last_end_ns;
    if (isOpen && requests < impact.endedShare * usually) {
      table.throughput[i] = Number.NaN;
      table.error_rate[i] = Number.NaN;
    } else if (Number.isFinite(took_ms)) latest.push({ took_ms, requests });
    if (latest.length > impact.latestMeasurements) latest.shift();
  });
  return { ...table, last_end_ns };
}

/**
 * Buckets without requests are zero throughput while the log goes on with records of any kind: each service has its own log, which
 * begins and ends when it likes. `steps`: a step of a job counts as a request. Facts ascend by service and time.
 */
export function fromLogs(facts: readonly RequestBucketFact[], from: 'logs' | 'steps'): Measurements[] {
  return byService(facts).map((rows) => {
    const longest = nanoseconds(impact.silentLogSeconds);
    const bounded = rows[0]!.width_ns * BigInt(Math.ceil(MOST_EMPTY / rows.length));
    const reach = bounded < longest ? bounded : longest;
    const ranges = rows.map(({ time_ns, width_ns, first_ns, last_ns }) => ({
      first_ns: first_ns > time_ns - width_ns ? first_ns : time_ns - width_ns,
      last_ns: last_ns < time_ns + reach ? last_ns : time_ns + reach,
    }));
    return fromBuckets(rows, from, joined(ranges, 0n));
  });
}

const byService = (facts: readonly RequestBucketFact[]): RequestBucketFact[][] => [
  ...Map.groupBy(facts, ({ service }) => service).values(),
];

/** Of each part of each service. Facts of a part ascend by time. */
export function partsBySpans(facts: readonly PartBucketFact[]): Measurements[] {
  const last_end_ns = lastEnd(facts);
  const parts = Map.groupBy(facts, ({ service, part, name }) => JSON.stringify([service, part, name]));
  return [...parts.values()]
    .map(ofPart)
    .map((one) => (last_end_ns === undefined ? one : withoutUnended(one, last_end_ns)));
}

/**
 * Each row is an interval with requests. How many there are is up to those who send them: fewer are no sign of an impact, and the
 * throughput stays unknown. Facts ascend by time.
 */
export function ofPart(facts: readonly PartBucketFact[]): Measurements {
  const { service, part: kind, name } = facts[0]!;
  const table = emptyMeasurements(
    service,
    'spans',
    facts.map(({ time_ns }) => time_ns),
  );
  facts.forEach((row, i) => {
    fillRow(table, i, row);
  });
  return { ...table, part: { kind, name } };
}

function fillRow(table: Measurements, i: number, row: PartBucketFact | RequestBucketFact): void {
  table.requests[i] = row.requests;
  for (const field of ['p30', 'p50', 'p70', 'p95', 'p99', 'error_rate'] as const)
    table[field][i] = row[field] ?? Number.NaN;
}

/** Partial buckets at the beginning and end of what is recorded are omitted. */
function fromBuckets(
  rows: readonly RequestBucketFact[],
  from: 'spans' | 'logs' | 'steps' | 'callers',
  recorded: readonly RecordedRange[],
): Measurements {
  const { service, width_ns, time_ns, first_ns } = rows[0]!;
  const byTime = new Map(rows.map((row) => [row.time_ns, row]));
  const times = fullBuckets(recorded, width_ns);
  const table = emptyMeasurements(service, from, times);
  // Before its first request the service may not have been recorded, or not have been there.
  const begun = from === 'spans' || from === 'callers' ? first_ns : time_ns - width_ns;
  times.forEach((time, i) => {
    const row = byTime.get(time);
    table.throughput[i] = time - width_ns < begun ? Number.NaN : (row?.throughput ?? 0);
    table.requests[i] = 0;
    if (row) fillRow(table, i, row);
  });
  const latest = rows.reduce((last, row) => (row.time_ns > last ? row.time_ns : last), time_ns);
  return { ...table, did_after_ns: latest - width_ns };
}

/** A pause as long as the shortest bucket of any service ends a range, because that service would have shown it. */
const shortestWidth = (facts: readonly RequestBucketFact[]): bigint =>
  facts.reduce(
    (least, { width_ns }) => (width_ns < least ? width_ns : least),
    nanoseconds(impact.recordedPauseSeconds),
  );

/** Ranges that overlap, or have no longer pause between them, as one; ascending. */
function joined(ranges: readonly RecordedRange[], pause: bigint): RecordedRange[] {
  const sorted = [...ranges].sort((a, b) => (a.first_ns < b.first_ns ? -1 : a.first_ns > b.first_ns ? 1 : 0));
  const merged: { first_ns: bigint; last_ns: bigint }[] = [];
  for (const { first_ns, last_ns } of sorted) {
    const open = merged.at(-1);
    if (!open || first_ns > open.last_ns + pause) merged.push({ first_ns, last_ns });
    else if (last_ns > open.last_ns) open.last_ns = last_ns;
  }
  return merged;
}

/** Ends of the buckets within a recorded range. */
function fullBuckets(recorded: readonly RecordedRange[], width: bigint): bigint[] {
  return recorded.flatMap(({ first_ns, last_ns }) => {
    const times: bigint[] = [];
    for (let end = ((first_ns + width - 1n) / width) * width + width; end <= last_ns; end += width) times.push(end);
    return times;
  });
}
