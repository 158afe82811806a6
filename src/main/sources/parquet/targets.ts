import type { ColumnMapping } from '../../../model/storage/source.ts';

/** How a foreign column is turned into ours. */
/** `list`: members with times of their own. */
export type Shape = 'trace id' | 'span id' | 'time' | 'duration' | 'number' | 'text' | 'json' | 'list';

export interface Target {
  readonly shape: Shape;
  /**
   * What others call it, in lower case and without separators: our own views and exports (docs/export.md), the OpenTelemetry protocol, the
   * ClickHouse exporter's schema (opentelemetry-collector-contrib), OTel Arrow and flat exports of the collector.
   */
  readonly names: readonly string[];
}
const target = (shape: Shape, ...names: string[]): Target => ({ shape, names });

const resource = target('json', 'resourceattributes', 'resourceattrs', 'resourcetags', 'resource');
const service = target('text', 'servicename', 'service', 'resourceservicename', 'processservicename');
const scope = target('text', 'scopename', 'scope', 'instrumentationscopename', 'instrumentationscope', 'libraryname');
const scopeVersion = target('text', 'scopeversion', 'instrumentationscopeversion', 'libraryversion');
const traceId = target('trace id', 'traceid', 'traceidhex', 'trace');
const spanId = target('span id', 'spanid', 'spanidhex');
const flags = target('number', 'flags');
const dropped = target('number', 'droppedattributescount');
/** Kinds and ids of entities, as our own exports state them: then attributes are not interpreted. */
const serviceKind = target('text', 'servicekind');
const schemaUrl = target('text', 'resourceschemaurl');
const entityKind = target('text', 'entitykind');
const entity = target('text', 'entity');

export type TableTargets = Readonly<Record<string, Target>>;

export const targets: Readonly<Record<ColumnMapping['table'], TableTargets>> = {
  span: {
    trace_id: traceId,
    span_id: spanId,
    parent_span_id: target('span id', 'parentspanid', 'parentid', 'parentspan'),
    name: target('text', 'spanname', 'name', 'operationname', 'operation'),
    kind: target('text', 'spankind', 'kind'),
    start: target(
      'time',
      'starttimeunixnano',
      'startns',
      'starttime',
      'startunixnano',
      'startutc',
      'timestamp',
      'start',
      'timestampns',
    ),
    end: target('time', 'endtimeunixnano', 'endns', 'endtime', 'endunixnano', 'endutc', 'end'),
    duration: target(
      'duration',
      'durationnano',
      'durationtimeunixnano',
      'durationns',
      'durationms',
      'durationus',
      'duration',
      'durationnanos',
      'latencyns',
    ),
    status: target('text', 'statuscode', 'status'),
    status_message: target('text', 'statusmessage', 'statusstatusmessage', 'statusdescription'),
    trace_state: target('text', 'tracestate'),
    flags,
    dropped,
    service,
    service_kind: serviceKind,
    entity_kind: entityKind,
    entity,
    resource_attributes: resource,
    schema_url: schemaUrl,
    scope,
    scope_version: scopeVersion,
    attributes: target('json', 'spanattributes', 'attributes', 'attrs', 'tags'),
    events: target('list', 'events', 'spanevents', 'logs'),
    links: target('list', 'links', 'spanlinks', 'references'),
  },
  log: {
    time: target('time', 'timeunixnano', 'timens', 'timestamp', 'timeutc', 'time', 'timestampns'),
    observed_time: target('time', 'observedtimeunixnano', 'observedtimestamp', 'observedtime', 'observedns'),
    severity: target('number', 'severitynumber', 'severity'),
    severity_text: target('text', 'severitytext', 'level', 'loglevel'),
    body: target('text', 'body', 'message', 'msg', 'log', 'line'),
    event_name: target('text', 'eventname'),
    trace_id: traceId,
    span_id: spanId,
    flags,
    dropped,
    service,
    service_kind: serviceKind,
    entity_kind: entityKind,
    entity,
    resource_attributes: resource,
    schema_url: schemaUrl,
    scope,
    scope_version: scopeVersion,
    attributes: target('json', 'logattributes', 'attributes', 'attrs', 'tags'),
  },
  metric: {
    metric: target('text', 'metricname', 'metric'),
    time: target('time', 'timeunix', 'timeunixnano', 'timens', 'timeutc', 'timestamp', 'time', 'ts'),
    start: target('time', 'starttimeunix', 'starttimeunixnano', 'startns', 'starttime'),
    kind: target('text', 'metrictype'),
    value: target('number', 'value', 'doublevalue', 'intvalue', 'asdouble', 'asint'),
    unit: target('text', 'metricunit', 'unit'),
    description: target('text', 'metricdescription', 'description'),
    monotonic: target('text', 'ismonotonic', 'monotonic'),
    temporality: target('text', 'aggregationtemporality', 'aggtemporality', 'temporality'),
    count: target('number', 'count'),
    sum: target('number', 'sum'),
    min: target('number', 'min'),
    max: target('number', 'max'),
    bucket_counts: target('json', 'bucketcounts'),
    explicit_bounds: target('json', 'explicitbounds'),
    detail: target('text', 'detail'),
    entity_kind: entityKind,
    entity: target('text', 'entity', 'entityid', 'device', 'deviceid'),
    service,
    resource_attributes: resource,
    schema_url: schemaUrl,
    scope,
    scope_version: scopeVersion,
    attributes: target('json', 'attributes', 'attrs', 'labels', 'tags'),
  },
  event: {
    id: target('text', 'id', 'originalid', 'eventid'),
    time: target('time', 'timens', 'timeutc', 'timestamp', 'time', 'timeunixnano'),
    type: target('text', 'type', 'eventtype'),
    entity_kind: target('text', 'entitykind'),
    entity: target('text', 'deviceid', 'device', 'entity', 'entityid', 'host', 'node'),
    severity: target('text', 'severity', 'level'),
    message: target('text', 'message', 'description', 'rawmessage'),
    origin: target('text', 'origin', 'eventsource'),
    attributes: target('json', 'attributes', 'metadata', 'labels'),
    raw: target('text', 'raw'),
  },
  edge: {
    from_kind: target('text', 'fromkind'),
    from_id: target('text', 'fromid'),
    edge: target('text', 'edge', 'relation'),
    to_kind: target('text', 'tokind'),
    to_id: target('text', 'toid'),
    valid_from: target('time', 'validfrom', 'validfromunixnano'),
    valid_to: target('time', 'validto', 'validtounixnano'),
    provenance: target('text', 'provenance'),
  },
};

/** What a table cannot do without; of a list inside, one will do. In the order in which a guess tries them. */
export const required: readonly (readonly [ColumnMapping['table'], readonly (readonly string[])[]])[] = [
  ['edge', [['from_kind'], ['from_id'], ['edge'], ['to_kind'], ['to_id']]],
  ['metric', [['metric'], ['time'], ['value', 'count']]],
  ['span', [['trace_id'], ['span_id'], ['start'], ['end', 'duration']]],
  ['event', [['time'], ['type'], ['entity']]],
  ['log', [['time'], ['body']]],
];
