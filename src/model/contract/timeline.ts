import { z } from 'zod';
import { layers } from '../entity.ts';
import { contradictedReadingSchema } from '../incident/contradicted-reading-schema.ts';
import { laneKinds } from '../lane-kind.ts';
import { anyNanos } from '../rows/any-nanos.ts';
import { call } from './procedure.ts';

/** Names come from recordings: a very long one must not make its lane unreadable. */
const LONGEST_ID = 20_000;

const window = { start_ns: anyNanos, end_ns: anyNanos };
const float64 = z.instanceof(Float64Array);
export const uint8 = z.instanceof(Uint8Array);
const int32 = z.instanceof(Int32Array);

/** A lane of the timeline: one kind of data of one entity. */
export const laneSchema = z.object({
  /** `events:pdu:PDU-B` or `metric:gpu:GPU-0:gpu.power`; stable across runs, so pins and focus can hold it. */
  id: z.string(),
  kind: z.enum(laneKinds),
  layer: z.string(),
  entity_kind: z.string(),
  entity_id: z.string(),
  /** What people call it, if its id is the UUID or bus address of a card: `gpu-node-02 GPU 3`. */
  name: z.string().optional(),
  /** Containers of the entity, outermost first, as `kind:id`: rack, server. [] without links. */
  within: z.array(z.string()),
  /** Numbers of the sources that its rows were read from. */
  sources: z.array(z.number().int()),
  /** Metric name, or what kind of state; '' for others. */
  metric: z.string(),
  unit: z.string(),
  /** Events, samples, spans, log records or operations in the case. */
  count: z.number(),
  /** Worst severity among its events: 0 critical .. 3 low; null when none or a metric lane. */
  worst_severity: z.number().int().nullable(),
  /** Takes part in the chain, or in an impact, of some incident; null while that is being worked out. */
  involved: z.boolean().nullable(),
});
export type Lane = z.infer<typeof laneSchema>;

/**
 * Events of a lane inside the window, ascending. `offset_s` is seconds after the asked start_ns, clock-corrected.
 * If there are too many to list, `truncated` is true: only critical and high ones are listed, or critical ones alone,
 * as far as there are few of them, and `density` counts the others with them.
 */
export const laneEventsSchema = z.object({
  kind: z.literal('events'),
  lane: z.string(),
  offset_s: float64,
  /** 0 critical, 1 high, 2 medium, 3 low. */
  severity: uint8,
  event_id: int32,
  /** Index into `types`. */
  type: int32,
  types: z.array(z.string()),
  /** Events per bucket over the whole window. */
  density: int32,
  truncated: z.boolean(),
  /** The mildest severity whose events are all listed; -1: none. */
  mildest: z.number().int(),
});
/** A metric as min and max per bucket; NaN where nothing was recorded (a gap, never a zero). */
export const laneMetricSchema = z.object({
  kind: z.literal('metric'),
  lane: z.string(),
  min: float64,
  max: float64,
  /** Last sample in each bucket: the value a playhead in that bucket shows. */
  last: float64,
});
/**
 * What lasted: states, spans, collective operations, by their beginning. Seconds after the asked start_ns, on the case's
 * clock; a band may reach over the window on both sides. If there are more bands than can be distinguished, `truncated`
 * is true, there are none, and `density` must be drawn instead.
 */
export const laneBandsSchema = z.object({
  kind: z.literal('bands'),
  lane: z.string(),
  start_s: float64,
  end_s: float64,
  /** 1: its end was not recorded; it is drawn as far as anything is known. */
  is_open: uint8,
  /** Index into `bandTones`. */
  tone: uint8,
  /** 0 on top; bands of one depth do not overlap. */
  depth: uint8,
  /** Index into `names`. */
  name: int32,
  names: z.array(z.string()),
  /** Evidence id of each; '' where none stands for the band. */
  refs: z.array(z.string()),
  /** Bands that begin in each bucket, and those of them that failed; empty for states. */
  density: int32,
  failed: int32,
  truncated: z.boolean(),
});
/** Log records per bucket by severity: OpenTelemetry's error and fatal, warn, and all others. */
export const laneLogsSchema = z.object({
  kind: z.literal('logs'),
  lane: z.string(),
  error: int32,
  warning: int32,
  other: int32,
});
/** A lane whose query failed is shown broken in place; the others are unaffected. */
export const laneBrokenSchema = z.object({ kind: z.literal('broken'), lane: z.string(), message: z.string() });
export const laneDataSchema = z.discriminatedUnion('kind', [
  laneEventsSchema,
  laneMetricSchema,
  laneBandsSchema,
  laneLogsSchema,
  laneBrokenSchema,
]);
export type LaneData = z.infer<typeof laneDataSchema>;
export type LaneEvents = z.infer<typeof laneEventsSchema>;
export type LaneBands = z.infer<typeof laneBandsSchema>;
export type LaneLogs = z.infer<typeof laneLogsSchema>;
export type LaneMetric = z.infer<typeof laneMetricSchema>;

/** Figures of a lane within a time. Events, states and logs have a count alone; spans and operations are measured in ms. */
export const laneStatisticsSchema = z.object({
  lane: z.string(),
  /** Events, samples with a value, bands or records. */
  count: z.number(),
  /** Of those a second; null where the time has no length. */
  per_second: z.number().nullable(),
  /** In the lane's unit; null without samples. */
  min: z.number().nullable(),
  mean: z.number().nullable(),
  p95: z.number().nullable(),
  max: z.number().nullable(),
});
export type LaneStatistics = z.infer<typeof laneStatisticsSchema>;

/** One cell: text, a number, a bigint, or null for unknown. */
export const cellSchema = z.union([z.string(), z.number(), anyNanos, z.boolean(), z.null()]);
export const tableSchema = z.object({
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  rows: z.array(z.array(cellSchema)),
  /** More rows exist than were returned. */
  truncated: z.boolean(),
});
export type Table = z.infer<typeof tableSchema>;

const anyRecord = z.object({
  ref: z.string(),
  title: z.string(),
  /** `kind:id` of its entity; null if there is none. */
  entity: z.string().nullable(),
  /** Of that entity. */
  layer: z.enum(layers).nullable(),
  time_ns: anyNanos.nullable(),
  /** Where it was read from. */
  source: z.string().nullable(),
  fields: z.array(z.object({ name: z.string(), value: z.string() })),
  /** The record as it stood in the file, pretty-printed JSON where it was JSON; '' when not kept. */
  raw: z.string(),
});
/** 32 and 16 digits of hexadecimal. */
const inTrace = { trace_id: z.string(), span_id: z.string() };

/** The whole record behind an evidence id. */
export const recordSchema = z.discriminatedUnion('kind', [
  anyRecord.extend({
    kind: z.literal('event'),
    type: z.string(),
    device: z.string(),
    /** null: no samples contradict what the event states. */
    contradiction: contradictedReadingSchema.nullable(),
  }),
  anyRecord.extend({ kind: z.literal('span'), ...inTrace }),
  /** null: written outside of any trace. */
  anyRecord.extend({ kind: z.literal('log'), trace: z.object(inTrace).nullable() }),
  anyRecord.extend({
    kind: z.enum(['metric', 'collective', 'entity', 'mechanism', 'source', 'annotation', 'incident', 'edge', 'method']),
  }),
]);
export type EvidenceRecord = z.infer<typeof recordSchema>;

/** The spans of one trace as columns, ascending by start; every column has one entry a span. */
export const traceSchema = z.object({
  span_id: z.array(z.string()),
  /** null: a root. The parent need not be among these spans. */
  parent_span_id: z.array(z.string().nullable()),
  service: z.array(z.string().nullable()),
  name: z.array(z.string().nullable()),
  kind: z.array(z.string()),
  status: z.array(z.enum(['unset', 'ok', 'error'])),
  /** File it was read from: a trace may lie in several. */
  source: z.array(z.string()),
  /** Of the first span, on the case's clock; null when the case holds no such trace. */
  start_ns: anyNanos.nullable(),
  /** Seconds after start_ns, clock-corrected. */
  offset_s: float64,
  duration_ms: float64,
  /** More spans exist than were returned. */
  truncated: z.boolean(),
});
export type Trace = z.infer<typeof traceSchema>;

const silenceSchema = z.object({
  source_id: z.number().int(),
  start_ns: anyNanos,
  end_ns: anyNanos,
  reason: z.string().nullable(),
  is_open: z.boolean(),
});
export type SilenceView = z.infer<typeof silenceSchema>;

export const timelineContract = {
  /** `concluded: false`: at once, in no order, without who is involved and without what is worked out of spans. */
  'timeline.lanes': call(z.object({ concluded: z.boolean().default(true) }), z.array(laneSchema)),
  /** Answers in the order of `lanes`, each on its own: one broken lane never takes the others down. */
  'timeline.data': call(
    z.object({
      ...window,
      buckets: z.number().int().min(1).max(8192),
      lanes: z.array(z.string().max(LONGEST_ID)).max(2000),
      /** Time shift of the events of these data sources: for lanes with several data sources. */
      clocks: z
        .array(z.object({ source_id: z.number().int(), shift_ns: anyNanos }))
        .max(10_000)
        .default([]),
    }),
    z.array(laneDataSchema),
  ),
  /**
   * When the feeds of sources were down: nothing of theirs was recorded, on the case's clock. `reason`: a live feed's own
   * report; null if it is detected by missing samples. `is_open`: it lasts still.
   */
  'timeline.silences': call(z.object({}), z.array(silenceSchema)),
  'timeline.statistics': call(
    z.object({ ...window, lanes: z.array(z.string().max(LONGEST_ID)).max(500) }),
    z.array(laneStatisticsSchema),
  ),
  /** Event counts and span counts per bucket over the window, for the overview. */
  'timeline.overview': call(
    z.object({ ...window, buckets: z.number().int().min(1).max(8192) }),
    z.object({ events: int32, spans: int32, logs: int32 }),
  ),
  /** Rows of a window for the drawer. */
  'rows.list': call(
    z.object({
      ...window,
      table: z.enum(['event', 'span', 'log']),
      /** `kind:id` keys; empty means all. */
      entities: z.array(z.string().max(LONGEST_ID)).max(1000).default([]),
      limit: z.number().int().min(1).max(5000).default(500),
    }),
    /** First column `ref` holds the evidence id of each row. */
    tableSchema,
  ),
  /** One trace by its id as hex; 16 digits are an id of 64 bits. */
  'trace.get': call(
    z.object({
      trace_id: z.string().regex(/^[0-9a-f]{1,32}$/i),
      limit: z.number().int().min(1).max(1_000_000).default(10_000),
    }),
    traceSchema,
  ),
  /** A text in the names of entities, in events, span names and log bodies, or an id of a trace, a span or an Xid; case does not matter. */
  search: call(
    z.object({ text: z.string().min(2).max(200), limit: z.number().int().min(1).max(100).default(6) }),
    z.object({
      /** `name` is the matching one of its names; `what` the kind of alias or the attribute that it is, '' for its id. */
      entities: z.array(
        z.object({
          key: z.string(),
          kind: z.string(),
          id: z.string(),
          name: z.string(),
          what: z.string(),
          layer: z.string(),
        }),
      ),
      /** Traces and spans with this id; `ref` is the span, of a trace the first one. */
      ids: z.array(
        z.object({
          trace_id: z.string(),
          ref: z.string(),
          is_span: z.boolean(),
          time_ns: anyNanos,
          duration_ms: z.number(),
          name: z.string(),
          service: z.string(),
          spans: z.number(),
        }),
      ),
      events: z.array(
        z.object({
          ref: z.string(),
          time_ns: anyNanos,
          severity: z.number().int(),
          type: z.string(),
          device: z.string(),
          message: z.string(),
        }),
      ),
      /** By name and service; `ref` is the slowest of them. */
      spans: z.array(
        z.object({
          ref: z.string(),
          time_ns: anyNanos,
          duration_ms: z.number(),
          name: z.string(),
          service: z.string(),
          spans: z.number(),
        }),
      ),
      logs: z.array(z.object({ ref: z.string(), time_ns: anyNanos, body: z.string() })),
    }),
  ),
  'evidence.get': call(z.object({ ref: z.string().min(1).max(LONGEST_ID) }), recordSchema),
} as const;
