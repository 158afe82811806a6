import type { TypedEvidence, TypedHypothesis } from '../../../model/incident/incident.ts';
import type { Reader } from '../../store/facts/reader.ts';
import { type ParametersOf, RECORDED, reweighed, weighedLine } from '../evidence/kind.ts';
import { cancelled, memoryLimit, modelServing, noEvents, unplaced } from '../evidence/open.ts';
import {
  carrier,
  complained,
  logTemplate,
  remainder,
  servingChange,
  softwareShare,
  statedReason,
} from '../evidence/software.ts';
import type { ImpactWindow } from '../impact/impact.ts';
import type { Measurements } from '../impact/measurement-table.ts';
import { ordered, sum } from '../ranking/order.ts';
import { isOfRequests } from '../serving/causes.ts';
import { round } from '../statistics.ts';
import { software } from './parameters.ts';
import { type SoftwareQuery, type SoftwareSuspect, softwareSuspects } from './software-suspects.ts';

const isOpen = ({ type }: TypedHypothesis): boolean => type === 'no_physical_cause';

/** A cause without a device: software as such, or a service that was named. */
export const isSoftware = (one: TypedHypothesis): boolean =>
  isOpen(one) || (one.subject?.kind === 'service' && one.event_id === null);

/** Without device events only software can be analysed. */
export const mayBeSoftware = (hypotheses: readonly TypedHypothesis[], deviceEvents: number): boolean =>
  hypotheses.some((one) => isOpen(one) && (deviceEvents === 0 || one.probability >= software.leastSoftwareProbability));

const isInsufficient = ({ type }: TypedHypothesis): boolean => type === 'insufficient_evidence';

/**
 * Of no device anything is recorded that concerns the service, so that what is known of the services is all that can be judged. Of one
 * service alone nothing shows that it begins there.
 */
const isOfServicesAlone = (hypotheses: readonly TypedHypothesis[], services: number): boolean =>
  services > 1 &&
  hypotheses.every((one) => isOpen(one) || isInsufficient(one)) &&
  hypotheses.some((one) => isInsufficient(one) && one.evidence.some(isWithoutDevices));

/** A device with an event at that time may carry a service of unknown place. */
const isWithoutDevices = ({ kind, parameters }: TypedEvidence): boolean =>
  kind === noEvents.id ||
  (kind === unplaced.id && (parameters as ParametersOf<typeof unplaced>).mayCarry.first.length === 0);

/**
 * Divides the probability of "no physical cause" among software suspects: services explained along their calls, spans, log
 * templates, metrics; the rest stays unassigned, more of it with more requests from outside. A suspect's log-odds are those of
 * "no physical cause" plus the logarithm of its share, so that it ranks together with hardware. Where no device is recorded, "not enough
 * evidence" is divided likewise: a device that was not recorded carries one of the services, and the degradation begins there too.
 */
export async function nameSoftware(
  reader: Reader,
  hypotheses: readonly TypedHypothesis[],
  about: { readonly window: ImpactWindow } & Pick<
    SoftwareQuery,
    'measurements' | 'history' | 'impacts' | 'entities' | 'edges' | 'conditions' | 'restarts'
  >,
): Promise<TypedHypothesis[]> {
  // What is known needs no suspects.
  if (hypotheses.some((one) => isOpen(one) && one.evidence.some(({ kind }) => kind === cancelled.id)))
    return [...hypotheses];
  const { window, ...facts } = about;
  const { suspects, load } = await softwareSuspects(reader, {
    window: { start_ns: window.onset_earliest_ns, end_ns: window.end_ns },
    service: window.service,
    ...facts,
    isOfRequests: isOfPart(window),
    ...(facts.measurements ? { measurements: asAffected(facts.measurements, window) } : {}),
  });
  // A machine with changed metrics is not software: it is ranked with the hardware.
  const services = suspects.filter((suspect) => suspect.subject.kind === 'service' && isNamed(suspect));
  const atLimit = servicesAtLimit(hypotheses);
  const odds = services
    .slice(0, software.mostNamed)
    .map(({ score, subject }) => Math.exp(score + (atLimit.has(subject.id) ? software.statedReasonOdds : 0)));
  const before = sum(hypotheses);
  const unnamed = Math.exp(load);
  const total = unnamed + odds.reduce((a, b) => a + b, 0);
  const isDivided = isOfServicesAlone(hypotheses, facts.measurements?.size ?? 0)
    ? (one: TypedHypothesis) => isOpen(one) || isInsufficient(one)
    : isOpen;
  const divided = sum(hypotheses.filter(isDivided));
  const named = hypotheses.flatMap((hypothesis): TypedHypothesis[] => {
    if (!isDivided(hypothesis)) return [hypothesis];
    const left = leftOf(hypothesis, unnamed / total);
    if (!isOpen(hypothesis)) return [left];
    // No device below a service makes its requests longer.
    const ownOf = ({ type }: SoftwareSuspect): number => (isOfRequests(type) ? hypothesis.probability : divided);
    const taken = services
      .slice(0, software.mostNamed)
      .map((one, i) => nameIt(hypothesis, one, { share: odds[i]! / total, divided: ownOf(one) }));
    return [...taken, left];
  });
  // A stated reason weighs against all other causes: together they stay as probable as before.
  const scale = before / sum(named);
  return ordered(named.map((one) => ({ ...one, probability: round(one.probability * scale, 4) })));
}

/**
 * Where only requests for one model, route or tenant are affected, the service as a whole may show nothing, and whatever else changed at the time
 * would be all that is left to blame: it is judged by those requests.
 */
const asAffected = (
  measurements: ReadonlyMap<number, Measurements>,
  window: ImpactWindow,
): ReadonlyMap<number, Measurements> =>
  isOfPart(window) ? new Map([...measurements, [window.service, window.measurements]]) : measurements;

const isOfPart = ({ parts: [part] }: ImpactWindow): boolean =>
  part !== undefined && part.kind !== 'replica' && part.kind !== 'rank';

/** @param share of what is divided that no service receives, 0 to 1 */
function leftOf(hypothesis: TypedHypothesis, share: number): TypedHypothesis {
  if (share === 1) return hypothesis;
  const evidence = [...hypothesis.evidence, weighedLine(remainder, Math.log(share), { share })];
  return { ...hypothesis, evidence, probability: hypothesis.probability * share };
}

/** Services whose memory limit already speaks for software: the most of that is theirs. */
const servicesAtLimit = (hypotheses: readonly TypedHypothesis[]): ReadonlySet<string> =>
  new Set(
    hypotheses
      .filter(isOpen)
      .flatMap(({ evidence }) => evidence.filter(({ kind }) => kind === memoryLimit.id))
      .map(({ parameters }) => (parameters as ParametersOf<typeof memoryLimit>).service),
  );

/** Below even odds, it must have become slower or failed: fewer or more requests alone are rarely a cause. */
const isNamed = ({ score, changed, type }: SoftwareSuspect): boolean =>
  score > 0 || (score > software.leastNamedOdds && changed >= software.notableOdds && type !== 'service_throughput');

/** A change in how a model is served is evidence on software as such, and on the service that it names. */
const keyOf = ({ kind, parameters }: TypedEvidence): string =>
  JSON.stringify([kind === modelServing.id ? servingChange.id : kind, parameters]);

interface Part {
  /** Of all that is divided, 0 to 1. */
  readonly share: number;
  /** Probability of all that is divided, 0 to 1: at least that of "no physical cause". */
  readonly divided: number;
}

function nameIt(
  open: TypedHypothesis,
  { subject, type, metric, evidence, reason }: SoftwareSuspect,
  { share, divided }: Part,
): TypedHypothesis {
  const strongest = evidence
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, software.namedLines);
  const [first, ...rest] = strongest;
  const quoted = first ? { kind: first.kind, parameters: first.parameters } : null;
  const known = new Set(open.evidence.map(keyOf));
  const lines: TypedEvidence[] = [
    weighedLine(softwareShare, Math.log(share), { share, first: quoted }, first?.refs),
    ...rest.filter((one) => !known.has(keyOf(one))).map((one) => reweighed(one, 0)),
  ];
  const logged = evidence.filter(({ kind }) => kind === complained.id || kind === logTemplate.id);
  if (divided > open.probability)
    lines.push(weighedLine(carrier, Math.log(divided / open.probability), { service: subject.id }, RECORDED));
  if (reason !== '') {
    const refs = logged.flatMap((one) => one.refs);
    lines.push(weighedLine(statedReason, software.statedReasonOdds, { service: subject.id, reason }, refs));
  }
  return {
    ...open,
    subject,
    type,
    metric,
    probability: divided * share * (reason === '' ? 1 : Math.exp(software.statedReasonOdds)),
    evidence: [...open.evidence, ...lines],
  };
}
