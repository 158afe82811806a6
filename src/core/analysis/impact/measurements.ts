import type { GaugeFact, Reader } from '../../store/facts/reader.ts';
import { countedRequests, withCountedErrors } from './counted-requests.ts';
import { histogramMeasurements } from './histogram-measurements.ts';
import { emptyMeasurements, type Measurements } from './measurement-table.ts';
import { medianInterval } from './onset.ts';
import { fromLogs, fromSpans } from './request-buckets.ts';

/**
 * Gauges are exact, histograms nearly; spans only if there is nothing else, and log records of requests only if there are no spans.
 * One kind per service, except that counters of requests give the error rate where it shows no errors, and are the only ones of a
 * service without others.
 */
export async function readMeasurements(reader: Reader): Promise<Map<number, Measurements>> {
  const found = new Map<number, Measurements>();
  for (const measured of fromSpans(await reader.serviceSpans())) found.set(measured.service, measured);
  for (const measured of await histogramMeasurements(reader)) found.set(measured.service, measured);
  for (const measured of fromGauges(await reader.serviceGauges())) found.set(measured.service, measured);
  for (const measured of fromLogs(await reader.serviceLogRequests(found.keys()))) found.set(measured.service, measured);
  for (const measured of fromLogs(await reader.serviceLogSteps(found.keys()))) found.set(measured.service, measured);
  for (const counted of await countedRequests(reader)) {
    const known = found.get(counted.service);
    found.set(counted.service, known ? withCountedErrors(known, counted) : counted);
  }
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
