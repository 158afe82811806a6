import { z } from 'zod';
import { demoScenarioNames } from '../demo-scenario.ts';
import { clockEstimateSchema } from '../incident/clock-estimate.ts';
import { anyNanos } from '../rows/any-nanos.ts';
import { openingStages } from '../storage/case-storage.ts';
import { caseSummarySchema } from '../storage/case-summary.ts';
import { hostAbilities } from '../storage/host-ability.ts';
import { dateOrders, timeUnits } from '../storage/source.ts';
import { FIRST_YEAR, LAST_YEAR } from '../time.ts';
import { call, stream } from './procedure.ts';

/** An opaque ticket for a file the user chose; the page never sees or names a path. */
const handle = z.string().min(1).max(64);
export const fileHandleSchema = z.object({ handle, name: z.string(), bytes: z.number() });
export type FileHandle = z.infer<typeof fileHandleSchema>;

export const problemSchema = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
  place: z.string().optional(),
});

/** What every import left behind: the file, its clock, and what was made of it. */
export const sourceInfoSchema = z.object({
  source_id: z.number().int(),
  name: z.string(),
  format: z.string(),
  digest: z.string(),
  bytes: z.number(),
  imported_at_ns: anyNanos,
  first_ns: anyNanos.nullable(),
  last_ns: anyNanos.nullable(),
  /** Added to every time of this source to come onto the case's clock. */
  clock_offset_ns: anyNanos,
  clock_uncertainty_ns: anyNanos,
  rows: z.record(z.string(), z.number()),
  rejects: z.number(),
  /** What the reader assumed or left out, for people. */
  remarks: z.array(z.string()),
  /** How many entities of each kind it was the first to name. */
  entities: z.record(z.string(), z.number()),
});
export type SourceInfo = z.infer<typeof sourceInfoSchema>;

export const caseInfoSchema = z.object({
  name: z.string(),
  schema_version: z.number().int(),
  first_ns: anyNanos.nullable(),
  last_ns: anyNanos.nullable(),
  /** As last_ns, but no later than the end of a capture for rows that it dated later than its own clock. */
  recorded_until_ns: anyNanos.nullable(),
  rows: z.record(z.string(), z.number()),
  rejects: z.number(),
  /** Layers that hold at least one event, metric or span; the others were not recorded. */
  layers_present: z.array(z.string()),
  layers_missing: z.array(z.string()),
  /** What was left out of this case on purpose before it was handed over, in words; null: nothing. */
  excerpt: z.string().nullable(),
  /** Files beside the case: its database as it was before it was upgraded from older schemas. */
  older_copies: z.array(z.string()),
  sources: z.array(sourceInfoSchema),
});
export type CaseInfo = z.infer<typeof caseInfoSchema>;

/** How far the opening of a case is, in bytes or rows; at last the case. */
const openingEventSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('progress'), stage: z.enum(openingStages), done: z.number(), total: z.number() }),
  /** Of a bundle: its manifest, before its tables are read. */
  z.object({
    kind: z.literal('preview'),
    case: z.string(),
    signed_by: z.string().nullable(),
    report: z.string(),
  }),
  z.object({ kind: z.literal('opened'), info: caseInfoSchema }),
]);
export type OpeningEvent = z.infer<typeof openingEventSchema>;

const nonNegative = z.number().nonnegative();
const missingSchema = z.enum(['zone', 'time', 'device']);
const formatSchema = z.object({
  id: z.string(),
  title: z.string(),
  /** Metadata often missing in this format: time zone, recording time, device. */
  leaves_open: z.array(missingSchema),
  /** Its files are tables whose columns can be mapped. */
  has_columns: z.boolean(),
});

/** What a dropped file, or several that belong together, turned out to be; nothing is kept yet. */
export const foundSourceSchema = z.object({
  item: z.number().int(),
  name: z.string(),
  /** null: not recognised or not readable; `problem` is the reason. */
  format: z.string().nullable(),
  files: z.number().int(),
  bytes: z.number(),
  /** The first few paths, for sources of many files. */
  paths: z.array(z.string()),
  /** When the state was recorded, for formats without it; and its origin. */
  captured_ns: anyNanos.nullable(),
  captured_from: z.string(),
  /** Of formats that can see it in a file: what it lacks. Absent: what its format often lacks. */
  left_open: z
    .object({
      missing: z.array(missingSchema),
      /** A line whose time can be read in several ways, and these, the guess first. */
      line: z.string(),
      readings: z.array(
        z.object({ date_order: z.enum(dateOrders).nullable(), year: z.number().int().nullable(), clock: z.string() }),
      ),
    })
    .optional(),
  problem: problemSchema.optional(),
});
export type FoundItem = z.infer<typeof foundSourceSchema>;

export const inspectEventSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('progress'), files: z.number(), path: z.string() }),
  z.object({ kind: z.literal('found'), inspection: z.string(), sources: z.array(foundSourceSchema) }),
]);

export const columnMappingSchema = z.object({
  table: z.enum(['span', 'log', 'metric', 'event', 'edge']),
  columns: z.record(
    z.string().max(64),
    z.object({ column: z.string().min(1).max(500), unit: z.enum(timeUnits).optional() }),
  ),
});

const yearSchema = z.number().int().min(FIRST_YEAR).max(LAST_YEAR);

/** The investigator's corrections of what was guessed; null leaves a guess as it is. */
export const importChoiceSchema = z.object({
  item: z.number().int(),
  skip: z.boolean().default(false),
  format: z.string().max(64).nullable().default(null),
  zone: z.string().max(64).nullable().default(null),
  device: z.string().max(200).nullable().default(null),
  mapping: columnMappingSchema.nullable().default(null),
  date_order: z.enum(dateOrders).nullable().default(null),
  year: yearSchema.nullable().default(null),
  captured_ns: anyNanos.nullable().default(null),
  offset_s: z.number().default(0),
  uncertainty_s: nonNegative.default(0),
});
export type ImportChoice = z.infer<typeof importChoiceSchema>;

const rejectsPromptSchema = z.object({
  kind: z.literal('question'),
  /** What `import.answer` refers to. */
  question: z.string(),
  file: z.string(),
  rows: z.number(),
  rejects: z.number(),
  /** The most frequent first; each with what the first such record looked like. */
  reasons: z.array(z.object({ reason: z.string(), count: z.number(), excerpt: z.string() })),
  /** Sources of this import that are still to come. */
  remaining: z.number(),
});
export type RejectsPrompt = z.infer<typeof rejectsPromptSchema>;

export const importEventSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('progress'),
    file: z.string(),
    /** Of all files together, compressed bytes as they lie on disk. */
    bytes_done: z.number(),
    bytes_total: z.number(),
    rows: z.number(),
    rows_per_s: z.number(),
    remaining_s: z.number().nullable(),
  }),
  z.object({ kind: z.literal('source'), source: sourceInfoSchema }),
  /** Most of this source could not be read. The import waits for `import.answer`. */
  rejectsPromptSchema,
  /** This file was not imported; the others go on. */
  z.object({ kind: z.literal('problem'), file: z.string(), problem: problemSchema }),
  /** An unknown file inside a folder or archive: reported, but no failure. */
  z.object({ kind: z.literal('skipped'), file: z.string(), problem: problemSchema }),
  z.object({ kind: z.literal('done'), imported: z.number(), failed: z.number(), skipped: z.number() }),
]);
export type ImportEvent = z.infer<typeof importEventSchema>;

export const recentCaseSchema = z.object({
  id: z.string(),
  name: z.string(),
  opened_at_ns: anyNanos,
  /** Came as a bundle. */
  bundle: z.boolean(),
  summary: caseSummarySchema.nullable(),
});

export const rejectSchema = z.object({
  source_id: z.number().int(),
  source: z.string(),
  file: z.string(),
  /** Byte offset, or record number where the format has no stable offsets. */
  at: z.number(),
  reason: z.string(),
  excerpt: z.string(),
});

const entityNameSchema = z.object({ kind: z.string().max(40), id: z.string().max(2000) });
export const pairSchema = z.object({ one: entityNameSchema, other: entityNameSchema });
export type NamePair = z.infer<typeof pairSchema>;
export const mergeSchema = pairSchema.extend({
  /** What both go by from here on. */
  as: entityNameSchema,
  reason: z.string(),
  sources: z.array(z.string()),
});
export type NameMerge = z.infer<typeof mergeSchema>;

/** What another window did: opened or closed a case, brought rows, changed what is concluded, or annotated. */
export const caseChangeSchema = z.object({
  kind: z.enum(['following', 'case', 'rows', 'conclusions', 'annotations']),
  /** Of rows that were recorded live: their tables, and `entity` for new entities; left out: any. */
  of: z.array(z.string()).optional(),
});
export type CaseChange = z.infer<typeof caseChangeSchema>;

/** Reasons that name values, such as a malformed number, may be as many as rows. */
export const MOST_REASONS = 100;

export const caseContract = {
  'app.info': call(
    z.object({}),
    z.object({
      name: z.string(),
      version: z.string(),
      host: z.enum(['electron', 'web', 'cli', 'viewer']),
      abilities: z.array(z.enum(hostAbilities)),
      formats: z.array(formatSchema),
    }),
  ),
  /** What a report about Faultline itself needs: versions, machine, counts of the case. No name, text or time of a record. */
  'app.diagnostics': call(z.object({}), z.object({ text: z.string() })),
  /** Opens the host's file dialog. */
  'files.pick': call(z.object({ purpose: z.enum(['import', 'folder', 'case']) }), z.array(fileHandleSchema)),
  /** Writes a text to the place that the user selects; `saved: null` means the window must offer the download itself. */
  'files.save': call(
    z.object({
      suggested_name: z.string().min(1).max(120),
      content: z.union([z.string().max(64_000_000), z.instanceof(Uint8Array)]),
    }),
    z.object({ saved: z.string().nullable() }),
  ),
  /** How far each source's clock is off, estimated from its events; [] where too many events, or none, forbid it. */
  'clocks.list': call(z.object({}), z.array(clockEstimateSchema)),
  'case.current': call(z.object({}), caseInfoSchema.nullable()),
  'case.recent': call(z.object({}), z.array(recentCaseSchema)),
  /** Takes a case off that list; the case stays. */
  'case.forget_recent': call(z.object({ recent: z.string().max(64) }), z.object({})),
  /** By a handle from `files.pick` or a drop (a NAME.faultline folder), or by an id from `case.recent`. */
  'case.open': call(z.object({ handle: handle.optional(), recent: z.string().max(64).optional() }), caseInfoSchema),
  /** Copies what can be read of a damaged case into a new one, which is open then. */
  'case.repair': call(
    z.object({ handle }),
    z.object({
      info: caseInfoSchema,
      /** Sources of which something could not be read: none of their rows are kept. */
      lost: z.array(z.object({ name: z.string(), digest: z.string(), bytes: z.number() })),
      /** What was written last could not be read. */
      log_lost: z.boolean(),
      /** Notes and marks of the investigator that could not be read. */
      annotations_lost: z.number(),
    }),
  ),
  /** The same, with progress: a bundle is checked and unpacked first. Abandoning the stream leaves the open case and nothing else. */
  'case.load': stream(
    z.object({ handle: handle.optional(), recent: z.string().max(64).optional() }),
    openingEventSchema,
  ),
  /** Generates the demo incident (first time) and opens it. */
  /** The scenario, or the demo incident; generated the first time. */
  'case.open_demo': call(z.object({ scenario: z.enum(demoScenarioNames).nullable().default(null) }), caseInfoSchema),
  'case.close': call(z.object({}), z.object({})),
  /** What other windows change, as it happens; begins with `following`. */
  'case.changes': stream(z.object({}), caseChangeSchema),
  /** One more window on the same case; `opened: false` means the page must open it itself. */
  'app.new_window': call(z.object({}), z.object({ opened: z.boolean() })),
  /** Inspects files, folders and archives before an import. Abandoning it cancels. */
  'import.inspect': stream(z.object({ handles: z.array(handle).min(1).max(1000) }), inspectEventSchema),
  /** The columns of a found table, and what they are taken for. */
  'import.columns': call(
    z.object({ inspection: z.string().max(64), item: z.number().int(), format: z.string().max(64) }),
    z.object({
      columns: z.array(z.object({ name: z.string(), type: z.string() })),
      mapping: columnMappingSchema.nullable(),
      targets: z.record(z.string(), z.array(z.object({ name: z.string(), required: z.boolean() }))),
    }),
  ),
  /** Forgets an inspection and removes what was unpacked for it. */
  'import.discard': call(z.object({ inspection: z.string().max(64) }), z.object({})),
  /**
   * Imports an inspection as chosen, or handles as they are, into the open case or into a new one when none is open.
   * A source of which most could not be read is a question: the stream goes on after `import.answer`. Abandoning the
   * stream cancels.
   */
  'import.run': stream(
    z.object({
      handles: z.array(handle).max(1000).default([]),
      inspection: z.string().max(64).nullable().default(null),
      choices: z.array(importChoiceSchema).max(200_000).default([]),
      new_case: z.boolean().default(false),
      /** A format id for all files; null decides each by its content. */
      format: z.string().max(64).nullable().default(null),
      /** For times without a zone: UTC, +02:00, Europe/Berlin. */
      zone: z.string().max(64).nullable().default(null),
      /** The device that files without a name in them are about. */
      device: z.string().max(200).nullable().default(null),
      /** Order of day, month and year in dates of numbers. */
      date_order: z.enum(dateOrders).nullable().default(null),
      /** Year of the first time of files whose times have none. */
      year: yearSchema.nullable().default(null),
      /** Which column is what, for tables that Faultline does not know. */
      mapping: columnMappingSchema.nullable().default(null),
      /** Clock corrections by file name, in seconds: added to every time of that file. */
      clocks: z
        .record(z.string().max(500), z.object({ offset_s: z.number(), uncertainty_s: nonNegative.default(0) }))
        .default({}),
      /** Keeps sources of which most could not be read, without asking. */
      keep: z.boolean().default(false),
      /** Imports files that are in the case already once more. */
      force: z.boolean().default(false),
    }),
    importEventSchema,
  ),
  /** The word on a source of which most could not be read; `rest`: and on all such that follow in this import. */
  'import.answer': call(
    z.object({ question: z.string().max(64), keep: z.boolean(), rest: z.boolean().default(false) }),
    z.object({}),
  ),
  /**
   * Takes data sources out of the case, with all their rows; everything is concluded anew. Waits for imports, and is refused during a
   * capture. @throws ProblemError source.unknown, capture.running
   */
  'sources.remove': call(z.object({ sources: z.array(z.number().int()).min(1).max(100_000) }), z.object({})),
  /** Merged names with reasons; each merge can be undone without loss. */
  'names.list': call(z.object({}), z.object({ merged: z.array(mergeSchema), apart: z.array(pairSchema) })),
  /** Separates two names, or undoes that. */
  'names.hold_apart': call(pairSchema, z.object({})),
  'names.rejoin': call(pairSchema, z.object({})),
  'rejects.list': call(
    z.object({
      source_id: z.number().int().nullable().default(null),
      offset: z.number().int().min(0).default(0),
      limit: z.number().int().min(1).max(1000).default(200),
    }),
    /** `reasons`: rows of each source by reason, the most frequent first, at most {@link MOST_REASONS}. */
    z.object({
      total: z.number(),
      reasons: z.array(
        z.object({ source_id: z.number().int(), source: z.string(), reason: z.string(), rows: z.number() }),
      ),
      rows: z.array(rejectSchema),
    }),
  ),
} as const;
