import { z } from 'zod';
import { impactSchema, servicePartSchema } from '../incident/incident.ts';
import { anyNanos } from '../rows/any-nanos.ts';
import { LONGEST_SEARCH } from '../traceql/parse-search.ts';
import { logTemplatesSchema } from './logs.ts';
import { call, stream } from './procedure.ts';
import { archivePlan } from './pull.ts';
import { traceOrders, tracesFoundSchema } from './traces.ts';

const question = {
  /** Of an archive that can be asked in place: ClickHouse. */
  plan: archivePlan,
  from_ns: anyNanos,
  until_ns: anyNanos,
  services: z.array(z.string().min(1).max(500)).max(1000).default([]),
};

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
