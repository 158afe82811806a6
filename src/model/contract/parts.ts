import { z } from 'zod';
import { anyNanos } from '../rows/any-nanos.ts';
import { call } from './procedure.ts';

const momentSchema = z.object({
  time_ns: anyNanos,
  /** Type of the event; `replaced`: another part has its place from then on. */
  type: z.string(),
  text: z.string(),
  ref: z.string(),
});

/** A failure of a part, a sign of one, or what was done to it. */
export const partMomentSchema = momentSchema.extend({ role: z.enum(['fault', 'sign', 'work']) });
export type PartMoment = z.infer<typeof partMomentSchema>;

const counterSchema = z.object({
  metric: z.string(),
  /** Its last value, and by how much it grew within the recording. */
  value: z.number(),
  grown: z.number(),
  /** Growth in equal parts of the recording. */
  course: z.array(z.number()),
  ref: z.string(),
});

/** A piece of hardware with its history, as far as it was recorded. */
export const partSchema = z.object({
  /** `kind:id`. */
  entity: z.string(),
  /** Machine or rack that holds it; null: unknown. */
  place: z.string().nullable(),
  /** What sources state of it, as they name it: serial, model, driver_version, vbios_version ...; '' where nothing is stated. */
  serial: z.string(),
  model: z.string(),
  firmware: z.string(),
  names: z.array(z.object({ kind: z.string(), name: z.string() })),
  /** Times of its first and last sample; null: none was recorded. */
  first_ns: anyNanos.nullable(),
  last_ns: anyNanos.nullable(),
  /** Hours of the clock with at least one sample, and no more than from the first to the last. */
  hours: z.number(),
  /** Failures; those within ten minutes of each other are one. */
  faults: z.number().int(),
  /** In order; the first hundred. */
  moments: z.array(partMomentSchema),
  counters: z.array(counterSchema),
  /** The part that has its place now; null: none. */
  replaced_by: z.string().nullable(),
});
export type PartView = z.infer<typeof partSchema>;

/** Parts of one kind and model together. */
const partGroupSchema = z.object({
  kind: z.string(),
  model: z.string(),
  parts: z.number().int(),
  hours: z.number(),
  faults: z.number().int(),
  /** Recorded hours for each failure; null without failures or hours. */
  mean_hours: z.number().nullable(),
  /** Between these it lies with 95 % probability, if failures come at a constant rate; the upper one is null without failures. */
  low_hours: z.number().nullable(),
  high_hours: z.number().nullable(),
});
export type PartGroup = z.infer<typeof partGroupSchema>;

export const partsContract = {
  /** Hardware of the case: those with a history first, then by name. */
  'parts.list': call(
    z.object({}),
    z.object({
      parts: z.array(partSchema),
      groups: z.array(partGroupSchema),
      /** How many parts there are; more than are listed. */
      total: z.number().int(),
      start_ns: anyNanos,
      end_ns: anyNanos,
    }),
  ),
} as const;
