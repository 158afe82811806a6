import { z } from 'zod';
import { issueText, readYaml } from '../../../base/yaml-issues.ts';
import { fail } from '../../../model/problem.ts';
import { parseTime } from '../../../model/time.ts';

/** A time as text; YAML readers make dates of unquoted ones. */
const time = z.preprocess(
  (value) => (value instanceof Date ? value.toISOString() : value),
  z.string().transform((text, context): bigint => {
    try {
      return parseTime(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'not a time such as 2026-01-01T00:00:00Z' });
      return z.NEVER;
    }
  }),
);

/** A finding that a recording has to give. Only what is stated is compared. */
const expectationSchema = z.strictObject({
  /** Id of a pattern. */
  pattern: z.string(),
  verdict: z.enum(['complete', 'partial']).optional(),
  /** Words of the headline. */
  headline: z.string().optional(),
  /** Layers that the finding names as missing: exactly these. */
  missing: z.array(z.string()).optional(),
  /** Entity keys (`gpu:G0`) that the finding has to be about, beside any others. */
  entities: z.array(z.string()).optional(),
  /** The finding overlaps the time from here ... */
  from: time.optional(),
  /** ... to here. */
  to: time.optional(),
});
export type Expectation = z.infer<typeof expectationSchema>;

const origin = { source: z.string().optional(), licence: z.string().optional() };
const labelSchema = z.strictObject({
  /** Of all recordings of the folder that state none of their own. */
  ...origin,
  recordings: z
    .record(
      z.string(),
      z.strictObject({
        ...origin,
        /** Why this is, or is not, the pattern. */
        why: z.string().optional(),
        expect: z.array(expectationSchema).optional(),
      }),
    )
    .optional(),
});
export type Label = z.infer<typeof labelSchema>;

/** @param file name for messages @throws ProblemError replay.label_invalid */
export function parseLabel(text: string, file: string): Label {
  // Nothing but comments is a label that states nothing.
  const read = readYaml(/^\s*[^#\s]/m.test(text) ? text : '{}', labelSchema);
  if ('data' in read) return read.data;
  return fail('replay.label_invalid', `${file}: ${read.issues.map(issueText).join('; ')}`);
}
