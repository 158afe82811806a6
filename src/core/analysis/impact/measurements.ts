import { nanoseconds } from '../../../model/time.ts';
import type { GaugeFact, Reader, SpanBucketFact } from '../../store/facts/reader.ts';
import { countedRequests, withCountedErrors } from './counted-requests.ts';
import { withEnds } from './ended-work.ts';
import { histogramMeasurements } from './histogram-measurements.ts';
import { emptyMeasurements, type Measurements } from './measurement-table.ts';
import { medianInterval } from './onset.ts';
import { impact } from './parameters.ts';
import { collectiveMeasurements } from './stalled-jobs.ts';

/**
 * Gauges are exact, histograms nearly; spans only if there is nothing else. One kind per service, except that counters of requests
 * give the error rate where it shows no errors, and are the only ones of a service without others. A job that stopped in a collective
 * operation and is measured by nothing else is measured by its operations.
 */
export async function readMeasurements(reader: Reader): Promise<Map<number, Measurements>> {
  const found = new Map<number, Measurements>();
  const bySpans = await withEnds(reader, fromSpans(await reader.serviceSpans()));
  for (const measured of bySpans) found.set(measured.service, measured);
  for (const measured of histogramMeasurements(await reader.serviceHistograms())) found.set(measured.service, measured);
  for (const measured of fromGauges(await reader.serviceGauges())) found.set(measured.service, measured);
  for (const counted of await countedRequests(reader)) {
    const known = found.get(counted.service);
    found.set(counted.service, known ? withCountedErrors(known, counted) : counted);
  }
  for (const measured of await collectiveMeasurements(reader))
    if (!found.has(measured.service)) found.set(measured.service, measured);
  return found;
}

const fields = ['p50', 'p95', 'p99', 'error_rate', 'throughput'] as const;
export type MeasurementField = (typeof fields)[number];

/** Facts ascend by service and time. */
function fromGauges(facts: readonly GaugeFact[]): Measurements[] {
  return [...Map.groupBy(facts, (fact) => fact.service)].map(([service, rows]) => {
    const table = emptyMeasurements(
      service,
      'gauges',
      rows.map(({ time_ns }) => time_ns),
    );
    for (const field of fields) {
      const column = table[field];
      rows.forEach((row, i) => {
        column[i] = row[field] ?? Number.NaN;
      });
    }
    // At most the requests since the previous measurement, even if its interval is longer, so that each request counts once.
    const interval_s = medianInterval(table.time_ns);
    table.throughput.forEach((rate, i) => {
      table.requests[i] = rate * interval_s;
    });
    return table;
  });
}

/**
 * Buckets without spans are zero throughput if the recording continued (another service had spans), and missing otherwise: a
 * telemetry gap is not an outage. Partial buckets at the beginning and end of the recording are omitted.
 */
function fromSpans(facts: readonly SpanBucketFact[]): Measurements[] {
  if (facts.length === 0) return [];
  const recorded = recordedSpans(facts);
  return [...Map.groupBy(facts, (fact) => fact.service)].map(([service, rows]) => {
    const { width_ns } = rows[0]!;
    const byTime = new Map(rows.map((row) => [row.time_ns, row]));
    const times = fullBuckets(recorded, width_ns);
    const table = emptyMeasurements(service, 'spans', times);
    const begun = rows[0]!.first_ns;
    times.forEach((time, i) => {
      const row = byTime.get(time);
      // Before its first request the service may not have been recorded, or not have been there.
      table.throughput[i] = time - width_ns < begun ? Number.NaN : (row?.throughput ?? 0);
      table.requests[i] = row?.spans ?? 0;
      if (!row) return;
      table.p50[i] = row.p50;
      table.p95[i] = row.p95;
      table.p99[i] = row.p99;
      table.error_rate[i] = row.error_rate;
    });
    return table;
  });
}

interface MeasurementRun {
  readonly first_ns: bigint;
  readonly last_ns: bigint;
}

/**
 * Recorded time ranges, ascending. A pause as long as the shortest bucket of any service ends a range, because that service
 * would have shown it.
 */
function recordedSpans(facts: readonly SpanBucketFact[]): MeasurementRun[] {
  const silence = facts.reduce(
    (least, { width_ns }) => (width_ns < least ? width_ns : least),
    nanoseconds(impact.recordedPauseSeconds),
  );
  const sorted = [...facts].sort((a, b) => (a.first_ns < b.first_ns ? -1 : a.first_ns > b.first_ns ? 1 : 0));
  const merged: { first_ns: bigint; last_ns: bigint }[] = [];
  for (const { first_ns, last_ns } of sorted) {
    const open = merged.at(-1);
    if (!open || first_ns > open.last_ns + silence) merged.push({ first_ns, last_ns });
    else if (last_ns > open.last_ns) open.last_ns = last_ns;
  }
  return merged;
}

/** Ends of the buckets within a recorded range. */
function fullBuckets(recorded: readonly MeasurementRun[], width: bigint): bigint[] {
  return recorded.flatMap(({ first_ns, last_ns }) => {
    const times: bigint[] = [];
    for (let end = ((first_ns + width - 1n) / width) * width + width; end <= last_ns; end += width) times.push(end);
    return times;
  });
}
