/**
 * The field names of OTLP/JSON (opentelemetry.io/docs/specs/otlp, "JSON Protobuf Encoding") as numbers, found from
 * the bytes without creating a string. Case and underscores do not count, so `start_time_unix_nano` and
 * `startTimeUnixNano` are one key. Names from before 1.0 have their own numbers where they mean something else.
 */
export const KEY_UNKNOWN = 0;
const names: readonly string[] = [
  '',
  'resourceSpans',
  'resourceLogs',
  'resourceMetrics',
  'resourceProfiles',
  'batches',
  'trace',
  'resource',
  'schemaUrl',
  'attributes',
  'droppedAttributesCount',
  'scope',
  'instrumentationLibrary',
  'name',
  'version',
  'scopeSpans',
  'scopeLogs',
  'scopeMetrics',
  'instrumentationLibrarySpans',
  'instrumentationLibraryLogs',
  'instrumentationLibraryMetrics',
  'spans',
  'logRecords',
  'logs',
  'metrics',
  'traceId',
  'spanId',
  'parentSpanId',
  'traceState',
  'flags',
  'kind',
  'startTimeUnixNano',
  'endTimeUnixNano',
  'events',
  'links',
  'status',
  'droppedEventsCount',
  'droppedLinksCount',
  'timeUnixNano',
  'code',
  'message',
  'observedTimeUnixNano',
  'severityNumber',
  'severityText',
  'body',
  'eventName',
  'traceFlags',
  'description',
  'unit',
  'metadata',
  'gauge',
  'sum',
  'histogram',
  'exponentialHistogram',
  'summary',
  'intGauge',
  'doubleGauge',
  'intSum',
  'doubleSum',
  'intHistogram',
  'doubleHistogram',
  'doubleSummary',
  'dataPoints',
  'aggregationTemporality',
  'isMonotonic',
  'asDouble',
  'asInt',
  'value',
  'exemplars',
  'labels',
  'count',
  'min',
  'max',
  'bucketCounts',
  'explicitBounds',
  'scale',
  'zeroCount',
  'zeroThreshold',
  'positive',
  'negative',
  'offset',
  'quantileValues',
  'quantile',
  'filteredAttributes',
  'filteredLabels',
  'key',
  'values',
  'stringValue',
  'boolValue',
  'intValue',
  'doubleValue',
  'arrayValue',
  'kvlistValue',
  'bytesValue',
];

export const RESOURCE_SPANS = 1;
export const RESOURCE_LOGS = 2;
export const RESOURCE_METRICS = 3;
export const RESOURCE_PROFILES = 4;
export const BATCHES = 5;
export const TRACE = 6;
export const RESOURCE = 7;
export const SCHEMA_URL = 8;
export const ATTRIBUTES = 9;
export const DROPPED_ATTRIBUTES = 10;
export const SCOPE = 11;
export const LIBRARY = 12;
export const NAME = 13;
export const VERSION = 14;
export const SCOPE_SPANS = 15;
// 16 is scopeLogs.
export const SCOPE_METRICS = 17;
export const LIBRARY_SPANS = 18;
// 19 is instrumentationLibraryLogs.
export const LIBRARY_METRICS = 20;
export const SPANS = 21;
export const LOG_RECORDS = 22;
export const LOGS = 23;
export const METRICS = 24;
export const TRACE_ID = 25;
export const SPAN_ID = 26;
export const PARENT_SPAN_ID = 27;
export const TRACE_STATE = 28;
export const FLAGS = 29;
export const KIND = 30;
export const START_TIME = 31;
export const END_TIME = 32;
export const EVENTS = 33;
export const LINKS = 34;
export const STATUS = 35;
export const DROPPED_EVENTS = 36;
export const DROPPED_LINKS = 37;
export const TIME = 38;
export const CODE = 39;
export const MESSAGE = 40;
export const OBSERVED_TIME = 41;
export const SEVERITY_NUMBER = 42;
export const SEVERITY_TEXT = 43;
export const BODY = 44;
export const EVENT_NAME = 45;
export const TRACE_FLAGS = 46;
export const DESCRIPTION = 47;
export const UNIT = 48;
export const METADATA = 49;
export const GAUGE = 50;
export const SUM = 51;
export const HISTOGRAM = 52;
export const EXPONENTIAL_HISTOGRAM = 53;
export const SUMMARY = 54;
export const INT_GAUGE = 55;
export const DOUBLE_GAUGE = 56;
export const INT_SUM = 57;
export const DOUBLE_SUM = 58;
export const INT_HISTOGRAM = 59;
export const DOUBLE_HISTOGRAM = 60;
export const DOUBLE_SUMMARY = 61;
export const DATA_POINTS = 62;
export const TEMPORALITY = 63;
export const IS_MONOTONIC = 64;
export const AS_DOUBLE = 65;
export const AS_INT = 66;
export const VALUE = 67;
export const EXEMPLARS = 68;
export const LABELS = 69;
export const COUNT = 70;
export const MIN = 71;
export const MAX = 72;
export const BUCKET_COUNTS = 73;
export const EXPLICIT_BOUNDS = 74;
export const SCALE = 75;
export const ZERO_COUNT = 76;
export const ZERO_THRESHOLD = 77;
export const POSITIVE = 78;
export const NEGATIVE = 79;
export const OFFSET = 80;
export const QUANTILE_VALUES = 81;
export const QUANTILE = 82;
export const FILTERED_ATTRIBUTES = 83;
export const FILTERED_LABELS = 84;
export const KEY = 85;
export const VALUES = 86;
export const STRING_VALUE = 87;
export const BOOL_VALUE = 88;
export const INT_VALUE = 89;
export const DOUBLE_VALUE = 90;
export const ARRAY_VALUE = 91;
export const KVLIST_VALUE = 92;
export const BYTES_VALUE = 93;

const UNDERSCORE = 0x5f;
const SLOTS = 1024;
const slots = new Uint8Array(SLOTS);
const canonical: Uint8Array[] = [];

/** One more byte of a key's hash; underscores are left out by the caller, case here. */
export const hashByte = (hash: number, byte: number): number => Math.imul(hash, 31) + (byte | 0x20);
const slotOf = (hash: number): number => (hash ^ (hash >>> 9)) & (SLOTS - 1);

names.forEach((name, id) => {
  const bytes = new TextEncoder().encode(name.toLowerCase());
  canonical.push(bytes);
  if (id === KEY_UNKNOWN) return;
  let slot = slotOf(bytes.reduce(hashByte, 0));
  while (slots[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
  slots[slot] = id;
});

function same(id: number, bytes: Uint8Array, start: number, end: number): boolean {
  const name = canonical[id]!;
  let at = 0;
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!;
    if (byte !== UNDERSCORE && name[at++] !== (byte | 0x20)) return false;
  }
  return at === name.length;
}

/** The key spelled by `bytes[start .. end)` whose {@link hashByte} is `hash`; 0 when it is none of ours. */
export function findKey(hash: number, bytes: Uint8Array, start: number, end: number): number {
  for (let slot = slotOf(hash); ; slot = (slot + 1) & (SLOTS - 1)) {
    const id = slots[slot]!;
    if (id === KEY_UNKNOWN || same(id, bytes, start, end)) return id;
  }
}

/** The field name of a key, for messages. */
export const keyName = (id: number): string => names[id] ?? '';
