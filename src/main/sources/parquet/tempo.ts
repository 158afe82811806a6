import { z } from 'zod';

/**
 * Grafana Tempo's blocks (vParquet3 to vParquet5): one row is one trace, spans nested in scopes nested in resources.
 * Attributes are lists of keys with typed values, repeated in version 4 and single in version 3; well-known ones have
 * columns of their own, and the names of the "dedicated" ones are only in the block's meta.json, where an absent
 * scope means span. Durations are stored instead of ends, events relative to their span.
 * Source: FORMATS 2.7; tempo/docs design documents "vParquet4" and "dedicated columns".
 */
export const metaSchema = z.object({
  format: z.string().startsWith('vParquet'),
  totalObjects: z.number().optional(),
  dedicatedColumns: z.array(z.object({ s: z.string().optional(), n: z.string(), t: z.string().optional() })).nullish(),
});
export type TempoMeta = z.infer<typeof metaSchema>;

/** Attribute names of the fixed columns. */
const resourceColumns = [
  ['ServiceName', 'service.name'],
  ['Cluster', 'cluster'],
  ['Namespace', 'namespace'],
  ['Pod', 'pod'],
  ['Container', 'container'],
  ['K8sClusterName', 'k8s.cluster.name'],
  ['K8sNamespaceName', 'k8s.namespace.name'],
  ['K8sPodName', 'k8s.pod.name'],
  ['K8sContainerName', 'k8s.container.name'],
] as const;
const spanColumns = [
  ['HttpMethod', 'http.method'],
  ['HttpUrl', 'http.url'],
  ['HttpStatusCode', 'http.status_code'],
] as const;

type Plain = Readonly<Record<string, unknown>>;
const asObject = (value: unknown): Plain => (typeof value === 'object' && value !== null ? (value as Plain) : {});
const asList = (value: unknown): readonly Plain[] => (Array.isArray(value) ? value.map(asObject) : []);

/** Version 4 repeats every value, version 3 does not; one value is a scalar in both. */
function attributeValue({ Value, ValueInt, ValueDouble, ValueBool, IsArray }: Plain): unknown {
  for (const value of [Value, ValueInt, ValueDouble, ValueBool]) {
    if (value === null || value === undefined) continue;
    if (!Array.isArray(value)) return value;
    if (value.length > 0) return value.length === 1 && IsArray !== true ? value[0] : value;
  }
  return undefined;
}

function attributesOf(
  owner: Plain,
  columns: readonly (readonly [string, string])[],
  dedicated: readonly string[],
): Plain {
  const found: Record<string, unknown> = {};
  for (const attribute of asList(owner.Attrs)) {
    const value = attributeValue(attribute);
    if (typeof attribute.Key === 'string' && value !== undefined) found[attribute.Key] = value;
  }
  for (const [column, name] of columns)
    if (owner[column] !== null && owner[column] !== undefined) found[name] = owner[column];
  const extra = asObject(owner.DedicatedAttributes);
  dedicated.forEach((name, i) => {
    const value = extra[`String${String(i + 1).padStart(2, '0')}`];
    if (value !== null && value !== undefined)
      found[name] = Array.isArray(value) && value.length === 1 ? value[0] : value;
  });
  return found;
}

/** One trace as rows of the mapped form that `appendSpan` takes; ids are hex, nested lists JSON text. */
export function* tempoSpans(trace: Plain, meta: TempoMeta | undefined): Generator<Record<string, unknown>> {
  const dedicated = (scope: string) =>
    (meta?.dedicatedColumns ?? []).filter(({ s = 'span' }) => s === scope).map(({ n }) => n);
  const [ofResource, ofSpan] = [dedicated('resource'), dedicated('span')];
  for (const batch of asList(trace.rs)) {
    const resource = json(attributesOf(asObject(batch.Resource), resourceColumns, ofResource));
    for (const scope of asList(batch.ss)) {
      const { Name, Version } = asObject(scope.Scope);
      for (const span of asList(scope.Spans)) {
        yield {
          trace_id: trace.trace_id,
          span_id: hex(span.SpanID),
          parent_span_id: hex(span.ParentSpanID),
          name: span.Name,
          kind: span.Kind,
          start: span.StartTimeUnixNano,
          duration: span.DurationNano,
          status: span.StatusCode,
          status_message: span.StatusMessage,
          trace_state: span.TraceState,
          resource_attributes: resource,
          scope: Name,
          scope_version: Version,
          attributes: json(attributesOf(span, spanColumns, ofSpan)),
          events: json(asList(span.Events).map((event) => ({ ...event, Attrs: attributesOf(event, [], []) }))),
          links: json(
            asList(span.Links).map((link) => ({
              ...link,
              TraceID: hex(link.TraceID),
              SpanID: hex(link.SpanID),
              Attrs: attributesOf(link, [], []),
            })),
          ),
        };
      }
    }
  }
}

const json = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? numberOrText(inner) : inner));
const numberOrText = (value: bigint): number | string =>
  Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
const hex = (value: unknown): string => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : '');
