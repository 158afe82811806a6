import { z } from 'zod';
import { anyNanos } from '../rows/any-nanos.ts';
import { bundleStages } from '../storage/bundle-files.ts';
import { call, stream } from './procedure.ts';

/** What of the case goes along; null: all of it. */
export const bundleCutSchema = z.object({
  /** On the case's clock; null: open. */
  from_ns: anyNanos.nullable(),
  to_ns: anyNanos.nullable(),
  /** Entities as `kind:id`, or as a unique id; null: all. */
  entities: z.array(z.string().min(1).max(2000)).min(1).max(10_000).nullable(),
});
export type BundleCut = z.infer<typeof bundleCutSchema>;

const orderSchema = z.object({
  cut: bundleCutSchema.nullable().default(null),
  /** Rules (YAML) by which names are replaced and texts taken out; null: as recorded. */
  redact: z.string().max(1_000_000).nullable().default(null),
});
export type BundleOrder = z.infer<typeof orderSchema>;

export const bundleEventSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('progress'), stage: z.enum(bundleStages), done: z.number(), total: z.number() }),
  z.object({
    kind: z.literal('done'),
    /** The file's name as the user chose it. */
    name: z.string(),
    bytes: z.number(),
    root: z.string(),
    signed_by: z.string().nullable(),
    rows: z.number(),
    /** How incidents are judged otherwise than in the case, because of what was left out; [] where they are not. */
    changed: z.array(z.string()),
    /** For the page to fetch, if the host has no dialog; null: at the place that the user selected. */
    download: z.string().nullable(),
  }),
]);
export type BundleEvent = z.infer<typeof bundleEventSchema>;

export const bundleContract = {
  /** How many rows of which table would go along. */
  'bundle.preview': call(
    orderSchema,
    z.object({
      rows: z.record(z.string(), z.number()),
      rows_of_case: z.record(z.string(), z.number()),
      /** What of names and texts would remain, and what would stand in their place; null: nothing is redacted. */
      redaction: z
        .object({
          names: z.array(z.object({ before: z.string(), after: z.string() })),
          names_total: z.number(),
          samples: z.array(z.object({ place: z.string(), before: z.string(), after: z.string() })),
        })
        .nullable(),
    }),
  ),
  /** Writes the open case as a bundle to the place from the host's dialog or the command line. Abandoning the stream cancels. */
  'bundle.write': stream(
    orderSchema.extend({
      /** A key of the keychain (`keychain:NAME`); null: not signed. A window names no file. */
      sign: z
        .string()
        .regex(/^keychain:\S{1,200}$/)
        .nullable()
        .default(null),
    }),
    bundleEventSchema,
  ),
} as const;
