import type { TypedEvidence, TypedHypothesis } from '../../../model/incident/incident.ts';
import type { Reader } from '../../store/facts/reader.ts';
import { reweighed, weighedLine } from '../evidence/kind.ts';
import { softwareShare } from '../evidence/software.ts';
import type { ImpactWindow } from '../impact/impact.ts';
import { round } from '../statistics.ts';
import { type SoftwareQuery, type SoftwareSuspect, softwareSuspects } from './software-suspects.ts';

const MOST_NAMED = 5;
const MOST_LINES = 4;
/** From here on it is worth asking which software it was: comparing every series costs a fifth of a second an incident. */
const MIN_SOFTWARE_SHARE = 0.1;
/**
 * A judgement: how much of a suspect's log-odds is believed. Its layers look at the same requests, so that their sum says
 * more than they know; no labelled corpus of software incidents is large enough to fit this.
 */
const TEMPER = 0.5;

const isOpen = ({ type }: TypedHypothesis): boolean => type === 'no_physical_cause';

/** Where nothing was told of any device, software is all that can be asked about. */
export const mayBeSoftware = (hypotheses: readonly TypedHypothesis[], eventsInCase: number): boolean =>
  hypotheses.some((one) => isOpen(one) && (eventsInCase === 0 || one.probability >= MIN_SOFTWARE_SHARE));

/**
 * Shares out what "no physical cause" is given among the software that stands out: services explained away along their
 * calls, spans, log templates, metrics; what no suspect takes stays with nobody. A suspect's log-odds are those of "no
 * physical cause" and the logarithm of its share, so that it ranks among the hardware by the same measure.
 */
export async function nameSoftware(
  reader: Reader,
  hypotheses: readonly TypedHypothesis[],
  about: { readonly window: ImpactWindow } & Pick<SoftwareQuery, 'measurements' | 'impacts' | 'entities' | 'edges'>,
): Promise<TypedHypothesis[]> {
  const { window, ...facts } = about;
  const { suspects } = await softwareSuspects(reader, {
    window: { start_ns: window.onset_earliest_ns, end_ns: window.end_ns },
    service: window.service,
    ...facts,
  });
  // A machine whose numbers moved is no software: that is weighed with the hardware.
  const software = suspects.filter(({ subject, score }) => subject.kind === 'service' && score > 0);
  const odds = software.slice(0, MOST_NAMED).map((suspect) => Math.exp(TEMPER * suspect.score));
  const total = 1 + odds.reduce((a, b) => a + b, 0);
  const named = hypotheses.flatMap((hypothesis): TypedHypothesis[] => {
    if (!isOpen(hypothesis)) return [hypothesis];
    const taken = odds.map((odd, i) => nameIt(hypothesis, software[i]!, odd / total));
    return [...taken, { ...hypothesis, probability: round(hypothesis.probability / total, 4) }];
  });
  return named.sort((a, b) => b.probability - a.probability).map((one, i) => ({ ...one, rank: i + 1 }));
}

function nameIt(
  open: TypedHypothesis,
  { subject, type, metric, evidence }: SoftwareSuspect,
  share: number,
): TypedHypothesis {
  const strongest = evidence
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, MOST_LINES);
  const [first, ...rest] = strongest;
  const quoted = first ? { kind: first.kind, parameters: first.parameters } : null;
  const lines: TypedEvidence[] = [
    weighedLine(softwareShare, Math.log(share), { share, first: quoted }, first?.refs),
    ...rest.map((one) => reweighed(one, 0)),
  ];
  return {
    ...open,
    subject,
    type,
    metric,
    probability: round(open.probability * share, 4),
    evidence: [...open.evidence, ...lines],
  };
}
