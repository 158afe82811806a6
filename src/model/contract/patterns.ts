import { z } from 'zod';
import { findingSchema } from '../incident/finding.ts';
import { problemSchema } from './case.ts';
import { call } from './procedure.ts';

/** A threshold of patterns that is not the default. */
const changedThreshold = z.object({
  /** `facility.redundancySeconds`. */
  name: z.string(),
  value: z.number(),
  default_value: z.number(),
  /** `s`, `%`; '' for shares, counts and ratios. */
  unit: z.string(),
  /** All of it in words. */
  text: z.string(),
});

export const patternsContract = {
  /** Ids of all patterns, as in `docs/patterns.md`; needs no case. */
  'patterns.known': call(z.object({}), z.object({ patterns: z.array(z.string()) })),
  /** What the patterns found in the open case, worst first and then in order of time. */
  'patterns.list': call(
    z.object({
      /** Of one pattern only, by its name. */
      pattern: z.string().max(100).nullable().default(null),
    }),
    z.object({
      findings: z.array(findingSchema),
      /** Names of all patterns that were looked for. */
      looked_for: z.array(z.string()),
      /** Thresholds that were not the defaults. */
      thresholds_changed: z.array(changedThreshold),
      /** Why the user's file of thresholds, as it is now, is not in use. */
      thresholds_problem: problemSchema.nullable(),
    }),
  ),
  /** Which thresholds the patterns have: those of the user's own file, or those that come with Faultline. */
  'thresholds.status': call(
    z.object({}),
    z.object({
      in_use: z.enum(['own', 'bundled']),
      has_file: z.boolean(),
      /** Where that file lies, or would be looked for, as a person finds it. */
      place: z.string(),
      problem: problemSchema.nullable(),
      changed: z.array(changedThreshold),
      /** All thresholds in use, as such a file. */
      text: z.string(),
    }),
  ),
} as const;
