import { z } from 'zod';
import { entityKinds } from '../entity.ts';
import { anyNanos } from '../rows/any-nanos.ts';
import { call } from './procedure.ts';

/** Names come from recordings. */
const LONGEST_ID = 20_000;
/** Far above what anything takes, and in nanoseconds below the end of 64 bits. */
const LONGEST_MS = 4e12;
/** Of a region. */
export const MOST_ENTITIES = 1000;

const time = { start_ns: anyNanos, end_ns: anyNanos };

/**
 * A part of some chart: a time (end exclusive, on the case's clock), and within it, where they are given, only what these
 * entities (`kind:id`) recorded, and only spans that took so long, or are named so.
 */
export const regionSchema = z.object({
  ...time,
  entities: z.array(z.string().max(LONGEST_ID)).max(MOST_ENTITIES).default([]),
  /** Milliseconds, `below` exclusive; null means no such limit. What is no span has no duration, and is left out. */
  duration_ms: z
    .object({
      from: z.number().nonnegative().max(LONGEST_MS).nullable(),
      below: z.number().positive().max(LONGEST_MS).nullable(),
    })
    .nullable()
    .default(null),
  /** Only spans of this name; null: of any, and what is no span as well. */
  span_name: z.string().max(LONGEST_ID).nullable().default(null),
});
export type Region = z.infer<typeof regionSchema>;

/** What a region is held against. */
export const baselineSchema = z.discriminatedUnion('kind', [
  /** Everything else in the case. */
  z.object({ kind: z.literal('rest') }),
  /** The same time, but other entities or durations. */
  z.object({ kind: z.literal('beside') }),
  /** The same entities and durations, for an equally long time right before. */
  z.object({ kind: z.literal('before') }),
  /** The same entities and durations at another time. */
  z.object({ kind: z.literal('chosen'), ...time }),
]);
export type Baseline = z.infer<typeof baselineSchema>;

const populations = ['spans', 'logs', 'events', 'metrics', 'entities'] as const;

/** One side of a difference. */
const sideSchema = z.object({
  /** Rows with the value, and rows in all; for a number the samples, or the entities, twice. */
  rows: z.number(),
  of: z.number(),
  /** Independent groups with the value: traces of spans, bursts of log lines, machines; what significance counts. */
  groups: z.number(),
  /** Share of rows, 0 to 1; of a number its median, in `unit`. */
  value: z.number(),
});

/** How the values of a side lie: how many are in each bar, and where a tenth of them lies below and above. */
const spreadSideSchema = z.object({ counts: z.array(z.number()), p10: z.number(), p90: z.number() });

/** Both sides in the same bars of equal width, or of equal width in the logarithm; the outer ones hold what lies beyond. */
const spreadSchema = z.object({
  from: z.number(),
  to: z.number(),
  is_log: z.boolean(),
  region: spreadSideSchema,
  baseline: spreadSideSchema,
});
export type Spread = z.infer<typeof spreadSchema>;

/** A value of the attribute of a share, with its shares of both sides. */
const sharedValueSchema = z.object({ value: z.string(), region: z.number(), baseline: z.number() });

export const differenceSchema = z.object({
  /** The same for the same question. */
  id: z.string(),
  population: z.enum(populations),
  /** `service`, `resource k8s.pod.name`, `attribute http.route`, `template`, a metric's name. */
  attribute: z.string(),
  value: z.string(),
  /** `share`: how often the value occurs; `number`: how large the attribute is. */
  measure: z.enum(['share', 'number']),
  unit: z.string(),
  region: sideSchema,
  baseline: sideSchema,
  /** Cliff's delta, -1 to 1: of a share the difference of the two shares, which is equal. */
  effect: z.number(),
  /** Region by baseline; null where the baseline has none, or a ratio means nothing. */
  ratio: z.number().nullable(),
  /** Of a metric: by how many robust deviations of the baseline its median moved. */
  deviations: z.number().nullable(),
  /** Significance: p-value, and false-discovery rate. */
  p: z.number(),
  q: z.number(),
  /** Fewer groups with the value than a rule of thumb asks for. */
  is_thin: z.boolean(),
  /** Its entity, `kind:id`; null if none. */
  entity: z.string().nullable(),
  /** Of a number; null of a share. */
  spread: spreadSchema.nullable(),
  /** Of a share: this value and the most frequent others of its attribute, as far as they were tested; [] of a number. */
  values: z.array(sharedValueSchema),
  /** Entity kind, if a metric was compared between entities with one value each; else null. */
  across: z.enum(entityKinds).nullable(),
  /**
   * Other values, `attribute value`, with exactly the same counts: most likely the same rows by another name; `all but` one. Of a histogram its
   * other quantiles and its mean, where they differ, too.
   */
  also: z.array(z.string()),
  /** Id of the first difference that means the same: another entity of the same kind did likewise; null: it is the first. */
  like: z.string().nullable(),
});
export type Difference = z.infer<typeof differenceSchema>;

/** What was compared of one kind of record. */
export const comparedSchema = z.object({
  population: z.enum(populations),
  /** Rows in the region and in the baseline. */
  region: z.number(),
  baseline: z.number(),
  /** Share of them that was looked at, 1 for all; of spans whole traces. */
  region_share: z.number(),
  baseline_share: z.number(),
  /** Values, numbers or series that were tested. */
  tested: z.number(),
});

export const differencesSchema = z.object({
  /** Those with q at most 0.05, the strongest first: by Cliff's delta, of shares by Cohen's h on the same scale. */
  differences: z.array(differenceSchema),
  /** More pass than were returned. */
  truncated: z.boolean(),
  compared: z.array(comparedSchema),
  /** Attributes that were not tested, and why. */
  left_out: z.array(z.object({ attribute: z.string(), reason: z.string() })),
  /** The time of the baseline; null where it is more than one. */
  baseline: z.object({ ...time }).nullable(),
});
export type Differences = z.infer<typeof differencesSchema>;

const differenceQuerySchema = z.object({ region: regionSchema, baseline: baselineSchema });

export const differencesContract = {
  /** What differs between a region and its baseline. @throws ProblemError region.empty */
  'differences.find': call(differenceQuerySchema, differencesSchema),
  /** Evidence ids of rows of the region that show a difference, the first ones; [] if rows cannot show it. */
  'differences.examples': call(
    differenceQuerySchema.extend({
      population: z.enum(populations),
      attribute: z.string().max(LONGEST_ID),
      value: z.string().max(LONGEST_ID),
      limit: z.number().int().min(1).max(100).default(20),
    }),
    z.array(z.object({ ref: z.string(), time_ns: anyNanos, title: z.string() })),
  ),
} as const;
