/**
 * Zipkin's JSON: version 2 (https://zipkin.io/zipkin-api/#/default/post_spans) and version 1 with its annotations.
 * Times and durations are microseconds.
 */
export type Members = Readonly<Record<string, unknown>>;

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

/** Members of which a span has at least one beside its ids. */
const marks = ['localEndpoint', 'remoteEndpoint', 'binaryAnnotations', 'annotations', 'kind', 'parentId', 'shared'];

export const isSpan = (value: unknown): value is Members =>
  isMembers(value) &&
  'traceId' in value &&
  'id' in value &&
  !('spanId' in value) &&
  marks.some((mark) => mark in value) &&
  (value['traceId'] === undefined ||
    (typeof value['traceId'] === 'string' && /^[0-9a-f]{1,32}$/i.test(value['traceId'])));

/** Who recorded a span, as `service|address|port`. */
export function endpointKey(endpoint: unknown): string {
  if (!isMembers(endpoint)) return '||';
  const address = textOf(endpoint['ipv4']) || textOf(endpoint['ipv6']);
  return `${serviceOf(endpoint)}|${address}|${textOf(endpoint['port'])}`;
}

/** Name of the service; '' when the endpoint has none. */
export const serviceOf = (endpoint: unknown): string => (isMembers(endpoint) ? textOf(endpoint['serviceName']) : '');
