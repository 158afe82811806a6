import { z } from 'zod';
import { anyNanos } from '../rows/any-nanos.ts';
import { call } from './procedure.ts';

const LONGEST_ID = 20_000;
const LONGEST_TEXT = 2000;

/** A time on the case's clock, end exclusive, and the entities (`kind:id`) of the records; [] means all. */
const part = {
  start_ns: anyNanos,
  end_ns: anyNanos,
  entities: z.array(z.string().max(LONGEST_ID)).max(1000).default([]),
};

/** Lines that are alike, as one text with `<*>` for what varies. */
export const logTemplateSchema = z.object({
  text: z.string(),
  /** Lines in the time. */
  count: z.number(),
  /** First line of it in the whole case. */
  first_ns: anyNanos,
  /** `new`: never before; `surging`: at least twice as often as before, and not by chance; `unknown`: nothing was recorded before. */
  novelty: z.enum(['new', 'surging', 'usual', 'unknown']),
  /** Lines a second since the incident by those before; null where there were none. */
  times_more: z.number().nullable(),
  /** Worst severity number of OpenTelemetry among its lines in the time; 0 unknown. */
  severity: z.number().int(),
  /** Who wrote it, most lines first, as `kind:id`. */
  senders: z.array(z.string()),
  /** Lines per bucket of the time. */
  counts: z.instanceof(Int32Array),
});
export type LogTemplate = z.infer<typeof logTemplateSchema>;

export const logTemplatesSchema = z.object({
  /** New ones first, then surging ones, then by count. */
  templates: z.array(logTemplateSchema),
  /** Lines in the time; of them, those for which there was no room for a template. */
  lines: z.number(),
  left_out: z.number(),
  /** One record of so many was read, errors all: counts are estimates where this is more than 1. */
  share: z.number().int(),
  /** What is `before`: from the first record until here. */
  since_ns: anyNanos,
  /** How long that is, seconds; 0: no earlier recording, novelty is unknown. */
  before_s: z.number(),
});
export type LogTemplates = z.infer<typeof logTemplatesSchema>;

export const logRecordSchema = z.object({
  ref: z.string(),
  time_ns: anyNanos,
  /** OpenTelemetry's severity number, 0 unknown; and as the record calls it. */
  severity: z.number().int(),
  severity_text: z.string(),
  /** `kind:id`; '' where the resource names nothing. */
  entity: z.string(),
  body: z.string(),
  /** As hex; '' where the record belongs to no trace. */
  trace_id: z.string(),
  span_id: z.string(),
});
export type LogRecord = z.infer<typeof logRecordSchema>;

/** Only records with this value: `from` (`kind:id`), `level` (`error`), `resource KEY` or `attribute KEY`. */
const logConditionSchema = z.object({ field: z.string().max(LONGEST_ID), value: z.string().max(LONGEST_ID) });
export type LogCondition = z.infer<typeof logConditionSchema>;
/** Conditions on attributes of records, at most. */
export const MOST_ATTRIBUTES = 3;

const narrowed = {
  ...part,
  /** Hex; null: any. Records of a trace are returned at any time. */
  trace_id: z
    .string()
    .regex(/^[0-9a-f]{1,32}$/i)
    .nullable()
    .default(null),
  /** Contained in the body; case does not matter. */
  text: z.string().max(LONGEST_TEXT).default(''),
  /** Least severity number. */
  severity_from: z.number().int().min(0).max(24).default(0),
  /** All must hold. @throws ProblemError logs.conditions with more than {@link MOST_ATTRIBUTES} on attributes of records */
  where: z.array(logConditionSchema).max(20).default([]),
};

export const logLevels = ['unknown', 'trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof logLevels)[number];

/** A field of log records with its most frequent values. */
const logFacetSchema = z.object({
  /** As in a condition. */
  field: z.string(),
  values: z.array(z.object({ value: z.string(), lines: z.number() })),
  /** Lines that have the field, and how many different values they have. */
  lines: z.number(),
  different: z.number(),
});
export type LogFacet = z.infer<typeof logFacetSchema>;

const logFacetsSchema = z.object({
  facets: z.array(logFacetSchema),
  /** Lines per bucket of the time, by level, the worst first. */
  levels: z.array(z.object({ level: z.enum(logLevels), counts: z.instanceof(Float64Array) })),
  lines: z.number(),
  /** One record of so many was counted: above 1 all figures are estimates. */
  share: z.number().int(),
});
export type LogFacets = z.infer<typeof logFacetsSchema>;

export const logsContract = {
  /** What was logged in a time, folded into templates. The first question about a case's logs reads them all. */
  'logs.templates': call(
    z.object({
      ...part,
      /** When the incident began; null: the beginning of the time. */
      since_ns: anyNanos.nullable().default(null),
      buckets: z.number().int().min(1).max(500).default(60),
    }),
    logTemplatesSchema,
  ),
  /** Records of a time, of a template or of a trace, the first ones. */
  'logs.records': call(
    z.object({
      ...narrowed,
      /** As `logs.templates` wrote it; null: any. */
      template: z.string().max(LONGEST_ID).nullable().default(null),
      limit: z.number().int().min(1).max(5000).default(1000),
    }),
    z.object({ records: z.array(logRecordSchema), truncated: z.boolean() }),
  ),
  /** Fields of the records with their most frequent values, and the lines per bucket by level. */
  'logs.facets': call(
    z.object({ ...narrowed, buckets: z.number().int().min(1).max(500).default(60) }),
    logFacetsSchema,
  ),
  /** The records right before and after one, of the same sender and source, in order of time. */
  'logs.around': call(
    z.object({
      /** `log:SOURCE/ROW` */
      ref: z.string().regex(/^log:\d{1,9}\/\d{1,15}$/),
      before: z.number().int().min(0).max(500).default(10),
      after: z.number().int().min(0).max(500).default(10),
    }),
    z.object({ records: z.array(logRecordSchema) }),
  ),
} as const;
