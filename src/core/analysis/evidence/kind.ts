import { entityKey } from '../../../model/entity.ts';
import type { TypedEvidence } from '../../../model/incident/incident.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import { round } from '../statistics.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';

/** Text of evidence of another kind, for kinds that quote it. */
export type TextOf = (evidence: Pick<TypedEvidence, 'kind' | 'parameters'>) => string;

/**
 * One kind of evidence: its id and its text. Parameters are plain JSON, in the units that their names state; the text is
 * rendered from them and never parsed.
 */
export interface EvidenceKind<P extends object = object> {
  /** Also the key of its weight in `weights.yaml`; scripts read it. */
  readonly id: string;
  text(parameters: P, textOf: TextOf): string;
}

/** A kind whose weight per unit is fitted on labelled incidents (`bench/corpus/fit.ts`). */
export interface WeighedKind<P extends object = object> extends EvidenceKind<P> {
  /** 1: always for a hypothesis, -1: always against. Bounds the fit, because a small corpus is noisy. */
  readonly sign: 1 | -1 | 0;
  /** Prior of the fit: log-odds per unit by judgement. */
  readonly judgement: number;
  /** Bounds of the fitted weight, without sign. */
  readonly least?: number;
  readonly most?: number;
  /** Not fitted: the corpus has too few such recordings. */
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

/**
 * As {@link line}, if parameters and refs are long: they are found when they are read, and of thousands of suspects only a few
 * are listed.
 */
export const lineOnDemand = <P extends object>(
  kind: WeighedKind<P>,
  value: number,
  find: () => { readonly parameters: NoInfer<P>; readonly refs: readonly string[] },
): Line => ({
  kind,
  value,
  get parameters() {
    return find().parameters;
  },
  get refs() {
    return find().refs;
  },
});

/** Evidence whose weight, in log-odds, is known already; the sign follows from the weight. */
export const weighedLine = <P extends object>(
  kind: EvidenceKind<P>,
  weight: number,
  parameters: NoInfer<P>,
  refs: readonly string[] = [],
): TypedEvidence => reweighed({ kind: kind.id, parameters: plain(parameters), refs: [...refs] }, weight);

/** As sent to windows and scripts. */
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

/** Evidence id of the overview of the case: its layers and data sources. */
export const RECORDED = ['case:layers'] as const;

/** Lets the compiler infer the parameters of a kind. */
export const defineKind = <P extends object>(kind: WeighedKind<P>): WeighedKind<P> => kind;

export type ParametersOf<K> = K extends EvidenceKind<infer P> ? P : never;
