import { entityKey } from '../../model/entity.ts';
import type { Evidence, Hypothesis } from '../../model/incident.ts';
import type { EventFact } from '../store/reader.ts';
import type { EntityGraph } from './entity-graph.ts';
import { round } from './statistics.ts';
import type { Feature, Weights } from './weights.ts';

/** One piece of evidence before it is weighed. */
export interface Line {
  readonly feature: Feature;
  readonly value: number;
  /** A sentence for people. */
  readonly text: string;
  readonly refs: readonly string[];
}

/** A possible cause with all that speaks for and against it. */
export interface Suspect {
  /** The event in which it shows; null when it said nothing, or is none. */
  readonly event: EventFact | null;
  readonly subject: Hypothesis['subject'];
  readonly type: string;
  readonly lines: readonly Line[];
}

export const line = (feature: Feature, value: number, text: string, refs: readonly string[] = []): Line => ({
  feature,
  value,
  text,
  refs,
});

export const logOdds = ({ lines }: Suspect, weights: Weights): number =>
  lines.reduce((sum, { feature, value }) => sum + value * weights[feature], 0);

/** Evidence too small to show changes nothing that people decide; how far the effects reach is told in any case. */
const LEAST_SHOWN = 0.02;

export function weigh({ lines }: Suspect, weights: Weights): Evidence[] {
  return lines
    .map(({ feature, value, text, refs }): Evidence => {
      const weight = round(value * weights[feature], 3);
      const sign = feature.startsWith('prior_') || weight === 0 ? 'neutral' : weight > 0 ? 'for' : 'against';
      return { sign, weight, text, refs: [...refs] };
    })
    .filter(({ weight }, i) => i === 0 || Math.abs(weight) >= LEAST_SHOWN || lines[i]?.feature === 'predicted');
}

export const eventRef = ({ event_id }: EventFact): string => `event:${event_id}`;

export function entityRef(graph: EntityGraph, key: number): string[] {
  const node = graph.node(key);
  return node ? [`entity:${entityKey(node.kind, node.id)}`] : [];
}

/** What was recorded at all, as evidence: the record names the layers and their sources. */
export const RECORDED = ['case:layers'] as const;

export const seconds = (value: number): string => `${round(Math.abs(value), 1)} s`;

export function listed(names: readonly string[]): string {
  if (names.length <= 3) return names.join(', ');
  return `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`;
}
