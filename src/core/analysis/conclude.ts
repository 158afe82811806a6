import type { Layer } from '../../model/entity.ts';
import {
  type CorrelateOptions,
  impactedText,
  isMeasuredHarm,
  type TypedHypothesis,
} from '../../model/incident/incident.ts';
import { tiedWithFirst } from '../../model/incident/tied-hypotheses.ts';
import { unseenOnsetText } from '../../model/incident/unseen-onset.ts';
import { formatUtc, nanos } from '../../model/time.ts';
import type { EventFact } from '../store/facts/reader.ts';
import type { Background } from './causality/background.ts';
import type { Mechanisms } from './causality/mechanisms.ts';
import type { Movements } from './causality/movements.ts';
import { buildChain, type Chain, membersFrom } from './chain/chain.ts';
import type { TimeDoubts } from './clocks/time-doubts.ts';
import { describeImpact, type ImpactWindow } from './impact/impact.ts';
import { type Measurements, measuredDuring, workOf } from './impact/measurement-table.ts';
import { impact } from './impact/parameters.ts';
import { type Candidate, gatherAround, shortlyBefore } from './ranking/candidates.ts';
import { type Ranking, rankHypotheses, rootOf } from './ranking/hypotheses.ts';
import type { Suspect } from './ranking/hypothesis-line.ts';
import {
  type ImpactPlace,
  isPlaced,
  isPlacedByCompany,
  missingUnder,
  relationFinder,
} from './ranking/impacted-services.ts';
import { orderWarning } from './ranking/order.ts';
import { ranking } from './ranking/parameters.ts';
import type { Weights } from './ranking/weights.ts';
import type { ServingCondition } from './serving/condition.ts';
import { isSoftware } from './software/name-software.ts';
import { known, shortHash } from './statistics.ts';
import type { EntityGraph } from './topology/entity-graph.ts';
import type { Warning } from './warnings/warning.ts';
import type { TypedIncident } from './written-incident.ts';

/** An incident with data that the app window needs in addition to the scripted shape. */
export interface Conclusion {
  readonly incident: TypedIncident;
  readonly window: ImpactWindow;
  readonly service: string;
  readonly start_ns: bigint;
  readonly chain: Chain;
  readonly graph: EntityGraph;
  /** Every hypothesis before weighting, for the fit of weights. */
  readonly suspects: readonly Suspect[];
  /** Layers under the service without recordings, if there are any recordings. */
  readonly missing_layers: readonly Layer[];
}

/** Stable per impact, whatever the result. */
export const incidentId = (service: string, { onset_ns, parts }: ImpactWindow): string =>
  `inc_${shortHash(`${impactedText({ affected_services: [service], affected_parts: [...parts] })} ${onset_ns}`)}`;

/** What one impact is judged by. */
export interface Facts {
  readonly window: ImpactWindow;
  readonly graph: EntityGraph;
  readonly events: readonly EventFact[];
  readonly options: CorrelateOptions;
  readonly mechanisms: Mechanisms;
  readonly weights: Weights;
  readonly impacts: readonly ImpactWindow[];
  readonly wanted: readonly ImpactWindow[];
  readonly measurements: ReadonlyMap<number, Measurements>;
  readonly background: Background;
  readonly doubts: TimeDoubts;
  readonly conditions: readonly ServingCondition[];
  readonly movements: Movements;
}

/** An impact with its possible causes, each impact by itself. */
export interface RankedImpact {
  readonly facts: Facts;
  readonly service: string;
  readonly place: ImpactPlace;
  readonly candidates: readonly Candidate[];
  readonly followers: readonly Candidate[];
  readonly ranking: Ranking;
}

/** Gathers the events before an impact and ranks its possible causes. */
export function rankImpact(facts: Facts): RankedImpact {
  const { window, graph, options, mechanisms, background } = facts;
  const measuredServices = measuredDuring(facts.measurements.values(), window.onset_ns, window.end_ns);
  const place = { window, graph, impacts: facts.impacts, measuredServices };
  const service = graph.node(window.service)?.id ?? '?';
  const { candidates, followers } = gatherAround(
    window,
    {
      ...{ events: facts.events.filter(mayHarm(window, mechanisms)), graph, mechanisms, doubts: facts.doubts },
      relationOf: relationFinder(place),
    },
    options,
  );
  const ranking = rankHypotheses(
    {
      window,
      service,
      candidates,
      nearby: facts.events,
      graph,
      mechanisms,
      impacts: facts.impacts,
      measuredServices,
      background,
      late_s: options.window,
      doubts: facts.doubts,
      conditions: facts.conditions,
      movements: facts.movements,
    },
    facts.weights,
  );
  return { facts, service, place, candidates, followers, ranking };
}

/** Builds the chain and computes the cost, for causes that are judged. */
export function conclude(ranked: RankedImpact, hypotheses: readonly TypedHypothesis[]): Conclusion {
  const { facts, service, place, candidates, followers } = ranked;
  const { context, suspects } = ranked.ranking;
  const { window, graph, options, background } = facts;
  const root = rootOf(ranked.ranking, hypotheses);
  const members = root ? membersFrom(root, [...candidates, ...followers], context) : [];
  const chain = buildChain(members, context, { options, physical: physicalShare(hypotheses) });
  // A failure without measurements may have begun the chain months ago; the incident itself is shorter.
  const first = members.find(({ event }) => event.time_ns >= shortlyBefore(window, options));
  const start_ns = earlier(first?.event.time_ns ?? window.onset_ns, window.onset_ns);
  const unmapped = [
    ...new Set(candidates.filter(({ relation }) => relation === 'unmapped').map(({ event }) => event.device_id)),
  ];
  const missing_layers = background.deviceEvents > 0 ? missingUnder(place, background.recordedLayers) : [];
  const incident: TypedIncident = {
    id: incidentId(service, window),
    window_start: formatUtc(nanos(start_ns)),
    window_end: formatUtc(nanos(window.end_ns)),
    duration_seconds: Number(window.end_ns - start_ns) / 1e9,
    overall_confidence: chain.confidence,
    low_confidence: chain.confidence < options.confidence,
    affected_services: [service],
    affected_parts: [...window.parts],
    harm: window.harm,
    slowed_times: known(window.slowed_times ?? Number.NaN, 2),
    went_on: window.harm === 'stalled' ? window.wentOn === true : null,
    work: workOf(window.measurements),
    causal_chain: [...chain.steps],
    impact: describeImpact(window, window.end_ns, start_ns, options.gpu_rate),
    warnings: incidentWarnings(facts, service, {
      ...{
        unmapped,
        chain,
        hypotheses,
        missing_layers,
        isPlaced: isPlaced(place),
        byCompany: isPlacedByCompany(place),
      },
    }),
    unmapped_devices: unmapped,
    hypotheses: [...hypotheses],
  };
  return { incident, window, service, start_ns, chain, graph, suspects, missing_layers };
}

/** A job diverges by what falsifies its numbers; what only makes it slow does not concern it. */
const mayHarm =
  ({ harm }: ImpactWindow, mechanisms: Mechanisms) =>
  ({ type }: EventFact): boolean =>
    harm !== 'diverged' || mechanisms.harmOf(type)?.corrupts === true;

const earlier = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Probability that the cause is a device rather than software, 0 to 1; "not enough evidence" counts for neither. */
function physicalShare(hypotheses: readonly TypedHypothesis[]): number {
  const sum = (of: (hypothesis: TypedHypothesis) => boolean) =>
    hypotheses.reduce((total, one) => total + (of(one) ? one.probability : 0), 0);
  const software = sum(isSoftware);
  const devices = sum((one) => !isSoftware(one) && one.type !== 'insufficient_evidence');
  return ((1 - ranking.outsideCorpusProbability) * devices) / Math.max(devices + software, Number.MIN_VALUE);
}

function incidentWarnings(
  facts: Facts,
  service: string,
  found: Pick<TypedIncident, 'hypotheses'> &
    Pick<Conclusion, 'chain' | 'missing_layers'> & {
      readonly unmapped: readonly string[];
      readonly isPlaced: boolean;
      readonly byCompany: boolean;
    },
): Warning[] {
  const { window, options, background } = facts;
  const { unmapped, chain, hypotheses, missing_layers } = found;
  const [best] = hypotheses;
  const hasEvents = background.deviceEvents > 0;
  const isLead = chain.members.length > 0 && best && best.event_id !== chain.members[0]?.event.original_id;
  const measurements = window.baseline.points;
  const services = overlappingServices(facts);
  const { onset_ns, onset_earliest_ns, previous_ns } = window;
  const onset = { onset_ns, onset_earliest_ns, previous_ns };
  const favoured =
    best && tiedWithFirst(hypotheses).length === 0
      ? { type: best.type, on: best.subject?.id ?? null, probability: best.probability }
      : null;
  const all: readonly (Warning | false | undefined)[] = [
    unseenOnsetText(service, onset) !== null && { kind: 'onset_not_measured', service, onset },
    window.isStated && { kind: options.at === null ? 'only_service_was_specified' : 'time_was_specified', service },
    !hasEvents && { kind: 'no_events', service },
    hasEvents && !found.isPlaced && { kind: 'no_topology', service, byCompany: found.byCompany },
    hasEvents && chain.members.length === 0 && { kind: 'no_physical_cause', service, lag_s: options.lag },
    missing_layers.length > 0 && { kind: 'layers_not_recorded', layers: missing_layers },
    isLead && { kind: 'chain_is_a_lead', favoured },
    unmapped.length > 0 && { kind: 'not_in_topology', devices: unmapped },
    isMeasuredHarm(window.harm) &&
      measurements < impact.fewestNormalPoints && { kind: 'short_baseline', service, measurements },
    services.length > 0 && { kind: 'overlaps', services },
    ...orderWarning(hypotheses),
  ];
  return all.filter((one) => one !== false && one !== undefined);
}

/** Services with an incident at the same time. */
function overlappingServices({ window, wanted, graph }: Facts): readonly string[] {
  const overlapping = wanted.filter(
    (other) => other.service !== window.service && other.onset_ns <= window.end_ns && window.onset_ns <= other.end_ns,
  );
  return [...new Set(overlapping.map((other) => graph.node(other.service)?.id ?? '?'))];
}
