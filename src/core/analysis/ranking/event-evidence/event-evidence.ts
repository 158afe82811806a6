import type { Line, WeighedKind } from '../../evidence/kind.ts';
import type { Candidate } from '../candidates.ts';
import type { IncidentContext } from '../incident-context.ts';

/** Evidence on an event as the root cause, in one file: its kinds, and how it is found. */
export interface EventEvidence {
  /** Those of no other suspect; kinds that several suspects use are in `evidence/`. */
  readonly kinds?: readonly WeighedKind[];
  find(candidate: Candidate, context: IncidentContext): readonly Line[];
}
