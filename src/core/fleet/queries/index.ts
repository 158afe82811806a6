import enteredServices from './entered-services.sql?raw';
import eventRecords from './event-records.sql?raw';
import gpuSamples from './gpu-samples.sql?raw';
import keptIncidents from './kept-incidents.sql?raw';
import logCounts from './log-counts.sql?raw';
import logLines from './log-lines.sql?raw';
import pastIncidents from './past-incidents.sql?raw';
import serviceParts from './service-parts.sql?raw';
import serviceRequests from './service-requests.sql?raw';
import traceHeads from './trace-heads.sql?raw';
import traceSpans from './trace-spans.sql?raw';
import traceTimes from './trace-times.sql?raw';

/** Statements of ClickHouse over the tables of the OpenTelemetry exporter; they answer as those of a case do over the same rows. */
export const fleetQueries = {
  enteredServices,
  eventRecords,
  gpuSamples,
  keptIncidents,
  logCounts,
  logLines,
  pastIncidents,
  serviceParts,
  serviceRequests,
  traceHeads,
  traceSpans,
  traceTimes,
};
