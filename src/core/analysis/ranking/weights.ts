import { load } from 'js-yaml';
import { z } from 'zod';
import { lazy } from '../../../base/lazy.ts';
import { fail } from '../../../model/problem.ts';
import { weighedKinds } from '../evidence/index.ts';
import type { WeighedKind } from '../evidence/kind.ts';
import bundled from './weights.yaml?raw';

/** Natural log-odds per unit of each kind of evidence, by its id. */
export type Weights = ReadonlyMap<string, number>;

const ids = new Set(weighedKinds.map(({ id }) => id));
const fileSchema = z.object({
  version: z.literal(1),
  weights: z.record(
    z.string().refine((id) => ids.has(id), 'no such kind of evidence'),
    z.number(),
  ),
});

/** @throws ProblemError weights.invalid */
export function parseWeights(yaml: string): Weights {
  const parsed = fileSchema.safeParse(load(yaml));
  if (parsed.success) return new Map(Object.entries(parsed.data.weights));
  const [issue] = parsed.error.issues;
  return fail('weights.invalid', `weights.yaml is not valid: ${issue?.path.join('.')}: ${issue?.message}`);
}

/** A kind without a fitted weight has its judgement as weight. */
export const weightOf = (weights: Weights, { id, judgement }: WeighedKind): number => weights.get(id) ?? judgement;

export const fittedWeights = lazy((): Weights => parseWeights(bundled));
