import type { Severity } from '../../../model/entity.ts';
import type { Estimate, FindingEvidence, FindingView, MissingLayer } from '../../../model/incident/finding.ts';
import type { CaseFacts } from './case-facts.ts';

/** Result of a detector. Texts that are the same for every finding of a pattern are in patterns.yaml. */
export interface Sign {
  readonly headline: string;
  readonly severity: Severity;
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  /** Canonical entities, the main one first. Empty: the records name none. */
  readonly entities: readonly number[];
  readonly evidence: readonly FindingEvidence[];
  /** Empty: all layers of this pattern were recorded. */
  readonly missing: readonly MissingLayer[];
  /** Undefined: its numbers imply nothing. */
  readonly estimates?: readonly Estimate[];
}

/** A named failure signature. */
export interface Pattern {
  /** Key in patterns.yaml, and name of its file. */
  readonly id: string;
  /** A pure function of the facts; no findings without recordings. */
  readonly detect: (facts: CaseFacts) => readonly Sign[];
}

/** A finding as it is shown, with its entities. */
export interface Finding extends Sign {
  readonly view: FindingView;
}

/** [] if it is present. */
export const lacks = (isThere: boolean, layer: string, text: string): MissingLayer[] =>
  isThere ? [] : [{ layer, text }];
