import { type Annotation, annotationRef } from '../../../model/incident/annotation.ts';
import { foldChain } from '../../../model/incident/chain-folds.ts';
import type { ReportBlock } from '../../../model/incident/report-document.ts';
import { table } from '../facts.ts';
import type { IncidentFacts, KnownTime } from '../report-input.ts';
import { clockText, typeText } from '../report-text.ts';

interface Moment {
  readonly time_ns: bigint;
  readonly text: string;
  readonly refs: readonly string[];
}

/** More citations than a reader opens. */
const MOST_REFS = 5;

/** What happened and what people noted, in the order of time: steps of the chain, notes, detection to recovery. */
export function momentsTable(facts: IncidentFacts, annotations: readonly Annotation[]): ReportBlock {
  const moments = [...chainMoments(facts), ...knownMoments(facts), ...noted(facts, annotations)];
  const rows = moments
    .toSorted((a, b) => (a.time_ns === b.time_ns ? 0 : a.time_ns < b.time_ns ? -1 : 1))
    .map(({ time_ns, text, refs }) => ({ cells: [clockText(time_ns), text], refs }));
  return table(['Time (UTC)', 'What happened'], rows);
}

const chainMoments = ({ view: { steps } }: IncidentFacts): Moment[] =>
  foldChain(steps).map(({ first, others }) => {
    const step = steps[first]!;
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    return {
      time_ns: step.time_ns,
      text: `${step.device}${more}: ${typeText(step.type)}. ${step.summary}`,
      refs: [first, ...others].slice(0, MOST_REFS).map((at) => steps[at]!.ref),
    };
  });

function knownMoments({ detected, diagnosed, repaired, recovered }: IncidentFacts): Moment[] {
  const one = (name: string, known: KnownTime | null): Moment[] =>
    known ? [{ time_ns: known.time_ns, text: `${name}: ${known.how}`, refs: [known.ref] }] : [];
  return [
    ...one('Detected', detected),
    ...one('Diagnosed', diagnosed),
    ...one('Repaired', repaired),
    ...one('Recovered', recovered),
  ];
}

/** Notes at a time within the incident; those that state one of its times are there as such. */
function noted({ view, detected, diagnosed, repaired }: IncidentFacts, annotations: readonly Annotation[]): Moment[] {
  const stated = new Set([detected, diagnosed, repaired].map((known) => known?.ref));
  return annotations.flatMap((one): Moment[] => {
    if (one.kind !== 'note' || one.at_ns === null || one.at_ns < view.start_ns || one.at_ns > view.end_ns + AFTER_NS)
      return [];
    const ref = annotationRef(one.id);
    return stated.has(ref) ? [] : [{ time_ns: one.at_ns, text: `Note: ${one.text}`, refs: [ref] }];
  });
}

/** Notes of an hour behind the impact are about it: repairs go on. */
const AFTER_NS = 3_600_000_000_000n;
