import { z } from 'zod';

/** What people call a device whose id they do not know: a GPU by its machine and its number. */
export const deviceName = z.string().optional();

/**
 * What the correlator concludes, in the shape that scripts rely on: `faultline correlate --output json`
 * prints a {@link Report}. Field names are snake_case because this *is* the wire form; times are UTC text
 * with milliseconds and Z; latencies in ms, rates in percent or 1/s, money in USD.
 */
export const chainStepSchema = z.object({
  event_id: z.string(),
  timestamp: z.string(),
  source: z.string(),
  type: z.string(),
  device_id: z.string(),
  name: deviceName,
  caused_by: z.string().nullable(),
  /** The edge score of the first edition, kept for scripts alone: by distances in time, whatever the cause; null for the first step. */
  confidence: z.number().nullable(),
  /** How surely `caused_by` brought this step about, 0 to 1; null where it has no cause, or no known mechanism leads from it. */
  probability: z.number().nullable(),
  /** First step: to the impact. Last step: 0. Others: since the step before. */
  lag_seconds: z.number(),
  indirect_causality: z.boolean(),
});
export type ChainStep = z.infer<typeof chainStepSchema>;

/** What takes a time of which only the mean is known: a request, or one token of an answer. */
export const meanOfSchema = z.enum(['request', 'token']);
export type MeanOf = z.infer<typeof meanOfSchema>;
export const impactSchema = z.object({
  p99_baseline_ms: z.number().nullable(),
  p99_peak_ms: z.number().nullable(),
  p99_change_percent: z.number().nullable(),
  p99_first_anomaly_ms: z.number().nullable(),
  p99_first_change_percent: z.number().nullable(),
  error_rate_baseline_percent: z.number().nullable(),
  error_rate_peak_percent: z.number().nullable(),
  error_rate_first_anomaly_percent: z.number().nullable(),
  throughput_baseline_rps: z.number().nullable(),
  throughput_peak_rps: z.number().nullable(),
  throughput_first_anomaly_rps: z.number().nullable(),
  throughput_first_change_percent: z.number().nullable(),
  estimated_cost_impact_usd: z.number().nullable(),
  /** Where no quantile is known, only sums: what took longer on average. */
  mean: z
    .object({
      of: meanOfSchema,
      baseline_ms: z.number().nullable(),
      first_anomaly_ms: z.number().nullable(),
      peak_ms: z.number().nullable(),
      change_percent: z.number().nullable(),
    })
    .optional(),
});
export type Impact = z.infer<typeof impactSchema>;

/**
 * `stalled`: it did not go on at all; `ended`: nothing more of it was recorded, and its GPUs
 * did nothing; `failed`: records state that it, or a rank of it, ended with an error, and it did no more; `slowed`: a typical step of a job took longer; `restarted`: it was started again from an earlier step; `diverged`: it went on without a finite loss.
 */
export const harmSchema = z.enum(['degraded', 'slowed', 'stalled', 'ended', 'failed', 'restarted', 'diverged']);
export type Harm = z.infer<typeof harmSchema>;
/** What the throughput of an impact counts. */
export const workSchema = z.enum(['requests', 'steps', 'collectives']);
export type Work = z.infer<typeof workSchema>;
/** Requests of a service that have something in common: what they name, or what served them. Of a job: the steps of one rank. */
export const servicePartSchema = z.object({
  kind: z.enum(['model', 'route', 'tenant', 'replica', 'rank']),
  name: z.string(),
});
export type ServicePart = z.infer<typeof servicePartSchema>;

export const evidenceSchema = z.object({
  /** What kind of evidence: the id of one of `core/analysis/evidence`, the same for the same kind in every hypothesis. */
  kind: z.string(),
  /** Parameters of the text, in the units of their names. */
  parameters: z.record(z.string(), z.unknown()),
  sign: z.enum(['for', 'against', 'neutral']),
  /** Log-odds, natural logarithm. Neutral are what weighs nothing and, as the first line, what was thought before. */
  weight: z.number(),
  /** A sentence for people. */
  text: z.string(),
  /** Evidence ids (`event:12`, `metric:3@1705329131000000000`) that `evidence.get` resolves. */
  refs: z.array(z.string()),
});
export type Evidence = z.infer<typeof evidenceSchema>;
const subjectSchema = z.object({ kind: z.string(), id: z.string(), name: deviceName });

export const hypothesisSchema = z.object({
  rank: z.number().int(),
  probability: z.number(),
  /** null for `no_physical_cause` and `insufficient_evidence`. */
  subject: subjectSchema.nullable(),
  /** What shows the same at the same time: something that feeds all of them is the likely root, and they are one hypothesis. */
  also: z.array(subjectSchema).optional(),
  event_id: z.string().nullable(),
  type: z.string(),
  metric: z.string().nullable(),
  evidence: z.array(evidenceSchema),
});
export type Hypothesis = z.infer<typeof hypothesisSchema>;
export const incidentSchema = z.object({
  id: z.string(),
  window_start: z.string(),
  window_end: z.string(),
  duration_seconds: z.number(),
  overall_confidence: z.number(),
  low_confidence: z.boolean(),
  affected_services: z.array(z.string()),
  /**
   * Empty: the service as a whole. Else its other parts of the kind did not degrade, and the figures are those of the first part,
   * the worst one.
   */
  affected_parts: z.array(servicePartSchema).default([]),
  harm: harmSchema,
  /** How many times as long a typical step of a job that is slowed took; null of other harms. */
  slowed_times: z.number().nullable().default(null),
  /** Of a job that stalled: whether it did anything after that; null of other harms. */
  went_on: z.boolean().nullable().default(null),
  work: workSchema,
  causal_chain: z.array(chainStepSchema),
  impact: impactSchema,
  warnings: z.array(z.string()),
  unmapped_devices: z.array(z.string()),
  hypotheses: z.array(hypothesisSchema),
});
export type Incident = z.infer<typeof incidentSchema>;

export const reportSchema = z.object({
  generated_at: z.string(),
  incidents: z.array(incidentSchema),
  /** About the recording as a whole, such as services too short to judge. */
  warnings: z.array(z.string()),
  summary: z.object({
    total_events_processed: z.number(),
    total_incidents_detected: z.number(),
    total_unmapped_devices: z.number(),
    total_warnings: z.number(),
  }),
});
export type Report = z.infer<typeof reportSchema>;

/** A month: what lies further back explains nothing. */
const MOST_SECONDS = 2_678_400;

/** The seed's options, with its defaults. All times in seconds. */
export const correlateOptionsSchema = z.object({
  /** An event this close before the first anomaly opens the window; also the shortest gap that ends one. */
  window: z.number().nonnegative().max(MOST_SECONDS).default(5),
  /** How far back from the first anomaly causes are looked for. */
  lag: z.number().positive().max(MOST_SECONDS).default(60),
  /** Length of history before the anomaly from which "normal" is learnt. */
  baseline: z.number().positive().max(MOST_SECONDS).default(600),
  /** Below this `overall_confidence` the incident is flagged `low_confidence`. */
  confidence: z.number().min(0).max(1).default(0.6),
  /** USD per GPU and hour; without it the cost stays null. */
  gpu_rate: z.number().nonnegative().nullable().default(null),
  service: z.string().nullable().default(null),
  /** Look only at impacts whose window holds this instant (RFC 3339 with zone). */
  at: z.string().nullable().default(null),
  /**
   * Data sources of normal days, by name or file name: they have no incidents, and show how much each service varies. Their date
   * does not matter.
   */
  baseline_of: z.array(z.string().max(4096)).max(1000).default([]),
});
export type CorrelateOptions = z.infer<typeof correlateOptionsSchema>;
