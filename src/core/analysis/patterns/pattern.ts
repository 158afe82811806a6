import type { Severity } from '../../../model/entity.ts';
import type { FindingEvidence, FindingView, MissingLayer } from '../../../model/incident/finding.ts';
import type { CaseFacts } from './case-facts.ts';

/** What a detector says; the texts that are the same for every finding of its pattern stand in patterns.yaml. */
export interface Sign {
  readonly headline: string;
  readonly severity: Severity;
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  /** Canonical entities, the first foremost. Empty: the records name none. */
  readonly entities: readonly number[];
  readonly evidence: readonly FindingEvidence[];
  /** Empty: nothing that this pattern asks for was missing. */
  readonly missing: readonly MissingLayer[];
}

/** A named failure signature. */
export interface Pattern {
  /** As in patterns.yaml, and of its file. */
  readonly id: string;
  /** Log records that hold any of these are read for it. */
  readonly texts?: readonly string[];
  /** A pure function of the facts; says nothing where nothing was recorded. */
  readonly detect: (facts: CaseFacts) => readonly Sign[];
}

/** A finding as it is shown, and the things that it is about. */
export interface Finding extends Sign {
  readonly view: FindingView;
}

/** [] when it is there. */
export const lacks = (isThere: boolean, layer: string, text: string): MissingLayer[] =>
  isThere ? [] : [{ layer, text }];
