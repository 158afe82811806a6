import type { GaugeFact, Reader } from '../../store/facts/reader.ts';
import { countedRequests, withCountedErrors } from './counted-requests.ts';
import { withEnds } from './ended-work.ts';
import { failureMeasurements } from './failed-jobs.ts';
import { histogramMeasurements } from './histogram-measurements.ts';
import { meanMeasurements } from './mean-measurements.ts';
import { emptyMeasurements, type Measurements } from './measurement-table.ts';
import { medianInterval } from './onset.ts';
import { fromLogs, fromSpans } from './request-buckets.ts';
import { readMeasuredJobs, readSpanSteps } from './span-steps.ts';
import { collectiveMeasurements } from './stalled-jobs.ts';

/**
 * Gauges are exact, histograms nearly; sums of times, of which means follow, count where neither these nor spans, logs or steps are; spans, those of training steps first, only if there is nothing else, log records of requests or steps only if there are no
 * spans, and counters of steps, then times of steps by rank, only if there are no such records either. One kind per service, except that counters of requests give the error rate where it shows no errors, and are the only ones of
 * a service without others. What callers measured stands beside it. A job that stopped in a collective operation and is measured by nothing else is measured by its operations; one that failed, by that alone.
 */
export async function readMeasurements(reader: Reader): Promise<Map<number, Measurements>> {
  const found = new Map<number, Measurements>();
  const bySpans = await withEnds(reader, await spanMeasurements(reader));
  for (const measured of bySpans) if (measured.from !== 'callers') found.set(measured.service, measured);
  for (const measured of await histogramMeasurements(reader)) found.set(measured.service, measured);
  for (const measured of fromGauges(await reader.serviceGauges())) found.set(measured.service, measured);
  const requests = fromLogs(await reader.serviceLogRequests(found.keys()), 'logs');
  for (const measured of requests) found.set(measured.service, measured);
  const steps = fromLogs(await reader.serviceLogSteps(found.keys()), 'steps');
  for (const measured of steps) found.set(measured.service, measured);
  for (const measured of fromLogs(await reader.countedSteps(found.keys()), 'steps'))
    found.set(measured.service, measured);
  for (const job of await readMeasuredJobs(reader)) if (!found.has(job.service)) found.set(job.service, job);
  for (const means of await meanMeasurements(reader, new Set(found.keys()))) found.set(means.service, means);
  for (const counted of await countedRequests(reader)) {
    const known = found.get(counted.service);
    found.set(counted.service, known ? withCountedErrors(known, counted) : counted);
  }
  // Of less than one whole interval of a log nothing is known.
  const isUnmeasured = ({ service }: Measurements): boolean => (found.get(service)?.time_ns.length ?? 0) === 0;
  for (const measured of await collectiveMeasurements(reader))
    if (isUnmeasured(measured)) found.set(measured.service, measured);
  for (const failed of await failureMeasurements(reader)) if (isUnmeasured(failed)) found.set(failed.service, failed);
  for (const callers of bySpans.filter(({ from }) => from === 'callers')) {
    const known = found.get(callers.service);
    found.set(callers.service, known ? { ...known, callers } : callers);
  }
  return found;
}

/** A service without spans by those of its callers. A job by its steps alone: of its other spans, and those of its ranks, nobody waits for an answer. */
async function spanMeasurements(reader: Reader): Promise<Measurements[]> {
  const [spans, { whole: steps }] = [await reader.serviceSpans(), await readSpanSteps(reader)];
  const callers = spans.length === 0 ? [] : await reader.calledServices(await reader.callShare());
  if (steps.length === 0) return fromSpans(spans, { callers });
  const jobs = new Set(steps.map(({ service }) => service));
  const edges = (await reader.edges()).filter(({ kind, to_id }) => kind === 'member_of' && jobs.has(to_id));
  const isMeasured = new Set([...jobs, ...edges.map(({ from_id }) => from_id)]);
  return fromSpans(
    spans.filter(({ service }) => !isMeasured.has(service)),
    { steps, callers },
  );
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
