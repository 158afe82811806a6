import { z } from 'zod';
import { layers } from '../entity.ts';
import { MOST_SHIFT_S } from './clock-shift.ts';

const name = z.string().min(1).max(2000);
/**
 * A what-if on a recording, to test the verdict. Entities are named by `kind:id`, or by their id
 * alone if it is unique. Measurements of services never change: they are to be explained.
 */
export const whatIfSchema = z.object({
  /** As if nothing had been recorded of these layers; what is known of the topology stays. */
  without_layers: z.array(z.enum(layers)).max(layers.length).default([]),
  /** Original ids, or evidence ids (`event:12`); an id that several events have means all of them. */
  without_events: z.array(name).max(1000).default([]),
  /**
   * Added to the times of a source's events (name or number), beyond the correction that is in use already; a zone that
   * was only supposed is in use no more.
   */
  clock_shifts: z
    .array(z.object({ source: name, seconds: z.number().min(-MOST_SHIFT_S).max(MOST_SHIFT_S) }))
    .max(1000)
    .default([]),
  /**
   * `to` is fed by `from` (null: by nothing) instead of by `instead_of`, or by whatever feeds it. Feeds of a machine's
   * power supplies are the machine's.
   */
  moved_feeds: z
    .array(z.object({ to: name, from: name.nullable(), instead_of: name.nullable().default(null) }))
    .max(1000)
    .default([]),
});
export type WhatIf = z.infer<typeof whatIfSchema>;

const verdictSchema = z.object({
  subject: z.object({ kind: z.string(), id: z.string() }).nullable(),
  type: z.string(),
  probability: z.number(),
});
export type Verdict = z.infer<typeof verdictSchema>;

const lineChangeSchema = z.object({
  change: z.enum(['appeared', 'vanished', 'changed']),
  /** As it reads afterwards, or as it read when it vanished. */
  text: z.string(),
  /** Log-odds; null where the line is not there. */
  weight_before: z.number().nullable(),
  weight_after: z.number().nullable(),
  refs: z.array(z.string()),
});
export type LineChange = z.infer<typeof lineChangeSchema>;

/** One hypothesis before and after; null where it is not among those listed. */
const moveSchema = z.object({
  subject: verdictSchema.shape.subject,
  type: z.string(),
  rank_before: z.number().int().nullable(),
  rank_after: z.number().int().nullable(),
  probability_before: z.number().nullable(),
  probability_after: z.number().nullable(),
  evidence: z.array(lineChangeSchema),
});
export type Move = z.infer<typeof moveSchema>;

/** What a supposition changes about one incident. */
export const rankingChangeSchema = z.object({
  incident: z.string(),
  /** For people. */
  sentence: z.string(),
  is_changed: z.boolean(),
  /** Another hypothesis comes first. */
  is_verdict_changed: z.boolean(),
  verdict_before: verdictSchema.nullable(),
  verdict_after: verdictSchema.nullable(),
  /** The hypotheses that moved or rest on other evidence; the most probable, before or afterwards, first. */
  moves: z.array(moveSchema),
});
export type RankingChange = z.infer<typeof rankingChangeSchema>;
