import { fail } from '../../../model/problem.ts';
import { parseTime } from '../../../model/time.ts';
import { microsToNanos } from '../traces/micros.ts';

/**
 * Jaeger's JSON (https://github.com/jaegertracing/jaeger, `internal/uimodel`): what its query API and UI hand out, what
 * it stores in Elasticsearch (spans with their process inside), and its domain model in protobuf JSON.
 */
export type Members = Readonly<Record<string, unknown>>;

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** `traces[]`, each with its spans and processes. */
export const isTrace = (value: unknown): value is Members =>
  isMembers(value) &&
  'traceID' in value &&
  'spans' in value &&
  (value['spans'] === undefined || Array.isArray(value['spans']));

/** A span by itself: of a trace, or with its process inside. */
export const isSpan = (value: unknown): value is Members =>
  isMembers(value) &&
  'operationName' in value &&
  (('traceID' in value && 'spanID' in value) || ('traceId' in value && 'spanId' in value));

/** One `{key, type, value}`, or `{key, vType, vStr}` of the domain model. */
export function tagsOf(list: unknown): Record<string, unknown> {
  const tags: Record<string, unknown> = Object.create(null);
  // Elasticsearch may also hold tags as fields of one object, `.` written as `@`.
  if (isMembers(list)) for (const [key, value] of Object.entries(list)) tags[key.replaceAll('@', '.')] = value;
  for (const tag of listOf(list)) {
    if (!isMembers(tag) || typeof tag['key'] !== 'string') continue;
    tags[tag['key']] = 'vType' in tag ? domainValue(tag) : typedValue(tag['type'], tag['value']);
  }
  return tags;
}

const domainMembers = ['vStr', 'vBool', 'vInt64', 'vFloat64', 'vBinary'];
/** The zero value of its type is left out in protobuf JSON. */
const domainZeros: Readonly<Record<string, unknown>> = { STRING: '', BOOL: false, INT64: 0, FLOAT64: 0, BINARY: '' };
function domainValue(tag: Members): unknown {
  const member = domainMembers.find((name) => name in tag);
  return member === undefined ? (domainZeros[String(tag['vType'])] ?? '') : tag[member];
}

/** Elasticsearch keeps every value as text. */
function typedValue(type: unknown, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (type === 'bool' && (value === 'true' || value === 'false')) return value === 'true';
  if (type !== 'int64' && type !== 'float64') return value;
  const number = Number(value);
  return value === '' || !Number.isFinite(number) || (type === 'int64' && !Number.isSafeInteger(number))
    ? value
    : number;
}

/** Microseconds since 1970, or RFC 3339 in the domain model. */
export function timeOf(value: unknown): bigint | undefined {
  return typeof value === 'string' && value.includes('T') ? parseTime(value) : microsToNanos(value);
}

/** Microseconds, or `5000ns` in the domain model. */
export function durationOf(value: unknown): bigint | undefined {
  if (value === undefined || value === null) return undefined;
  const match = typeof value === 'string' ? /^(\d{1,18})ns$/.exec(value) : null;
  return match ? BigInt(match[1]!) : (microsToNanos(value) ?? fail('jaeger.span', 'the duration is no number'));
}

/** Hex digits; the domain model writes ids as base64. */
export function idText(object: Members, hex: string, base64: string): unknown {
  if (object[hex] !== undefined) return object[hex];
  const text = object[base64];
  return typeof text === 'string' && /^[\w+/-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64').toString('hex') : text;
}
