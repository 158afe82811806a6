import type { ArchiveSchema } from '../../../model/storage/archive.ts';
import type { SchemaOptions } from '../../../model/storage/fleet-store.ts';
import { grafanaDashboard } from './dashboard.ts';
import { pushedTables } from './pushed-tables.ts';
import { identifier } from './tables.ts';

/** `name type`, one column a line. */
type Columns = readonly string[];

interface Table {
  readonly name: string;
  readonly columns: Columns;
  readonly time: string;
  readonly order: string;
  /** Rows that are dropped after the shorter time; '': all rows stay for the longer one. */
  readonly lessImportant: string;
}

const attributes = 'Map(LowCardinality(String), String) CODEC(ZSTD(1))';
const word = 'LowCardinality(String)';
const nanoseconds = 'DateTime64(9) CODEC(Delta, ZSTD(1))';

const metricColumns: Columns = [
  `ResourceAttributes ${attributes}`,
  'ResourceSchemaUrl String',
  'ScopeName String',
  'ScopeVersion String',
  `ScopeAttributes ${attributes}`,
  'ScopeDroppedAttrCount UInt32',
  'ScopeSchemaUrl String',
  `ServiceName ${word}`,
  `MetricName ${word}`,
  'MetricDescription String',
  'MetricUnit String',
  `Attributes ${attributes}`,
  `StartTimeUnix ${nanoseconds}`,
  `TimeUnix ${nanoseconds}`,
  'Flags UInt32',
];
const exemplars =
  'Exemplars Nested(FilteredAttributes Map(LowCardinality(String), String), TimeUnix DateTime64(9), Value Float64, SpanId String, TraceId String)';
const summed: Columns = ['Count UInt64', 'Sum Float64'];
const extremes: Columns = ['Min Float64', 'Max Float64', 'AggregationTemporality Int32', exemplars];

const metricTable = (kind: string, columns: Columns): Table => ({
  name: `otel_metrics_${kind}`,
  columns: [...metricColumns, ...columns],
  time: 'TimeUnix',
  order: 'ServiceName, MetricName, cityHash64(Attributes), TimeUnix',
  lessImportant: '',
});

/**
 * What the collector's exporter inserts, by name (opentelemetry-collector-contrib, exporter/clickhouseexporter). Spans and logs are in order of
 * hours first, where the exporter's own tables begin with the service: a question about an hour then does not read the day.
 */
const tables: readonly Table[] = [
  {
    name: 'otel_traces',
    columns: [
      `Timestamp ${nanoseconds}`,
      'TraceId String CODEC(ZSTD(1))',
      'SpanId String CODEC(ZSTD(1))',
      'ParentSpanId String CODEC(ZSTD(1))',
      'TraceState String',
      `SpanName ${word}`,
      `SpanKind ${word}`,
      `ServiceName ${word}`,
      `ResourceAttributes ${attributes}`,
      'ScopeName String',
      'ScopeVersion String',
      `SpanAttributes ${attributes}`,
      'Duration UInt64 CODEC(ZSTD(1))',
      `StatusCode ${word}`,
      'StatusMessage String',
      'Events Nested(Timestamp DateTime64(9), Name LowCardinality(String), Attributes Map(LowCardinality(String), String))',
      'Links Nested(TraceId String, SpanId String, TraceState String, Attributes Map(LowCardinality(String), String))',
      'INDEX trace_id TraceId TYPE bloom_filter(0.001) GRANULARITY 1',
    ],
    time: 'Timestamp',
    order: 'toStartOfHour(Timestamp), ServiceName, SpanName, Timestamp',
    lessImportant: "StatusCode NOT IN ('Error', 'STATUS_CODE_ERROR')",
  },
  {
    name: 'otel_logs',
    columns: [
      `Timestamp ${nanoseconds}`,
      'TimestampTime DateTime DEFAULT toDateTime(Timestamp)',
      'TraceId String CODEC(ZSTD(1))',
      'SpanId String CODEC(ZSTD(1))',
      'TraceFlags UInt8',
      `SeverityText ${word}`,
      'SeverityNumber UInt8',
      `ServiceName ${word}`,
      'Body String CODEC(ZSTD(1))',
      'ResourceSchemaUrl String',
      `ResourceAttributes ${attributes}`,
      'ScopeSchemaUrl String',
      'ScopeName String',
      'ScopeVersion String',
      `ScopeAttributes ${attributes}`,
      `LogAttributes ${attributes}`,
      'EventName String',
      'INDEX trace_id TraceId TYPE bloom_filter(0.001) GRANULARITY 1',
    ],
    time: 'Timestamp',
    order: 'toStartOfHour(Timestamp), ServiceName, Timestamp',
    // Warnings begin at 13 in OpenTelemetry.
    lessImportant: 'SeverityNumber < 13',
  },
  metricTable('gauge', ['Value Float64 CODEC(ZSTD(1))', exemplars]),
  metricTable('sum', ['Value Float64 CODEC(ZSTD(1))', 'AggregationTemporality Int32', 'IsMonotonic Bool', exemplars]),
  metricTable('histogram', [...summed, 'BucketCounts Array(UInt64)', 'ExplicitBounds Array(Float64)', ...extremes]),
  metricTable('exponential_histogram', [
    ...summed,
    'Scale Int32',
    'ZeroCount UInt64',
    'PositiveOffset Int32',
    'PositiveBucketCounts Array(UInt64)',
    'NegativeOffset Int32',
    'NegativeBucketCounts Array(UInt64)',
    ...extremes,
  ]),
  metricTable('summary', [...summed, 'ValueAtQuantiles Nested(Quantile Float64, Value Float64)']),
];

/** Tables for a fleet that has none yet, and a collector that fills them. Statements end with `;` at the end of a line. */
export function clickhouseSchema({ database, days, important_days, links = null }: SchemaOptions): ArchiveSchema {
  const statements = tables.map((table) => createTable(table, { database, days, important_days }));
  return {
    statements: [
      `CREATE DATABASE IF NOT EXISTS ${identifier(database)}`,
      ...statements,
      ...traceTimes(identifier(database), important_days),
      ...pushedTables(identifier(database)),
    ],
    collector: collectorFor(database),
    dashboard: grafanaDashboard(database, links),
  };
}

function createTable(
  { name, columns, time, order, lessImportant }: Table,
  { database, days, important_days }: SchemaOptions,
): string {
  const after = (count: number): string => `toDateTime(${time}) + toIntervalDay(${count})`;
  const rules = [
    ...(lessImportant === '' ? [] : [`${after(days)} DELETE WHERE ${lessImportant}`]),
    `${after(important_days)} DELETE`,
  ];
  return [
    `CREATE TABLE IF NOT EXISTS ${identifier(database)}.${identifier(name)} (`,
    columns.map((column) => `  ${column}`).join(',\n'),
    ') ENGINE = MergeTree',
    `PARTITION BY toDate(${time})`,
    `ORDER BY (${order})`,
    `TTL ${rules.join(',\n    ')}`,
  ].join('\n');
}

/** When each trace began and ended, as the exporter has it, too: one trace is then found without a look at all days. */
const traceTimes = (database: string, days: number): string[] => [
  `CREATE TABLE IF NOT EXISTS ${database}.otel_traces_trace_id_ts (
  TraceId String CODEC(ZSTD(1)),
  Start DateTime CODEC(Delta, ZSTD(1)),
  End DateTime CODEC(Delta, ZSTD(1))
) ENGINE = MergeTree
PARTITION BY toDate(Start)
ORDER BY (TraceId, Start)
TTL Start + toIntervalDay(${days}) DELETE`,
  `CREATE MATERIALIZED VIEW IF NOT EXISTS ${database}.otel_traces_trace_id_ts_mv TO ${database}.otel_traces_trace_id_ts AS
SELECT TraceId, min(Timestamp) AS Start, max(Timestamp) AS End FROM ${database}.otel_traces WHERE TraceId <> '' GROUP BY TraceId`,
];

/** The tables are there already, so that the exporter must not make its own. */
const collectorFor = (database: string): string => `receivers:
  otlp:
    protocols:
      grpc: {endpoint: 0.0.0.0:4317}
      http: {endpoint: 0.0.0.0:4318}
processors:
  memory_limiter: {check_interval: 1s, limit_percentage: 75, spike_limit_percentage: 20}
  batch: {send_batch_size: 20000, timeout: 5s}
exporters:
  clickhouse:
    endpoint: \${env:CLICKHOUSE_ENDPOINT}
    username: \${env:CLICKHOUSE_USER}
    password: \${env:CLICKHOUSE_PASSWORD}
    database: ${JSON.stringify(database)}
    create_schema: false
    traces_table_name: otel_traces
    logs_table_name: otel_logs
    metrics_tables:
      gauge: {name: otel_metrics_gauge}
      sum: {name: otel_metrics_sum}
      histogram: {name: otel_metrics_histogram}
      exponential_histogram: {name: otel_metrics_exponential_histogram}
      summary: {name: otel_metrics_summary}
    retry_on_failure: {enabled: true}
service:
  pipelines:
    traces: {receivers: [otlp], processors: [memory_limiter, batch], exporters: [clickhouse]}
    logs: {receivers: [otlp], processors: [memory_limiter, batch], exporters: [clickhouse]}
    metrics: {receivers: [otlp], processors: [memory_limiter, batch], exporters: [clickhouse]}
`;
