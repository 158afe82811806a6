import { z } from 'zod';
import { problemSchema } from './case.ts';
import { stream } from './procedure.ts';

/** What happens while a capture runs. */
export const captureEventSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('begun'), case: z.string(), feeds: z.array(z.string()) }),
  /** A feed that is down is a gap from `at_ns` on, until it is up again; `about`: where it listens or what it asks. */
  z.object({
    kind: z.literal('feed'),
    feed: z.string(),
    state: z.enum(['up', 'down']),
    reason: z.string(),
    about: z.string(),
    at_ns: z.bigint(),
  }),
  /** After rows were written: all so far, and those known to be gone. */
  z.object({ kind: z.literal('written'), rows: z.number(), lost: z.number() }),
  z.object({
    kind: z.literal('ended'),
    feeds: z.array(
      z.object({ name: z.string(), rows: z.number(), lost: z.number(), problem: problemSchema.nullable() }),
    ),
  }),
]);
export type CaptureEvent = z.infer<typeof captureEventSchema>;

export const captureContract = {
  /** Runs the feeds of a plan (YAML) into the open case, or a new one; abandoning it ends it in order. */
  'capture.run': stream(z.object({ plan: z.string().min(1).max(1_000_000) }), captureEventSchema),
} as const;
