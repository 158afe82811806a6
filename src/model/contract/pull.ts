import { z } from 'zod';
import { anyNanos } from '../rows/any-nanos.ts';
import { feedKindSchema, feedTestSchema } from './capture.ts';
import { problemSchema, sourceInfoSchema } from './case.ts';
import { call, stream } from './procedure.ts';

/** What one query of an archive would pull. */
const plannedQuerySchema = z.object({
  query: z.string(),
  format: z.string(),
  from_ns: anyNanos,
  until_ns: anyNanos,
  /** Slices that are missing, and what the archive estimates of them; null: it does not. */
  slices: z.number(),
  rows: z.number().nullable(),
  bytes: z.number().nullable(),
  /** Share of the window that the case has already, 0 to 1. */
  present: z.number(),
});

export const pullEventSchema = z.discriminatedUnion('kind', [
  /** Before anything is pulled. `until_ns`: earlier than asked for where records may still arrive. */
  z.object({
    kind: z.literal('plan'),
    archive: z.string(),
    from_ns: anyNanos,
    until_ns: anyNanos,
    queries: z.array(plannedQuerySchema),
  }),
  /** `slices` grows where one is too large and is cut. `repeats`: failed requests that were repeated, and why the last was. */
  z.object({
    kind: z.literal('progress'),
    done: z.number(),
    slices: z.number(),
    rows: z.number(),
    bytes: z.number(),
    repeats: z.number(),
    reason: z.string(),
    /** By the slices so far; null: too early. */
    remaining_s: z.number().nullable(),
  }),
  /** A whole slice is in the case. */
  z.object({ kind: z.literal('source'), source: sourceInfoSchema }),
  /** A slice is not: pulling again asks for it. */
  z.object({
    kind: z.literal('problem'),
    query: z.string(),
    from_ns: anyNanos,
    until_ns: anyNanos,
    problem: problemSchema,
  }),
  /** `left`: not asked for any more, because too many failed one after another. */
  z.object({ kind: z.literal('done'), pulled: z.number(), failed: z.number(), left: z.number(), rows: z.number() }),
]);
export type PullEvent = z.infer<typeof pullEventSchema>;

export const archivePlan = z.string().min(1).max(1_000_000);

export const pullContract = {
  /** Options of the plans of archives. */
  'archive.kinds': call(z.object({}), z.array(feedKindSchema)),
  /** What a plan states and what is wrong with it; `path` '' is the plan as a whole. Nothing is requested. */
  'archive.read': call(
    z.object({ plan: z.string().max(1_000_000) }),
    z.object({
      fields: z.record(z.string(), z.unknown()).nullable(),
      problems: z.array(z.object({ path: z.string(), message: z.string() })),
    }),
  ),
  /** Tables for a fleet that has no archive yet, a collector that fills them, and a dashboard of Grafana. Makes nothing. */
  'archive.schema': call(
    z.object({
      kind: z.string().min(1).max(100),
      database: z.string().min(1).max(200),
      days: z.number().int().min(1).max(3650),
      important_days: z.number().int().min(1).max(3650),
      /** Address of the web host that the dashboard links to; null: it has no links. */
      links: z
        .url({ protocol: /^https?$/ })
        .nullable()
        .default(null),
    }),
    z.object({ statements: z.array(z.string()), collector: z.string(), dashboard: z.string() }),
  ),
  /** Tests the connection to an archive step by step; nothing of it reaches a case. Abandoning it ends it. */
  'archive.test': stream(z.object({ plan: archivePlan }), feedTestSchema),
  /**
   * Pulls a window out of an archive into the open case, or a new one, slice by slice: each is in the case whole, as a source, or
   * not at all. What the case has already is not asked for. Abandoning it keeps whole slices.
   */
  'archive.pull': stream(
    z.object({
      plan: archivePlan,
      from_ns: anyNanos,
      until_ns: anyNanos,
      services: z.array(z.string().min(1).max(500)).max(1000).default([]),
      where: z.string().min(1).max(10_000).nullable().default(null),
      /** Ends after the plan. */
      only_plan: z.boolean().default(false),
      new_case: z.boolean().default(false),
      /** Keeps slices of which most could not be read. */
      keep: z.boolean().default(false),
    }),
    pullEventSchema,
  ),
} as const;
