import { z } from 'zod';
import { traceCostSchema } from '../incident/cost-schema.ts';
import { anyNanos } from '../rows/any-nanos.ts';
import { call } from './procedure.ts';

const float64 = z.instanceof(Float64Array);
const uint8 = z.instanceof(Uint8Array);
const int32 = z.instanceof(Int32Array);

/** Marks of a span, as bits; see docs/traces.md. */
export const spanMarks = {
  /** It names a parent that is not in the case. */
  orphan: 1,
  /** Another span of its trace has its id, and they are not the two halves of one call. */
  duplicate: 2,
  /** Its parents form a circle, which is cut above it. */
  circle: 4,
  /** Ends after its parent, which did not wait for it. */
  outlives: 8,
  /** Moved in time, because its own clock contradicts its caller's. */
  shifted: 16,
  /** Takes part in the critical path. */
  critical: 32,
} as const;

/** Codes of OTLP, by their place. */
export const spanKinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;

const tracePartSchema = z.object({
  trace_id: z.string(),
  /** In the trace group, and the number of omitted ones. */
  spans: z.number().int(),
  left_out: z.number().int(),
  /** Nanoseconds after the start of the trace group. */
  start_ns: z.number(),
  end_ns: z.number(),
});

/**
 * One trace with those that are linked with it, as it crosses the wire: {@link openTraceGroup} adds what follows from the rest.
 * Spans are columns in the order in which a tree is read: a span stands before its children. Times are nanoseconds after
 * `origin_ns`, on the case's clock and then by `shift_ns` more, so that no call begins before its caller; numbers in
 * doubles are whole.
 */
export const traceGroupSchema = z.object({
  /** The first beginning; null when the case holds no such trace. */
  origin_ns: anyNanos.nullable(),
  traces: z.array(tracePartSchema),
  services: z.array(z.string()),
  names: z.array(z.string()),

  /** Eight bytes a span, the lowest first. */
  span_id: uint8,
  /** 0: no parent, or none that was recorded. */
  depth: int32,
  /** Index into `traces`, `services`, `names`; -1: not recorded. */
  trace: int32,
  service: int32,
  name: int32,
  /** Index into `spanKinds`. */
  kind: uint8,
  /** 0 unset, 1 ok, 2 error. */
  status: uint8,
  /** Bits of `spanMarks`. */
  marks: uint8,
  start_ns: float64,
  length_ns: float64,
  /** Added to the times that were recorded. */
  shift_ns: float64,
  /** Duration without what its children cover. */
  self_ns: float64,

  /** The critical path, ascending: times in which a span (`path_span`) determined the end of the trace group. */
  path_span: int32,
  path_from_ns: float64,
  path_until_ns: float64,
  /** 1: idle; `path_span` is the span that began then, and `path_after` the one that had ended (-1: of work). */
  path_wait: uint8,
  path_after: int32,

  /** Links between spans of the trace group, from the earlier to the later span. */
  link_from: int32,
  link_to: int32,
  /** Idle time between both; 0 if they overlap. */
  link_wait_from_ns: float64,
  link_wait_until_ns: float64,

  /** What spans recorded as events, by span and time. */
  event_span: int32,
  event_ns: float64,
  event_name: int32,
  event_names: z.array(z.string()),

  /** Log records that bear the id of one of the traces, in the time of the trace group and a minute around it. */
  log_span: int32,
  log_ns: float64,
  /** Numbers of OTLP: 17 and more are errors. */
  log_severity: uint8,
  /** Evidence ids. */
  log_refs: z.array(z.string()),
  /** Their first 300 letters. */
  log_bodies: z.array(z.string()),

  /**
   * Token spans that were folded, by the span above them, ascending: how many, and the gaps of `gap_band` between all of its children.
   * Other gaps are at most `band_rest_ns` long. Parts of the critical path in them count as parts of the span above. Empty: every span is here.
   */
  band_span: int32,
  band_count: int32,
  band_rest_ns: float64,
  /** Index of the band, ascending, then by time. */
  gap_band: int32,
  gap_from_ns: float64,
  gap_until_ns: float64,
  /** Index of each span when none is folded; empty: as here. */
  place: int32,

  /** What is not in it, though the case or its links speak of it. */
  cut: z.object({
    /** Traces that are linked but were left out, because there are too many; at least so many. */
    traces: z.number().int(),
    spans: z.number().int(),
    events: z.boolean(),
    links: z.boolean(),
    logs: z.boolean(),
    /** Links to spans of which the case holds nothing. */
    unrecorded_links: z.number().int(),
  }),
});
export type TraceGroupAnswer = z.infer<typeof traceGroupSchema>;

/** A trace group with derived columns: a fifth of its size on the wire, without computation. */
export interface TraceGroup extends TraceGroupAnswer {
  /** Index of a span; -1: none. */
  readonly parent: Int32Array;
  /** How many spans stand below, at any depth: they follow right behind. */
  readonly descendants: Int32Array;
  /** The same with those that are folded into bands. */
  readonly below: Int32Array;
  readonly end_ns: Float64Array;
  /** Of all traces, with those that are folded. */
  readonly total: number;
}

export function openTraceGroup(answer: TraceGroupAnswer): TraceGroup {
  const { depth, start_ns, length_ns } = answer;
  const parent = new Int32Array(depth.length);
  const descendants = new Int32Array(depth.length);
  const end_ns = new Float64Array(depth.length);
  /** The last span of each depth. */
  const open: number[] = [];
  for (let at = 0; at < depth.length; at++) {
    const level = depth[at]!;
    open[level] = at;
    parent[at] = level === 0 ? -1 : open[level - 1]!;
    end_ns[at] = start_ns[at]! + length_ns[at]!;
  }
  for (let at = depth.length - 1; at >= 0; at--) {
    const above = parent[at]!;
    if (above >= 0) descendants[above] = descendants[above]! + descendants[at]! + 1;
  }
  const place = answer.place.length > 0 ? answer.place : Int32Array.from(depth.keys());
  const below = withBands(answer, parent, descendants);
  const total = answer.traces.reduce((sum, { spans }) => sum + spans, 0);
  return { ...answer, place, parent, descendants, below, end_ns, total };
}

function withBands({ band_span, band_count }: TraceGroupAnswer, parent: Int32Array, descendants: Int32Array) {
  if (band_span.length === 0) return descendants;
  const below = descendants.slice();
  for (const [band, span] of band_span.entries())
    for (let at = span; at >= 0; at = parent[at]!) below[at] = below[at]! + band_count[band]!;
  return below;
}

export const resourceLaneSchema = z.object({
  /** `gpu:node-1/GPU-0` */
  entity: z.string(),
  /** A common metric, or the quantity that spans state. */
  metric: z.string(),
  unit: z.string(),
  /** Which of several replicas; '': there is one, or it is not stated. */
  replica: z.string(),
  from: z.enum(['metric', 'spans']),
  /** Samples within the time and one to each side, in nanoseconds after its start. */
  times_ns: float64,
  values: float64,
});
export type ResourceLane = z.infer<typeof resourceLaneSchema>;

export const traceGroupContract = {
  /** One trace by its id as hex, with the traces that are linked with it, directly or by others. */
  'trace.story': call(
    z.object({
      trace_id: z.string().regex(/^[0-9a-f]{1,32}$/i),
      /** false: this trace only. */
      follow_links: z.boolean().default(true),
      most_spans: z.number().int().min(1).max(1_000_000).default(200_000),
      most_traces: z.number().int().min(1).max(500).default(50),
      /** Leaves out the token spans that a waterfall folds at first, of a trace with thousands; see `band_span`. */
      fold_tokens: z.boolean().default(false),
    }),
    traceGroupSchema,
  ),
  /** What one trace, without those linked with it, took of the GPUs that serve its services (docs/report.md, Cost). */
  'trace.cost': call(
    z.object({
      trace_id: z.string().regex(/^[0-9a-f]{1,32}$/i),
      /** As in `report.render`. */
      rates: z.string().max(1_000_000).nullable().default(null),
    }),
    traceCostSchema,
  ),
  /**
   * What was measured around a time of the services of one trace, and of the GPUs and machines that they ran on: those that the trace names,
   * else all of the services.
   */
  'trace.resources': call(
    z.object({ trace_id: z.string().regex(/^[0-9a-f]{1,32}$/i), start_ns: anyNanos, end_ns: anyNanos }),
    z.object({
      lanes: z.array(resourceLaneSchema),
      total: z.number().int(),
      /** Whether the trace names a host or pod. */
      named: z.boolean(),
    }),
  ),
} as const;
