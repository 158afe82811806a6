import { z } from 'zod';
import { severities } from '../entity.ts';
import { anyNanos } from '../rows/any-nanos.ts';

/** A line that a finding rests on, with the records behind it. */
export const findingEvidenceSchema = z.object({
  text: z.string(),
  /** Evidence ids that `evidence.get` resolves; the first of them where there are many. */
  refs: z.array(z.string()),
});
export type FindingEvidence = z.infer<typeof findingEvidenceSchema>;

/** Data that would have confirmed or bounded the finding, and that the recording does not hold. */
export const missingLayerSchema = z.object({
  /** Where it belongs: a physical layer, or `logs`, `traces`, `metrics`, `collectives`, `topology`. */
  layer: z.string(),
  /** What was not recorded, and what is unknown for want of it. */
  text: z.string(),
});
export type MissingLayer = z.infer<typeof missingLayerSchema>;

/** Advice that is not ours, with where it is written. */
export const remediationSchema = z.object({ text: z.string(), source: z.string() });

export const estimateKinds = [
  'fuller_batches',
  'busier_gpus',
  'more_prefill',
  'fewer_sequences',
  'drained_replica',
  'late_replicas',
  'long_prefill',
  'tool_time',
  'lost_answers',
  'warm_replicas',
  'token_capacity',
  'retried_load',
  'part_time',
] as const;

/** What the numbers of a finding imply, by arithmetic. It was not measured, and holds as far as its assumptions. */
export const estimateSchema = z.object({
  kind: z.enum(estimateKinds),
  /** Of the arithmetic; names end in their unit where they have one. */
  figures: z.record(z.string(), z.number()),
  text: z.string(),
  assumes: z.array(z.string()),
  /** The observation that would refute it. */
  disproved_by: z.string(),
});
export type Estimate = z.infer<typeof estimateSchema>;

/** What a pattern's detector concluded from a recording. Times are nanoseconds on the case's clock. */
export const findingSchema = z.object({
  /** The same for the same rows, however they came. */
  id: z.string(),
  /** Name of the pattern, as in `docs/patterns.md`. */
  pattern: z.string(),
  title: z.string(),
  /** One sentence with the numbers that matter. */
  headline: z.string(),
  severity: z.enum(severities),
  start_ns: anyNanos,
  end_ns: anyNanos,
  /** Affected entities, the main one first; `name`: what people call a GPU whose id is the UUID or bus address of its card. */
  entities: z.array(z.object({ kind: z.string(), id: z.string(), name: z.string().optional() })),
  evidence: z.array(findingEvidenceSchema),
  /** What samples show that contradicts an event of the evidence. */
  contradictions: z.array(findingEvidenceSchema).default([]),
  /** `partial`: what `missing` names was not recorded. */
  verdict: z.enum(['complete', 'partial']),
  missing: z.array(missingLayerSchema),
  remediation: z.array(remediationSchema),
  estimates: z.array(estimateSchema),
});
export type FindingView = z.infer<typeof findingSchema>;
