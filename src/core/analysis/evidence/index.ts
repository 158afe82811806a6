import type { TypedEvidence } from '../../../model/incident/incident.ts';
import { eventEvidence } from '../ranking/event-evidence/index.ts';
import * as effects from './effects.ts';
import type { EvidenceKind, TextOf, WeighedKind } from './kind.ts';
import * as numbers from './numbers.ts';
import * as oneCause from './one-cause.ts';
import * as open from './open.ts';
import * as path from './path.ts';
import * as place from './place.ts';
import * as priors from './priors.ts';
import * as silent from './silent.ts';
import * as software from './software.ts';

/** Kinds that several suspects use; those of events alone come with {@link eventEvidence}. */
const shared = [priors, path, effects, place, numbers, silent, open].flatMap((file) =>
  Object.values<unknown>(file).filter((one): one is WeighedKind => typeof one === 'object'),
);

/** Kinds whose weights are fitted. */
export const weighedKinds: readonly WeighedKind[] = [...shared, ...eventEvidence.flatMap(({ kinds = [] }) => kinds)];

/** Kinds whose weights are computed. */
const described = [software, oneCause].flatMap((file) =>
  Object.values<unknown>(file).filter((one): one is EvidenceKind => typeof one === 'object'),
);

const kinds: ReadonlyMap<string, EvidenceKind> = new Map(
  [...weighedKinds, ...described].map((kind) => [kind.id, kind]),
);

/** Evidence as a sentence. Called last, where it is shown or written. */
export const evidenceText: TextOf = ({ kind, parameters }: Pick<TypedEvidence, 'kind' | 'parameters'>): string => {
  const known = kinds.get(kind);
  return known ? known.text(parameters, evidenceText) : kind;
};
