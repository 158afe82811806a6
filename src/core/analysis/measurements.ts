import type { GaugeFact, Reader, SpanBucketFact } from '../store/reader.ts';
import { histogramMeasurements } from './histogram-measurements.ts';
import { emptyMeasurements, type Measurements } from './measurement-table.ts';

/** Gauges say it outright, histograms nearly; spans only when there is nothing else. One kind per service. */
export async function readMeasurements(reader: Reader): Promise<Map<number, Measurements>> {
  const found = new Map<number, Measurements>();
  for (const measured of fromSpans(await reader.serviceSpans())) found.set(measured.service, measured);
  for (const measured of histogramMeasurements(await reader.serviceHistograms())) found.set(measured.service, measured);
  for (const measured of fromGauges(await reader.serviceGauges())) found.set(measured.service, measured);
  return found;
}

const gaugeFields = {
  'service.latency.p50': 'p50',
  'service.latency.p95': 'p95',
  'service.latency.p99': 'p99',
  'service.error_rate': 'error_rate',
  'service.throughput': 'throughput',
} as const;
export type MeasurementField = (typeof gaugeFields)[keyof typeof gaugeFields];

function fromGauges(facts: readonly GaugeFact[]): Measurements[] {
  const services = Map.groupBy(facts, (fact) => fact.service);
  return [...services].map(([service, rows]) => {
    const instants = [...Map.groupBy(rows, (row) => row.time_ns)].sort(([a], [b]) => (a < b ? -1 : 1));
    const table = emptyMeasurements(
      service,
      'gauges',
      instants.map(([time]) => time),
    );
    instants.forEach(([, values], i) => {
      for (const { metric, value } of values) table[gaugeFields[metric as keyof typeof gaugeFields]][i] = value;
    });
    return table;
  });
}

/**
 * Buckets without a single span are zero throughput when the recording went on (some service had spans then),
 * and nothing at all when it did not: a telemetry gap is not an outage. The first and last buckets of the
 * recording are cut short, so they are left out.
 */
function fromSpans(facts: readonly SpanBucketFact[]): Measurements[] {
  if (facts.length === 0) return [];
  const recorded = facts.map((fact) => fact.time_ns).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const services = Map.groupBy(facts, (fact) => fact.service);
  return [...services].map(([service, rows]) => {
    const width = (rows[0] as SpanBucketFact).width_ns;
    const byTime = new Map(rows.map((row) => [row.time_ns, row]));
    const times = bucketTimes(recorded, width, byTime);
    const table = emptyMeasurements(service, 'spans', times);
    times.forEach((time, i) => {
      const row = byTime.get(time);
      table.throughput[i] = row?.throughput ?? 0;
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

function bucketTimes(recorded: readonly bigint[], width: bigint, own: ReadonlyMap<bigint, SpanBucketFact>): bigint[] {
  const covered = new Set(recorded.map((time) => ((time + width - 1n) / width) * width));
  const times = [...new Set([...covered, ...own.keys()])].sort((a, b) => (a < b ? -1 : 1));
  return times.length > 2 ? times.slice(1, -1) : times;
}
