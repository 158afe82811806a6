import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatUtc, nanos } from '../../src/model/time.ts';
import {
  BOUNDS_S,
  type EventSource,
  instant,
  type Recording,
  type SampleSeries,
  type ServiceTelemetry,
} from './recording.ts';

/**
 * Puts one incident down as a site would hand it over, for the ordinary importers: the topology as CSV, other names of
 * machines and cards as PowerTrace mappings, everything else as OTLP JSON lines (events as log records with the
 * `faultline.event.*` attributes).
 * @returns the paths, in the order in which they are best imported
 */
export async function writeFiles(directory: string, recording: Recording): Promise<readonly string[]> {
  await mkdir(directory, { recursive: true });
  const files: [name: string, text: string][] = [['topology.csv', topologyCsv(recording)]];
  if (recording.aliases.length > 0) files.push(['names.json', JSON.stringify({ mappings: mappings(recording) })]);
  const lines = (name: string, documents: readonly unknown[]) => {
    if (documents.length > 0) files.push([name, `${documents.map((one) => JSON.stringify(one)).join('\n')}\n`]);
  };
  lines(
    'samples.jsonl',
    recording.samples.map((series) => sampleDocument(recording, series)),
  );
  lines(
    'metrics.jsonl',
    recording.services.map((telemetry) => metricDocument(recording, telemetry)),
  );
  lines('traces.jsonl', spanDocuments(recording));
  lines('logs.jsonl', logDocuments(recording));
  for (const source of recording.sources) lines(`events-${source.name}.jsonl`, [eventDocument(recording, source)]);
  for (const [name, text] of files) await writeFile(join(directory, name), text);
  return files.map(([name]) => join(directory, name));
}

function topologyCsv(recording: Recording): string {
  const time = (at_s: number | undefined) => (at_s === undefined ? '' : formatUtc(nanos(instant(recording, at_s))));
  const rows = recording.edges.map(({ from, kind, to, valid_from_s, valid_to_s }) =>
    [from.kind, from.id, kind, to.kind, to.id, time(valid_from_s), time(valid_to_s)].join(','),
  );
  return `${['from_kind,from_id,edge,to_kind,to_id,valid_from,valid_to', ...rows].join('\n')}\n`;
}

const mappings = ({ aliases }: Recording) =>
  aliases.map(({ entity, alias }) => ({ physical_device_id: entity.id, [alias.kind]: alias.name }));

const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
const resource = (service: string) => ({ attributes: [text('service.name', service)] });
const time = (recording: Recording, at_s: number): string => String(instant(recording, at_s));

function metricDocument(recording: Recording, telemetry: ServiceTelemetry) {
  const metrics = telemetry.form === 'gauges' ? gaugeMetrics(recording, telemetry) : [histogram(recording, telemetry)];
  return { resourceMetrics: [{ resource: resource(telemetry.service), scopeMetrics: [{ metrics }] }] };
}

function sampleDocument(recording: Recording, { entity, metric, unit, rows }: SampleSeries) {
  const attributes = [text('faultline.entity.kind', entity.kind), text('faultline.entity.id', entity.id)];
  const dataPoints = rows.map(({ at_s, value }) => ({ timeUnixNano: time(recording, at_s), asDouble: value }));
  const metrics = [{ name: metric, unit, gauge: { dataPoints } }];
  return { resourceMetrics: [{ resource: { attributes }, scopeMetrics: [{ metrics }] }] };
}

function gaugeMetrics(recording: Recording, { rows }: Extract<ServiceTelemetry, { form: 'gauges' }>) {
  const fields = [
    ['service.latency.p50', 'ms', 'p50'],
    ['service.latency.p99', 'ms', 'p99'],
    ['service.error_rate', '%', 'error_rate'],
    ['service.throughput', '1/s', 'throughput'],
  ] as const;
  return fields.map(([name, unit, field]) => ({
    name,
    unit,
    gauge: {
      dataPoints: rows
        .filter((row) => !Number.isNaN(row[field]))
        .map((row) => ({ timeUnixNano: time(recording, row.at_s), asDouble: row[field] })),
    },
  }));
}

function histogram(recording: Recording, { rows }: Extract<ServiceTelemetry, { form: 'histograms' }>) {
  const point = (at_s: number, counts: readonly number[], status: number) => ({
    attributes: [{ key: 'http.response.status_code', value: { intValue: status } }],
    startTimeUnixNano: time(recording, 0),
    timeUnixNano: time(recording, at_s),
    count: String(counts.reduce((sum, count) => sum + count, 0)),
    explicitBounds: BOUNDS_S,
    bucketCounts: counts.map(String),
  });
  return {
    name: 'http.server.request.duration',
    unit: 's',
    histogram: {
      aggregationTemporality: 2,
      dataPoints: rows.flatMap(({ at_s, ok, failed }) => [point(at_s, ok, 200), point(at_s, failed, 503)]),
    },
  };
}

function spanDocuments(recording: Recording) {
  return [...Map.groupBy(recording.spans, ({ service }) => service)].map(([service, spans]) => ({
    resourceSpans: [
      {
        resource: resource(service),
        scopeSpans: [
          {
            spans: spans.map((span) => ({
              traceId: span.trace,
              spanId: span.id,
              ...(span.parent === '' ? {} : { parentSpanId: span.parent }),
              name: span.name,
              kind: span.kind,
              startTimeUnixNano: time(recording, span.start_s),
              endTimeUnixNano: time(recording, span.end_s),
              ...(span.failed ? { status: { code: 2 } } : {}),
            })),
          },
        ],
      },
    ],
  }));
}

function logDocuments(recording: Recording) {
  return [...Map.groupBy(recording.logs, ({ service }) => service)].map(([service, logs]) => ({
    resourceLogs: [
      {
        resource: resource(service),
        scopeLogs: [
          {
            logRecords: logs.map(({ at_s, severity, body }) => ({
              timeUnixNano: time(recording, at_s),
              severityNumber: severity,
              body: { stringValue: body },
            })),
          },
        ],
      },
    ],
  }));
}

function eventDocument(recording: Recording, { name, events }: EventSource) {
  const logRecords = events.map(({ id, at_s, entity, type, severity, message }) => ({
    timeUnixNano: time(recording, at_s),
    eventName: 'faultline.event',
    body: { stringValue: message },
    attributes: [
      text('faultline.event.id', id),
      text('faultline.event.type', type),
      text('faultline.event.severity', severity),
      text('faultline.event.source', name),
      text('faultline.entity.kind', entity.kind),
      text('faultline.entity.id', entity.id),
    ],
  }));
  return { resourceLogs: [{ scopeLogs: [{ logRecords }] }] };
}
