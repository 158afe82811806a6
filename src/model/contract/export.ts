import { z } from 'zod';
import { bundleCutSchema } from './bundle.ts';
import { stream } from './procedure.ts';

export const exportEventSchema = z.discriminatedUnion('kind', [
  /** In tables or rows; a total of 0 is not known. */
  z.object({ kind: z.literal('progress'), done: z.number(), total: z.number() }),
  z.object({
    kind: z.literal('done'),
    /** What it is called where the user wanted it. */
    name: z.string(),
    bytes: z.number(),
    /** Rows by table, or by what they became. */
    rows: z.record(z.string(), z.number()),
    /** What the form cannot hold, in words; [] where it holds everything. */
    left_out: z.array(z.string()),
    /** For the page to fetch, if the host has no dialog; null: at the place that the user selected. */
    download: z.string().nullable(),
  }),
]);
export type ExportEvent = z.infer<typeof exportEventSchema>;

/**
 * The open case for other tools (docs/export.md), to the place from the host's dialog or the command line. Abandoning the stream
 * cancels.
 */
export const exportContract = {
  /** Each table as one Parquet file in a folder. */
  'export.tables': stream(z.object({}), exportEventSchema),
  /** A window as a trace that Perfetto opens (Chrome's Trace Event Format): of entities and linked ones. */
  'export.trace': stream(z.object({ cut: bundleCutSchema.nullable().default(null) }), exportEventSchema),
  /** One table or view of SQL as CSV. */
  'export.csv': stream(z.object({ table: z.string().min(1).max(200) }), exportEventSchema),
} as const;
