import { z } from 'zod';

/** Nanoseconds as text where it is kept (JSON has no bigints), as bigint everywhere else. */
const time = z.coerce.bigint().nullable();

/** Summary of a closed case, from when it was last open. */
export const caseSummarySchema = z.object({
  first_ns: time,
  last_ns: time,
  layers_present: z.array(z.string()),
  layers_missing: z.array(z.string()),
  rejects: z.number(),
  source_count: z.number(),
  /** The first of them; rows by table. */
  sources: z.array(
    z.object({ name: z.string(), format: z.string(), rows: z.record(z.string(), z.number()), rejects: z.number() }),
  ),
  incident_count: z.number(),
  /** The strongest incidents, and the first hypothesis of each; `subject` is null where nothing is blamed. */
  verdicts: z.array(
    z.object({
      service: z.string(),
      type: z.string(),
      subject: z.string().nullable(),
      probability: z.number(),
      /** How many others cannot be distinguished from it: none of them is the cause then. */
      tied: z.number().int().default(0),
    }),
  ),
});
export type CaseSummary = z.infer<typeof caseSummarySchema>;
