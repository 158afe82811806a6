import { z } from 'zod';
import { contradictedReadingSchema } from '../incident/contradicted-reading-schema.ts';
import { correlateOptionsSchema, deviceName, incidentSchema, reportSchema } from '../incident/incident-schema.ts';
import { rankingChangeSchema, whatIfSchema } from '../incident/what-if-schema.ts';
import { anyNanos } from '../rows/any-nanos.ts';
import { problemSchema } from './case.ts';
import { call } from './procedure.ts';

/** An event that the root cause brought about. */
const chainEventSchema = z.object({
  ref: z.string(),
  lane: z.string(),
  time_ns: anyNanos,
  type: z.string(),
  device: z.string(),
  name: deviceName,
  layer: z.string(),
  summary: z.string(),
  /** null: no samples contradict what the event states. */
  contradiction: contradictedReadingSchema.nullable().default(null),
});

/** Numbers only the window needs beside the scripted shape of an incident. */
export const incidentViewSchema = z.object({
  incident: incidentSchema,
  start_ns: anyNanos,
  end_ns: anyNanos,
  /** The first normal measurement after it; null: none was recorded, so it lasted longer than was measured. */
  recovered_ns: anyNanos.nullable(),
  /** First anomalous measurement, and the interval the true onset lies in (last normal sample, first bad one). */
  onset_ns: anyNanos,
  onset_earliest_ns: anyNanos,
  /**
   * The measurement before the first anomalous one; earlier than `onset_earliest_ns` if the onset was not measured,
   * and `onset_ns` where that was the first measurement of all.
   */
  previous_ns: anyNanos,
  service: z.string(),
  /** Evidence ids of the first anomalous and of the worst measurement. */
  onset_ref: z.string(),
  peak_ref: z.string(),
  /** The measurements with the worst of each figure, which need not be of one moment; null: it was not measured. */
  worst_refs: z.object({
    p99: z.string().nullable(),
    error_rate: z.string().nullable(),
    throughput: z.string().nullable(),
  }),
  /** The chain with the lane each step belongs to, in order; `edge_probability` styles the arrow from its cause. */
  steps: z.array(
    chainEventSchema.extend({
      /** Place of the step that brought it about, always an earlier one; null where the chain begins. */
      cause: z.number().int().nullable(),
      edge_probability: z.number().nullable(),
      /** The order of this step and its cause lies within the clocks' uncertainty. */
      undecided: z.boolean(),
    }),
  ),
  /** Events that the same cause brought about on devices without a path to the service: no steps. */
  also_affected: z.array(chainEventSchema).default([]),
  /** Critical events near the onset that are no step of the chain, with the reason; empty of a what-if. */
  unused_events: z
    .array(
      z.object({
        ref: z.string(),
        time_ns: anyNanos,
        type: z.string(),
        device: z.string(),
        name: deviceName,
        reason: z.string(),
        contradiction: contradictedReadingSchema.nullable().default(null),
      }),
    )
    .default([]),
});
export type IncidentView = z.infer<typeof incidentViewSchema>;

export const investigationContract = {
  correlate: call(correlateOptionsSchema.prefault({}), reportSchema),
  /** The same conclusions as text: for a terminal, or as a post-mortem. */
  'correlate.render': call(
    z.object({
      options: correlateOptionsSchema.prefault({}),
      format: z.enum(['timeline', 'markdown']),
      /** Rendered under this what-if, after its changes. */
      what_if: whatIfSchema.nullable().default(null),
      /** What GPUs cost, as YAML. */
      rates: z.string().max(1_000_000).nullable().default(null),
    }),
    z.object({ text: z.string() }),
  ),
  /** The incidents of the open case as the window draws them, with the default options. */
  'incidents.list': call(z.object({}), z.array(incidentViewSchema)),
  /** How the case would be judged if the recording were another one, beside how it is judged. */
  'incidents.whatIf': call(
    z.object({
      what_if: whatIfSchema,
      options: correlateOptionsSchema.prefault({}),
      /** One incident; null means all. */
      incident: z.string().nullable().default(null),
    }),
    z.object({
      /** The supposition in words. */
      supposed: z.string(),
      /** As it would be. */
      report: reportSchema,
      incidents: z.array(
        z.object({ before: incidentViewSchema, after: incidentViewSchema, change: rankingChangeSchema }),
      ),
    }),
  ),
  /** What feeds what, each by `kind:id`, as a what-if can move it. */
  'feeds.list': call(z.object({}), z.array(z.object({ supply: z.string(), fed: z.string() }))),
  /** Which mechanisms the conclusions rest on: those of the user's own file, or those that come with Faultline. */
  'mechanisms.status': call(
    z.object({}),
    z.object({
      in_use: z.enum(['own', 'bundled']),
      /** The user has a file, valid or not. */
      has_file: z.boolean(),
      /** Where that file lies, or would be looked for, as a person finds it: never a path that names the user. */
      place: z.string(),
      /** Why the file as it is now is not in use. */
      problem: problemSchema.nullable(),
      issues: z.array(z.object({ line: z.number().int().nullable(), field: z.string(), message: z.string() })),
    }),
  ),
  /** The file that comes with Faultline. */
  'mechanisms.bundled': call(z.object({}), z.object({ text: z.string() })),
  /** The incidents as OTLP/JSON requests: `traces`, `logs` and `metrics` for the endpoint of each; '' where there is nothing. */
  'incidents.telemetry': call(z.object({}), z.object({ traces: z.string(), logs: z.string(), metrics: z.string() })),
} as const;
