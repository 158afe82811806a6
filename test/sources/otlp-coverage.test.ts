import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tables } from '../../src/model/rows/rows.ts';

/** Every field of the OTLP schema: the column it becomes, or `dropped: why`. Containers name what carries their content. */
const coverage: Readonly<Record<string, string>> = {
  'TracesData.resource_spans': 'container',
  'MetricsData.resource_metrics': 'container',
  'LogsData.resource_logs': 'container',
  'ResourceSpans.resource': 'span.resource',
  'ResourceSpans.scope_spans': 'container',
  'ResourceSpans.schema_url': 'resource.schema_url',
  'ResourceMetrics.resource': 'series.resource',
  'ResourceMetrics.scope_metrics': 'container',
  'ResourceMetrics.schema_url': 'resource.schema_url',
  'ResourceLogs.resource': 'log.resource',
  'ResourceLogs.scope_logs': 'container',
  'ResourceLogs.schema_url': 'resource.schema_url',
  'ScopeSpans.scope': 'span.scope',
  'ScopeSpans.spans': 'container',
  'ScopeSpans.schema_url': 'dropped: names are read whatever the version of the conventions',
  'ScopeMetrics.scope': 'series.attributes',
  'ScopeMetrics.metrics': 'container',
  'ScopeMetrics.schema_url': 'dropped: names are read whatever the version of the conventions',
  'ScopeLogs.scope': 'log.scope',
  'ScopeLogs.log_records': 'container',
  'ScopeLogs.schema_url': 'dropped: names are read whatever the version of the conventions',
  'Resource.attributes': 'resource.attributes',
  'Resource.dropped_attributes_count': 'resource.attributes',
  'Resource.entity_refs':
    'dropped: they only list the identifying attributes, and entities are found from the attributes themselves',
  'InstrumentationScope.name': 'span.scope',
  'InstrumentationScope.version': 'span.scope',
  'InstrumentationScope.attributes': 'span.attributes',
  'InstrumentationScope.dropped_attributes_count': 'span.attributes',
  'EntityRef.schema_url': 'dropped: see Resource.entity_refs',
  'EntityRef.type': 'dropped: see Resource.entity_refs',
  'EntityRef.id_keys': 'dropped: see Resource.entity_refs',
  'EntityRef.description_keys': 'dropped: see Resource.entity_refs',
  'KeyValue.key': 'span.attributes',
  'KeyValue.value': 'span.attributes',
  'KeyValue.key_strindex': 'dropped: only profiles have a string table',
  'KeyValueList.values': 'span.attributes',
  'ArrayValue.values': 'span.attributes',
  'AnyValue.string_value': 'span.attributes',
  'AnyValue.bool_value': 'span.attributes',
  'AnyValue.int_value': 'span.attributes',
  'AnyValue.double_value': 'span.attributes',
  'AnyValue.array_value': 'span.attributes',
  'AnyValue.kvlist_value': 'span.attributes',
  'AnyValue.bytes_value': 'span.attributes',
  'AnyValue.string_value_strindex': 'dropped: only profiles have a string table',
  'Span.trace_id': 'span.trace_hi',
  'Span.span_id': 'span.span_id',
  'Span.trace_state': 'span.trace_state',
  'Span.parent_span_id': 'span.parent_id',
  'Span.flags': 'span.flags',
  'Span.name': 'span.name',
  'Span.kind': 'span.kind',
  'Span.start_time_unix_nano': 'span.start_ns',
  'Span.end_time_unix_nano': 'span.end_ns',
  'Span.attributes': 'span.attributes',
  'Span.dropped_attributes_count': 'span.dropped',
  'Span.events': 'container',
  'Span.dropped_events_count': 'span.dropped',
  'Span.links': 'container',
  'Span.dropped_links_count': 'span.dropped',
  'Span.status': 'container',
  'Event.time_unix_nano': 'span_event.time_ns',
  'Event.name': 'span_event.name',
  'Event.attributes': 'span_event.attributes',
  'Event.dropped_attributes_count': 'span_event.attributes',
  'Link.trace_id': 'span_link.linked_trace_hi',
  'Link.span_id': 'span_link.linked_span_id',
  'Link.trace_state': 'span_link.trace_state',
  'Link.attributes': 'span_link.attributes',
  'Link.dropped_attributes_count': 'span_link.attributes',
  'Link.flags': 'span_link.attributes',
  'Status.message': 'span.status_message',
  'Status.code': 'span.status',
  'LogRecord.time_unix_nano': 'log.time_ns',
  'LogRecord.observed_time_unix_nano': 'log.observed_ns',
  'LogRecord.severity_number': 'log.severity',
  'LogRecord.severity_text': 'log.severity_text',
  'LogRecord.body': 'log.body',
  'LogRecord.attributes': 'log.attributes',
  'LogRecord.dropped_attributes_count': 'log.dropped',
  'LogRecord.flags': 'log.flags',
  'LogRecord.trace_id': 'log.trace_hi',
  'LogRecord.span_id': 'log.span_id',
  'LogRecord.event_name': 'log.event_name',
  'Metric.name': 'series.metric',
  'Metric.description': 'series.description',
  'Metric.unit': 'series.unit',
  'Metric.gauge': 'series.kind',
  'Metric.sum': 'series.kind',
  'Metric.histogram': 'series.kind',
  'Metric.exponential_histogram': 'series.kind',
  'Metric.summary': 'series.kind',
  'Metric.metadata': 'series.attributes',
  'Gauge.data_points': 'container',
  'Sum.data_points': 'container',
  'Sum.aggregation_temporality': 'series.temporality',
  'Sum.is_monotonic': 'series.monotonic',
  'Histogram.data_points': 'container',
  'Histogram.aggregation_temporality': 'series.temporality',
  'ExponentialHistogram.data_points': 'container',
  'ExponentialHistogram.aggregation_temporality': 'series.temporality',
  'Summary.data_points': 'container',
  'NumberDataPoint.attributes': 'series.attributes',
  'NumberDataPoint.start_time_unix_nano': 'point.start_ns',
  'NumberDataPoint.time_unix_nano': 'point.time_ns',
  'NumberDataPoint.as_double': 'point.value',
  'NumberDataPoint.as_int': 'point.value',
  'NumberDataPoint.exemplars': 'container',
  'NumberDataPoint.flags': 'point.value',
  ...distribution('HistogramDataPoint', {
    exemplars: 'container',
    min: 'distribution.min',
    max: 'distribution.max',
    bucket_counts: 'distribution.detail',
    explicit_bounds: 'distribution.detail',
  }),
  ...distribution('ExponentialHistogramDataPoint', {
    exemplars: 'container',
    min: 'distribution.min',
    max: 'distribution.max',
    scale: 'distribution.detail',
    zero_count: 'distribution.detail',
    positive: 'distribution.detail',
    negative: 'distribution.detail',
    zero_threshold: 'distribution.detail',
  }),
  ...distribution('SummaryDataPoint', { quantile_values: 'distribution.detail' }),
  'Buckets.offset': 'distribution.detail',
  'Buckets.bucket_counts': 'distribution.detail',
  'ValueAtQuantile.quantile': 'distribution.detail',
  'ValueAtQuantile.value': 'distribution.detail',
  'Exemplar.filtered_attributes': 'exemplar.attributes',
  'Exemplar.time_unix_nano': 'exemplar.time_ns',
  'Exemplar.as_double': 'exemplar.value',
  'Exemplar.as_int': 'exemplar.value',
  'Exemplar.span_id': 'exemplar.span_id',
  'Exemplar.trace_id': 'exemplar.trace_hi',
};

function distribution(message: string, more: Readonly<Record<string, string>>): Record<string, string> {
  const common = {
    attributes: 'series.attributes',
    start_time_unix_nano: 'distribution.start_ns',
    time_unix_nano: 'distribution.time_ns',
    count: 'distribution.count',
    sum: 'distribution.sum',
    flags: 'distribution.count',
  };
  return Object.fromEntries(
    Object.entries({ ...common, ...more }).map(([field, column]) => [`${message}.${field}`, column]),
  );
}

/** `Message.field` of every field in a .proto text, oneofs taken for part of their message. */
function fieldsOf(proto: string): string[] {
  const fields: string[] = [];
  const messages: string[] = [];
  for (const line of proto.replaceAll(/\/\/.*$/gm, '').split('\n')) {
    const opened = /^\s*(message|enum|oneof)\s+(\w+)\s*\{/.exec(line);
    if (opened) messages.push(opened[1] === 'message' ? opened[2]! : opened[1] === 'oneof' ? messages.at(-1)! : '');
    else if (/^\s*\};?\s*$/.test(line)) messages.pop();
    else {
      const field = /^\s*(?:repeated |optional )?[\w.]+\s+(\w+)\s*=\s*\d+/.exec(line);
      if (field && messages.at(-1)) fields.push(`${messages.at(-1)}.${field[1]}`);
    }
  }
  return fields;
}

test('every field of the schema has a column or a reason', () => {
  const folder = join(import.meta.dirname, '../../fixtures/otlp/proto');
  const fields = ['common', 'resource', 'trace', 'metrics', 'logs'].flatMap((name) =>
    fieldsOf(readFileSync(join(folder, `${name}.proto`), 'utf8')),
  );
  expect(fields.length).toBeGreaterThan(120);
  expect(fields.filter((field) => !(field in coverage))).toEqual([]);
  expect(Object.keys(coverage).filter((field) => !fields.includes(field))).toEqual([]);
});

test('every column that the coverage names exists', () => {
  const own = new Set([
    'resource.attributes',
    'resource.schema_url',
    'series.metric',
    'series.kind',
    'series.unit',
    'series.description',
    'series.temporality',
    'series.monotonic',
    'series.attributes',
    'series.resource',
  ]);
  const unknown = Object.values(coverage).filter((target) => {
    if (target === 'container' || /^dropped: .{10,}/.test(target) || own.has(target)) return false;
    const [table, column] = target.split('.') as [keyof typeof tables, string];
    return !(table in tables && column in tables[table]);
  });
  expect(unknown).toEqual([]);
});
