import { entityKey } from '../../../model/entity.ts';
import type { TypedEvidence } from '../../../model/incident/incident.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import { round } from '../statistics.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';

/** How evidence of another kind reads, for kinds that quote it. */
export type TextOf = (evidence: Pick<TypedEvidence, 'kind' | 'parameters'>) => string;

/**
 * One kind of evidence: its id and how it reads. Parameters are plain JSON, in the units that their names say; they are all
 * that anything but a reader gets.
 */
export interface EvidenceKind<P extends object = object> {
  /** Also the key of its weight in `weights.yaml`; scripts read it. */
  readonly id: string;
  text(parameters: P, textOf: TextOf): string;
}

/** A kind whose weight per unit is fitted on labelled incidents (`bench/corpus/fit.ts`). */
export interface WeighedKind<P extends object = object> extends EvidenceKind<P> {
  /** 1: only ever speaks for a hypothesis, -1: only ever against, whatever a small corpus says by chance. */
  readonly sign: 1 | -1 | 0;
  /** Log-odds per unit that an investigator would give without a corpus: the fit is pulled to it. */
  readonly judgement: number;
  /** At least, and at most, so much (without sign), whatever the corpus says. */
  readonly least?: number;
  readonly most?: number;
  /** Not fitted: the corpus has no such recordings, or too few. */
  readonly isJudged?: true;
}

/** One piece of evidence before it is weighed. */
export interface Line {
  readonly kind: WeighedKind;
  readonly value: number;
  readonly parameters: object;
  /** Evidence ids. */
  readonly refs: readonly string[];
}

export const line = <P extends object>(
  kind: WeighedKind<P>,
  value: number,
  parameters: NoInfer<P>,
  refs: readonly string[] = [],
): Line => ({ kind, value, parameters, refs });

/** Evidence whose weight, in log-odds, is known already; the sign follows from the weight. */
export const weighedLine = <P extends object>(
  kind: EvidenceKind<P>,
  weight: number,
  parameters: NoInfer<P>,
  refs: readonly string[] = [],
): TypedEvidence => reweighed({ kind: kind.id, parameters: plain(parameters), refs: [...refs] }, weight);

/** As the wire has it. */
export const plain = (parameters: object): Record<string, unknown> => ({ ...parameters });

/** The same evidence with another weight. */
export function reweighed(evidence: Pick<TypedEvidence, 'kind' | 'parameters' | 'refs'>, to: number): TypedEvidence {
  const weight = round(to, 3);
  const { kind, parameters, refs } = evidence;
  return { kind, parameters, sign: weight > 0 ? 'for' : weight < 0 ? 'against' : 'neutral', weight, refs };
}

export const eventRef = ({ event_id }: EventFact): string => `event:${event_id}`;

export function entityRef(graph: EntityGraph, key: number): string[] {
  const node = graph.node(key);
  return node ? [`entity:${entityKey(node.kind, node.id)}`] : [];
}

/** What was recorded at all, as evidence: the record names the layers and their sources. */
export const RECORDED = ['case:layers'] as const;

/** Lets the compiler infer the parameters of a kind. */
export const defineKind = <P extends object>(kind: WeighedKind<P>): WeighedKind<P> => kind;

export type ParametersOf<K> = K extends EvidenceKind<infer P> ? P : never;
