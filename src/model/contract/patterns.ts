import { z } from 'zod';
import { findingSchema } from '../incident/finding.ts';
import { call } from './procedure.ts';

export const patternsContract = {
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
    }),
  ),
} as const;
