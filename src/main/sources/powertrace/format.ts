import { z } from 'zod';
import { severities } from '../../../model/entity.ts';

/**
 * PowerTrace's three JSON documents: `events`, `service_metrics` with `spans`, and `mappings`. One file may
 * hold any of them, alone or together. Times are RFC 3339 with a zone; unknown fields are ignored.
 */
export const eventSchema = z.object({
  id: z.string().min(1),
  timestamp: z.string(),
  /** aws_health, nvml, rapl, pdu_snmp, redfish, …: an open list. */
  source: z.string().min(1),
  type: z.string().min(1),
  severity: z.enum(severities),
  device_id: z.string().min(1),
  raw_message: z.string().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});

export const serviceMetricSchema = z.object({
  service_name: z.string().min(1),
  timestamp: z.string(),
  p50_latency_ms: z.number().nullish(),
  p95_latency_ms: z.number().nullish(),
  p99_latency_ms: z.number().nullish(),
  error_rate_percent: z.number().nullish(),
  throughput_rps: z.number().nullish(),
  node_id: z.string().nullish(),
});

/** Thirty years: beyond that a duration is a broken clock, and would leave 64-bit nanoseconds. */
const LONGEST_MS = 1e12;

export const spanSchema = z.object({
  trace_id: z.string().min(1),
  span_id: z.string().min(1),
  parent_span_id: z.string().nullish(),
  service_name: z.string().min(1),
  operation: z.string().nullish(),
  start_time: z.string(),
  duration_ms: z.number().nonnegative().max(LONGEST_MS),
  status: z.string().nullish(),
  attributes: z.record(z.string(), z.unknown()).nullish(),
});

export const mappingSchema = z.object({
  physical_device_id: z.string().min(1),
  rack_id: z.string().nullish(),
  feeds: z.array(z.string().min(1)).nullish(),
  parent_device_id: z.string().nullish(),
  asset_tag: z.string().nullish(),
  ip_address: z.string().nullish(),
  cloud_instance_id: z.string().nullish(),
  gpus: z.array(z.string().min(1)).nullish(),
  gpu_index: z.number().nullish(),
  gpu_uuid: z.string().nullish(),
  kubernetes_node: z.string().nullish(),
  services: z.array(z.string().min(1)).nullish(),
});

/** A report that PowerTrace wrote: its chain contains events that the recording itself may lack. */
export const chainEventSchema = z.object({
  event_id: z.string().min(1),
  timestamp: z.string(),
  source: z.string().min(1),
  type: z.string().min(1),
  device_id: z.string().min(1),
  caused_by: z.string().nullish(),
  confidence: z.number().nullish(),
  lag_seconds: z.number().nullish(),
  indirect_causality: z.boolean().nullish(),
});
export const reportSchema = z.object({
  incidents: z.array(z.object({ id: z.string(), causal_chain: z.array(z.unknown()) })),
});

export type ChainEvent = z.infer<typeof chainEventSchema>;
export type PowerTraceEvent = z.infer<typeof eventSchema>;
export type ServiceMetric = z.infer<typeof serviceMetricSchema>;
export type PowerTraceSpan = z.infer<typeof spanSchema>;
export type Mapping = z.infer<typeof mappingSchema>;

/** The lists that mark a document as PowerTrace's, and what one record of each is called in messages. */
export const sections = {
  /** Made of the chains of a report, see `chainEventsOf`. */
  chain_events: { schema: chainEventSchema, record: 'chain event' },
  events: { schema: eventSchema, record: 'event' },
  service_metrics: { schema: serviceMetricSchema, record: 'service metric' },
  spans: { schema: spanSchema, record: 'span' },
  mappings: { schema: mappingSchema, record: 'mapping' },
} as const;
export type Section = keyof typeof sections;
