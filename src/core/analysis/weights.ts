import { load } from 'js-yaml';
import { z } from 'zod';
import { lazy } from '../../base/lazy.ts';
import { fail } from '../../model/problem.ts';
import bundled from './weights.yaml?raw';

/** What speaks for or against a hypothesis; the values are told where each is measured. */
export const features = [
  'prior_event',
  'prior_silent',
  'prior_moved',
  'prior_software',
  'prior_insufficient',
  'root_type',
  'severity',
  'path',
  'explains',
  'bare',
  'explained',
  'explained_root',
  'leaves',
  'together',
  'predicted',
  'absent',
  'sparse',
  'callee_covered',
  'callee_missed',
  'callee_fine',
  'scope',
  'scope_none',
  'timing',
  'far',
  'late',
  'late_unsure',
  'zone_supposed',
  'moved',
  'elsewhere_moved',
  'unmoved',
  'held',
  'not_held',
  'unmapped',
  'sibling',
  'caller',
  'services_broke',
  'services_healthy',
  'routine',
  'elsewhere',
  'silent_devices',
  'silent_together',
  'silent_share',
  'silent_explained',
  'silent_rival',
  'silent_watched',
  'quiet',
  'low_only',
  'lead',
  'brief',
  'machines_moved',
  'machines_busier',
  'machines_still',
  'moved_unexplained',
  'moved_company',
  'surge',
  'rollout',
  'layers_missing',
  'orphans',
  'unplaced',
  'no_events',
] as const;
export type Feature = (typeof features)[number];

/** Natural log-odds per unit of each feature. */
export type Weights = Readonly<Record<Feature, number>>;

const fileSchema = z.object({ version: z.literal(1), weights: z.record(z.enum(features), z.number()) });

/** @throws ProblemError weights.invalid */
export function parseWeights(yaml: string): Weights {
  const parsed = fileSchema.safeParse(load(yaml));
  if (parsed.success) return parsed.data.weights;
  const [issue] = parsed.error.issues;
  return fail('weights.invalid', `weights.yaml is not valid: ${issue?.path.join('.')}: ${issue?.message}`);
}

export const fittedWeights = lazy((): Weights => parseWeights(bundled));
