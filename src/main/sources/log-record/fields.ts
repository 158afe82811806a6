import { asText, type Json } from '../bytes/json-access.ts';

/** What a field of a structured log record means. */
export type FieldRole =
  | 'time'
  | 'observed'
  | 'level'
  | 'severity_number'
  | 'body'
  | 'logger'
  | 'trace'
  | 'span'
  | 'traceparent'
  | 'flags'
  | 'rank'
  | 'request'
  | 'exception';

/**
 * Names of fields, in order of preference. Sources: Go log/slog, zap, zerolog, logrus; pino, bunyan and winston (Node.js); python-json-logger,
 * structlog, the OpenTelemetry instrumentation of Python logging; Serilog's compact format; the Elastic Common Schema (ECS); GELF 1.1;
 * Logback's JSON encoder; Google Cloud structured logging.
 */
const names: Readonly<Record<FieldRole, readonly string[]>> = {
  time: [
    'time',
    'timestamp',
    '@timestamp',
    'ts',
    '@t',
    'Timestamp',
    'asctime',
    'datetime',
    'date',
    'eventTime',
    'timestamp_ms',
    'Time',
    't',
  ],
  observed: ['observed_timestamp', 'ingestionTime'],
  level: [
    'level',
    'severity',
    'log.level',
    'lvl',
    '@l',
    'levelname',
    'level_name',
    'severity_text',
    'severityText',
    'loglevel',
    'log_level',
    'LogLevel',
    'Level',
    'SeverityText',
  ],
  severity_number: ['severity_number', 'severityNumber', 'SeverityNumber', 'levelno', 'level_value'],
  body: [
    'msg',
    'message',
    'body',
    '@m',
    'short_message',
    'event',
    'MESSAGE',
    '@mt',
    'Body',
    'log',
    'text',
    'Message',
    'error',
  ],
  logger: [
    'logger',
    'log.logger',
    'logger_name',
    'loggerName',
    'name',
    'module',
    'component',
    'scope',
    'SourceContext',
  ],
  trace: [
    'trace_id',
    'traceId',
    'trace.id',
    'traceID',
    'TraceId',
    'otelTraceID',
    'traceid',
    '@tr',
    'logging.googleapis.com/trace',
    '_trace_id',
    'trace',
    'dd.trace_id',
  ],
  span: [
    'span_id',
    'spanId',
    'span.id',
    'spanID',
    'SpanId',
    'otelSpanID',
    'spanid',
    '@sp',
    'logging.googleapis.com/spanId',
    '_span_id',
    'dd.span_id',
  ],
  traceparent: ['traceparent'],
  flags: ['trace_flags', 'traceFlags', 'TraceFlags', 'flags'],
  rank: ['rank', 'global_rank', 'RANK', 'process_rank', 'dist.rank'],
  request: [
    'request_id',
    'requestId',
    'req_id',
    'request.id',
    'requestID',
    'reqId',
    'x_request_id',
    'x-request-id',
    'http.request.id',
    'correlation_id',
  ],
  exception: [
    'stack',
    'stacktrace',
    'stack_trace',
    'exc_info',
    'exception',
    'error.stack_trace',
    '@x',
    'full_message',
    'traceback',
  ],
};

/** Names of resource attributes of the OpenTelemetry semantic conventions, by what log shippers and loggers call them. */
const resourceNames: Readonly<Record<string, readonly string[]>> = {
  'service.name': [
    'service.name',
    'service_name',
    'serviceName',
    'service',
    'svc',
    'app',
    'application',
    'otelServiceName',
    'app_kubernetes_io_name',
    'job',
  ],
  'service.namespace': ['service.namespace', 'service_namespace'],
  'host.name': [
    'host.name',
    'hostname',
    'host.hostname',
    'host',
    '_host',
    'node.name',
    'instance_hostname',
    'Hostname',
  ],
  'k8s.pod.name': ['k8s.pod.name', 'k8s_pod_name', 'kubernetes.pod_name', 'kubernetes.pod.name', 'pod_name', 'pod'],
  'k8s.pod.uid': ['k8s.pod.uid', 'k8s_pod_uid', 'kubernetes.pod_id', 'kubernetes.pod.uid'],
  'k8s.namespace.name': [
    'k8s.namespace.name',
    'k8s_namespace_name',
    'kubernetes.namespace_name',
    'kubernetes.namespace',
    'namespace',
  ],
  'k8s.node.name': ['k8s.node.name', 'k8s_node_name', 'kubernetes.host', 'kubernetes.node.name', 'node_name', 'node'],
  'k8s.container.name': [
    'k8s.container.name',
    'k8s_container_name',
    'kubernetes.container_name',
    'kubernetes.container.name',
    'container_name',
    'container',
  ],
  'container.id': ['container.id', 'container_id', 'kubernetes.docker_id'],
  'k8s.cluster.name': ['k8s.cluster.name', 'k8s_cluster_name', 'cluster'],
};

const resourceKeys = new Map<string, { readonly target: string; readonly order: number }>(
  Object.entries(resourceNames).flatMap(([target, list]) =>
    list.map((name, order) => [name, { target, order }] as const),
  ),
);
const roleOf = new Map<string, { readonly role: FieldRole; readonly order: number }>(
  (Object.entries(names) as [FieldRole, readonly string[]][]).flatMap(([role, list]) =>
    list.map((name, order) => [name, { role, order }] as const),
  ),
);
const spelling = (name: string): string => name.toLowerCase().replace(/[_.\- ]/g, '');
const spelled = new Map<string, string>();
for (const name of [...roleOf.keys(), ...resourceKeys.keys()])
  if (!spelled.has(spelling(name))) spelled.set(spelling(name), name);

/** The known name that a column is called, in any case and with any separators: `TraceID`, `Pod Name`; else the name itself. */
export const knownName = (name: string): string =>
  roleOf.has(name) || resourceKeys.has(name) ? name : (spelled.get(spelling(name)) ?? name);

/** Objects whose members have roles or are resource attributes: `{"log":{"level":"info"}}` is `log.level` (ECS). */
const parents = new Set(
  [...roleOf.keys(), ...resourceKeys.keys()]
    .filter((name) => name.includes('.'))
    .map((name) => name.slice(0, name.indexOf('.'))),
);
parents.add('resource');

/** The fields of one structured record, by what they mean. */
export interface SortedFields {
  readonly roles: ReadonlyMap<FieldRole, { readonly name: string; readonly value: unknown }>;
  /** Resource attributes under their names of the semantic conventions. */
  readonly resource: Readonly<Record<string, string>>;
  /** All others, and those that lost to a preferred name. */
  readonly rest: Record<string, unknown>;
}

const MOST_NESTED = 8;

/** Whether the members of an object are fields of the record, by its name and the names around it. */
export const isLookedInto = (name: string, prefix: string, depth: number): boolean =>
  depth < MOST_NESTED && (parents.has(name) || (prefix !== '' && depth < 2));

/** What the names of an object's members begin with. */
export const innerPrefix = (name: string): string =>
  name === 'resource' || name === 'resource.attributes' ? '' : name;

/** Sorts the fields of a record; nested objects of known names are looked into. */
export function sortFields(fields: Json): SortedFields {
  const roles = new Map<FieldRole, { readonly name: string; readonly value: unknown; readonly order: number }>();
  const resource: Record<string, string> = {};
  const preferred = new Map<string, number>();
  const rest: Record<string, unknown> = {};
  const take = (prefix: string, object: Json, depth: number): void => {
    for (const key of Object.keys(object)) {
      const value = object[key];
      const name = prefix === '' ? key : `${prefix}.${key}`;
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
      if (isObject && isLookedInto(name, prefix, depth)) {
        take(innerPrefix(name), value as Json, depth + 1);
        continue;
      }
      const known = isObject ? undefined : roleOf.get(name);
      if (known && value !== null) {
        const before = roles.get(known.role);
        if (!before || known.order < before.order) {
          if (before) rest[before.name] = before.value;
          roles.set(known.role, { name, value, order: known.order });
        } else rest[name] = value;
        continue;
      }
      const place = isObject ? undefined : resourceKeys.get(name);
      const text = place === undefined ? '' : asText(value);
      if (place !== undefined && text !== '' && place.order < (preferred.get(place.target) ?? Infinity)) {
        preferred.set(place.target, place.order);
        resource[place.target] = text;
      } else if (name === '__proto__') Object.defineProperty(rest, name, { value, enumerable: true });
      else rest[name] = value;
    }
  };
  take('', fields, 0);
  return { roles, resource, rest };
}
