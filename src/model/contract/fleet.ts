import { z } from 'zod';
import { impactSchema, servicePartSchema } from '../incident/incident-schema.ts';
import { anyNanos } from '../rows/any-nanos.ts';
import { LONGEST_SEARCH } from '../traceql/syntax.ts';
import { logTemplatesSchema } from './logs.ts';
import { call, stream } from './procedure.ts';
import { archivePlan } from './pull.ts';
import { traceMetricSchema, traceOrders, tracesFoundSchema } from './traces.ts';

const asked = {
  /** Of an archive that can be asked in place: ClickHouse. */
  plan: archivePlan,
  services: z.array(z.string().min(1).max(500)).max(1000).default([]),
  /** A condition in its SQL, which rows of all its tables meet; null: none. */
  where: z.string().min(1).max(10_000).nullable().default(null),
};
const question = { ...asked, from_ns: anyNanos, until_ns: anyNanos };

const fleetEventSchema = z.object({
  time_ns: anyNanos,
  /** `kind:id`; null: nothing with a name. */
  entity: z.string().nullable(),
  type: z.string(),
  /** critical, high, medium, low. */
  severity: z.string(),
  message: z.string(),
});
export type FleetEvent = z.infer<typeof fleetEventSchema>;

/** Figures of GPUs over a time; null: not recorded. */
const gpuFigures = {
  /** Share of the time in which power, heat or the hardware held it down at some point of each part; of a host, of its GPUs' time. */
  throttled: z.number().nullable(),
  /** %, the median of the lowest of each part. */
  utilization: z.number().nullable(),
  /** Cel, the highest. */
  temperature: z.number().nullable(),
  /** Times that another Xid than before was reported. */
  xids: z.number().nullable(),
  /** Memory errors that were added. */
  ecc_corrected: z.number().nullable(),
  ecc_uncorrected: z.number().nullable(),
};
const heatRow = z.array(z.number().nullable());
export const fleetGpusSchema = z.object({
  /** The worst first. */
  hosts: z.array(
    z.object({
      /** '': not known. */
      host: z.string(),
      gpus: z.number(),
      ...gpuFigures,
      /** By equal parts of the time: share of its GPUs throttled, their lowest utilization and highest temperature. */
      heat: z.object({ throttled: heatRow, utilization: heatRow, temperature: heatRow }),
    }),
  ),
  /** The worst first. */
  gpus: z.array(z.object({ gpu: z.string(), host: z.string(), ...gpuFigures })),
});
export type FleetGpus = z.infer<typeof fleetGpusSchema>;

const fleetImpactSchema = z.object({
  service: z.string(),
  /** Empty: the service as a whole. */
  parts: z.array(servicePartSchema),
  start_ns: anyNanos,
  end_ns: anyNanos,
  /** By the figure that shows most: P99, requests that came, requests that did not fail. */
  times_worse: z.number(),
  impact: impactSchema,
});
export type FleetImpactView = z.infer<typeof fleetImpactSchema>;

const foundImpacts = {
  /** The worst first. */
  impacts: z.array(fleetImpactSchema),
  /** Services with requests, and how many. */
  services: z.number(),
  requests: z.number(),
};

export const fleetHeatEventSchema = z.discriminatedUnion('kind', [
  /** How many of the services are measured. */
  z.object({ kind: z.literal('progress'), done: z.number(), services: z.number() }),
  z.object({
    kind: z.literal('heat'),
    ...foundImpacts,
    /** Services with a row, the one with the worst impact first. */
    rows: z.array(z.string()),
    /** `rows` times buckets, row by row: times worse than its baseline in an impact, 1 outside of impacts, NaN: not measured. */
    values: z.instanceof(Float64Array),
  }),
]);
export type FleetHeatEvent = z.infer<typeof fleetHeatEventSchema>;

const fleetSpanSchema = z.object({
  span_id: z.string(),
  /** '': it is a root. */
  parent_span_id: z.string(),
  service: z.string(),
  name: z.string(),
  kind: z.string(),
  status: z.string(),
  status_message: z.string(),
  start_ns: anyNanos,
  duration_ns: anyNanos,
  attributes: z.record(z.string(), z.string()),
  resource_attributes: z.record(z.string(), z.string()),
});

const pastIncidentSchema = z.object({
  case: z.string(),
  incident: z.string(),
  impacted: z.string(),
  start_ns: anyNanos,
  end_ns: anyNanos,
  times_worse: z.number(),
  /** `confirmed`, `computed` or `undecided`. */
  verdict: z.string(),
  /** `kind:id type`; '': none. */
  cause: z.string(),
  title: z.string(),
  severity: z.string(),
  owner: z.string(),
  /** What was done then, or was to be. */
  actions: z.array(z.object({ text: z.string(), done: z.boolean() })),
  /** 0 to 1: how much of what is known of both is the same; and in what they are alike. */
  likeness: z.number(),
  alike: z.array(z.enum(['cause', 'device', 'patterns', 'suspects', 'chain', 'harm'])),
});

const comparedIncidentSchema = z.object({
  incident: z.string(),
  impacted: z.string(),
  start_ns: anyNanos,
  cause: z.string(),
  past: z.array(pastIncidentSchema),
});

/** Questions to all that an archive holds, answered where it is; nothing of it reaches a case. And what an archive keeps of cases. */
export const fleetContract = {
  /** Services that did worse than their own baseline, the worst first, as `correlate` finds them by spans. */
  'fleet.impacts': call(
    z.object({
      ...question,
      /** Also by model, route, tenant and replica, which reads attributes. */
      parts: z.boolean().default(false),
    }),
    z.object(foundImpacts),
  ),
  /** The same as a matrix, service by time. Abandoning it ends it. */
  'fleet.heat': stream(
    z.object({
      ...question,
      /** Equal parts of the time. */
      buckets: z.number().int().min(1).max(500).default(240),
      /** Most services with a row. */
      rows: z.number().int().min(1).max(1000).default(200),
    }),
    fleetHeatEventSchema,
  ),
  /** As `traces.search`. */
  'fleet.traces': call(
    z.object({
      ...question,
      query: z.string().max(LONGEST_SEARCH),
      order: z.enum(traceOrders).default('slowest'),
      limit: z.number().int().min(1).max(5000).default(500),
    }),
    tracesFoundSchema,
  ),
  /** As `traces.metric`, but for `compare()`. */
  'fleet.metric': call(
    z.object({
      ...question,
      query: z.string().max(LONGEST_SEARCH),
      buckets: z.number().int().min(1).max(1000).default(60),
    }),
    traceMetricSchema,
  ),
  /** One trace; the time may be left as wide as the archive where the exporter has a table of when traces begin. */
  'fleet.trace': call(
    z.object({ ...question, trace_id: z.string().regex(/^[0-9a-f]{1,32}$/i) }),
    z.object({ trace_id: z.string(), spans: z.array(fleetSpanSchema), truncated: z.boolean() }),
  ),
  /** As `logs.templates`: new and surging ones are compared with the time before, which is read, too. */
  'fleet.logs': call(
    z.object({
      ...question,
      before_s: z.number().int().min(0).max(604_800).default(3600),
      buckets: z.number().int().min(1).max(500).default(60),
    }),
    logTemplatesSchema,
  ),
  /** Events that log records state around a time, as importers read them. */
  'fleet.events': call(
    z.object({
      ...asked,
      at_ns: anyNanos,
      around_s: z.number().int().min(1).max(86_400).default(300),
      /** Most of them, the nearest first. */
      limit: z.number().int().min(1).max(10_000).default(1000),
    }),
    z.object({ events: z.array(fleetEventSchema), found: z.number() }),
  ),
  /** How GPUs did, by host. */
  'fleet.gpus': call(z.object({ ...question, buckets: z.number().int().min(1).max(240).default(24) }), fleetGpusSchema),
  /** Makes what is missing of the tables of `archive.schema` in the archive. */
  'fleet.create_tables': call(
    z.object({
      plan: archivePlan,
      days: z.number().int().min(1).max(3650),
      important_days: z.number().int().min(1).max(3650),
    }),
    z.object({ statements: z.number() }),
  ),
  /** Writes the incidents and findings of the open case into the archive, judgements first; pushing again replaces them. */
  'fleet.push': call(
    z.object({ plan: archivePlan }),
    z.object({
      incidents: z.number(),
      findings: z.number(),
      /** Of an earlier push, which the case does not conclude any more. */
      removed: z.number(),
      /** Address of the dashboard at their time; null: the plan names no Grafana, or nothing was pushed. */
      dashboard: z.string().nullable(),
    }),
  ),
  /** Past incidents that were pushed and are like those of the open case, the most alike first. */
  'fleet.similar': call(
    z.object({
      plan: archivePlan,
      /** null: all of the case. */
      incident: z.string().max(200).nullable().default(null),
    }),
    z.object({ incidents: z.array(comparedIncidentSchema) }),
  ),
} as const;
