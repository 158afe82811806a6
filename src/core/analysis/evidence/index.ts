import type { TypedEvidence } from '../../../model/incident/incident.ts';
import * as effects from './effects.ts';
import * as habit from './habit.ts';
import type { EvidenceKind, TextOf, WeighedKind } from './kind.ts';
import * as numbers from './numbers.ts';
import * as open from './open.ts';
import * as path from './path.ts';
import * as place from './place.ts';
import * as priors from './priors.ts';
import * as silent from './silent.ts';
import * as software from './software.ts';
import * as time from './time.ts';
import * as type from './type.ts';

/** Kinds whose weights are fitted, in the order of `weights.yaml`. A file of kinds is added here, and nowhere else. */
export const weighedKinds: readonly WeighedKind[] = [
  priors,
  type,
  path,
  effects,
  place,
  time,
  numbers,
  habit,
  silent,
  open,
].flatMap((file) => Object.values<WeighedKind>(file as Readonly<Record<string, WeighedKind>>));

const kinds: ReadonlyMap<string, EvidenceKind> = new Map(
  [...weighedKinds, ...software.kinds].map((kind) => [kind.id, kind]),
);

/** Evidence as a sentence. Called last, where it is shown or written. */
export const evidenceText: TextOf = ({ kind, parameters }: Pick<TypedEvidence, 'kind' | 'parameters'>): string => {
  const known = kinds.get(kind);
  return known ? known.text(parameters, evidenceText) : kind;
};
