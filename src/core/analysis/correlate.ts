import type { Layer } from '../../model/entity.ts';
import {
  type CorrelateOptions,
  impactedText,
  isMeasuredHarm,
  type Report,
  type TypedHypothesis,
} from '../../model/incident/incident.ts';
import { unseenOnsetText } from '../../model/incident/unseen-onset.ts';
import type { WhatIf } from '../../model/incident/what-if.ts';
import { formatUtc, nanos } from '../../model/time.ts';
import type { EventFact, Reader } from '../store/facts/reader.ts';
import { type Background, readBackground } from './causality/background.ts';
import { defaultMechanisms, type Mechanisms } from './causality/mechanisms.ts';
import { type Movements, NO_MOVEMENTS, readMovements } from './causality/movements.ts';
import { RecordedEvents } from './causality/recorded-events.ts';
import { buildChain, type Chain, membersFrom } from './chain/chain.ts';
import type { ClockEstimate } from './clocks/clock-estimate.ts';
import type { TimeDoubts } from './clocks/time-doubts.ts';
import { describeImpact, findImpacts, type ImpactWindow } from './impact/impact.ts';
import { type Measurements, measuredDuring, workOf } from './impact/measurement-table.ts';
import { impact } from './impact/parameters.ts';
import { withParts } from './impact/part-impacts.ts';
import { stalledJobs, withStalls } from './impact/stalled-jobs.ts';
import { withTraining } from './impact/training-harm.ts';
import { byOnset, covers, selectImpacts, stated } from './impact/wanted-impacts.ts';
import { type ConditionsOf, readConditions } from './patterns/serving/read-conditions.ts';
import { gatherAround, shortlyBefore } from './ranking/candidates.ts';
import { rankHypotheses } from './ranking/hypotheses.ts';
import type { Suspect } from './ranking/hypothesis-line.ts';
import { isPlaced, isPlacedByCompany, missingUnder, relationFinder } from './ranking/impacted-services.ts';
import { orderWarning } from './ranking/order.ts';
import { ranking } from './ranking/parameters.ts';
import { fittedWeights, type Weights } from './ranking/weights.ts';
import type { ServingCondition } from './serving/condition.ts';
import { readWithHistory } from './software/history.ts';
import { mayBeSoftware, nameSoftware } from './software/name-software.ts';
import { software } from './software/parameters.ts';
import { restartsBefore } from './software/restarts.ts';
import type { SoftwareQuery } from './software/software-suspects.ts';
import { known, shortHash } from './statistics.ts';
import type { EntityGraph } from './topology/entity-graph.ts';
import { GraphsByTime } from './topology/graphs-by-time.ts';
import { measurementWarnings } from './warnings/measurement-warnings.ts';
import type { Warning } from './warnings/warning.ts';
import { warningText } from './warnings/warning-text.ts';
import { supposedReader } from './what-if/what-if.ts';
import { type TypedIncident, writtenIncident } from './written-incident.ts';

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

export interface Investigation {
  readonly conclusions: readonly Conclusion[];
  readonly warnings: readonly Warning[];
  readonly eventsInCase: number;
  /** Estimated clock of each data source. */
  readonly clocks: readonly ClockEstimate[];
}

/**
 * Measures every service, learns its baseline and finds impacts; brings all clocks together, gathers the events before each
 * window, ranks possible root causes, builds the chain and computes the cost. Reads only.
 * @throws ProblemError service.unknown, baseline.unknown, time.no_zone, time.unreadable, and those of {@link supposedReader}
 */
export async function investigate(
  rawReader: Reader,
  options: CorrelateOptions,
  { mechanisms = defaultMechanisms(), weights = fittedWeights(), whatIf, only }: Reasoning = {},
): Promise<Investigation> {
  const { reader, shifts } = whatIf
    ? await supposedReader(rawReader, whatIf)
    : { reader: rawReader, shifts: undefined };
  const entities = await reader.entities();
  const edges = await reader.edges();
  const graphs = new GraphsByTime(entities, edges);
  const { measurements: all, history, parts } = await readWithHistory(reader, options.baseline_of);
  // What callers measured may be the way to a service: it is a suspect by that, and has no impact of its own.
  const measurements = new Map([...all].filter(([, { from }]) => from !== 'callers'));
  const names = new Map(entities.filter((e) => e.entity_id === e.canonical_id).map((e) => [e.entity_id, e.id]));
  const selectedImpacts = selectImpacts(measurements, names, options);
  const measured = [...measurements.values()].flatMap((one) => findImpacts(one, options));
  const impacts = withTraining(
    withStalls(measured, await stalledJobs(reader, measurements), graphs),
    await reader.trainingEvents(),
    measurements,
  );
  const detected = withParts(impacts, parts, options)
    .filter((impact) => selectedImpacts.has(impact.service) && covers(impact, options.at))
    .sort(byOnset);
  const wanted = detected.length > 0 ? detected : stated(measurements, selectedImpacts, options);
  const background = await readBackground(reader);
  const recorded = await RecordedEvents.read(reader, {
    graphs,
    mechanisms,
    background,
    windows: wanted,
    options,
    shifts,
  });
  const conditionsOf = await readConditions(reader, graphs, wanted);
  const concluded: Conclusion[] = [];
  const worst = new Set(worstOf(wanted, software.mostExamined));
  for (const window of wanted) {
    if (only && !only.has(incidentId(names.get(window.service) ?? '?', window))) continue;
    const calls = await reader.calls(shortlyBefore(window, options), window.end_ns, await reader.callShare());
    const graph = graphs.at(window.onset_ns, calls);
    const events = await recorded.around(window);
    const movements = worst.has(window) ? await readMovements(reader, graph, window) : NO_MOVEMENTS;
    const beside = { background: recorded.habitsBeside(window, background), doubts: recorded.doubts };
    concluded.push(
      conclude({
        ...{ window, graph, events, options, mechanisms, weights, impacts, measurements, wanted },
        ...{ ...beside, movements, conditions: conditionsOf(window, graph) },
      }),
    );
  }
  const { eventsInCase } = background;
  const [ended, conclusions] = splitEnded(concluded, options);
  // A job by its collectives is measured beside the service that it is, and would count twice.
  const services = new Map([...all].filter(([, { from }]) => from !== 'collectives'));
  const facts = { measurements: services, history, impacts, entities, edges };
  await nameSuspects(reader, conclusions, { ...facts, recorded, conditionsOf, eventsInCase, worst });
  const warnings = [
    ...measurementWarnings(measurements, names, selectedImpacts),
    ...ended.map(
      ({ service, window }): Warning => ({ kind: 'ended', service, at: formatUtc(nanos(window.onset_earliest_ns)) }),
    ),
    ...recorded.warnings(),
  ];
  return { conclusions, warnings, eventsInCase: background.eventsInCase, clocks: recorded.clocks };
}

/** Work that ended without a recorded reason may have been done: it is no incident, unless somebody asks for it. */
function splitEnded(
  conclusions: readonly Conclusion[],
  { service, at }: CorrelateOptions,
): [ended: Conclusion[], incidents: Conclusion[]] {
  const mayBeDone = ({ window, incident }: Conclusion): boolean =>
    window.harm === 'ended' && service === null && at === null && !incident.hypotheses[0]?.event_id;
  return [conclusions.filter(mayBeDone), conclusions.filter((one) => !mayBeDone(one))];
}

/** Severity and duration of an impact. */
const badness = ({ times_worse, end_ns, onset_earliest_ns }: ImpactWindow): number =>
  Math.log(Math.max(2, times_worse || 2)) * (1 + Number(end_ns - onset_earliest_ns) / 1e9);

const worstOf = (windows: readonly ImpactWindow[], most: number): ImpactWindow[] =>
  windows.toSorted((a, b) => badness(b) - badness(a)).slice(0, most);

interface SoftwareFacts extends Pick<SoftwareQuery, 'measurements' | 'history' | 'impacts' | 'entities' | 'edges'> {
  readonly recorded: RecordedEvents;
  readonly conditionsOf: ConditionsOf;
  readonly eventsInCase: number;
  readonly worst: ReadonlySet<ImpactWindow>;
}

async function nameSuspects(
  reader: Reader,
  conclusions: Conclusion[],
  { recorded, eventsInCase, worst, conditionsOf, ...facts }: SoftwareFacts,
): Promise<void> {
  for (const [i, conclusion] of conclusions.entries()) {
    const { incident, window, graph } = conclusion;
    const isNamed = worst.has(window) && mayBeSoftware(incident.hypotheses, eventsInCase);
    let { hypotheses } = incident;
    if (isNamed) {
      const restarts = restartsBefore(await recorded.around(window), window.onset_ns, graph);
      const about = { window, conditions: conditionsOf(window, graph), restarts, ...facts };
      hypotheses = await nameSoftware(reader, hypotheses, about);
    }
    const warnings = [...incident.warnings, ...orderWarning(hypotheses)];
    conclusions[i] = { ...conclusion, incident: { ...incident, hypotheses, warnings } };
  }
}

/** Mechanisms and weights. */
export interface Reasoning {
  readonly mechanisms?: Mechanisms | undefined;
  readonly weights?: Weights | undefined;
  /** A what-if. */
  readonly whatIf?: WhatIf | undefined;
  /** Ids of the incidents to analyse; default: all. */
  readonly only?: ReadonlySet<string> | undefined;
}

/** Stable per impact, whatever the result. */
const incidentId = (service: string, { onset_ns, parts }: ImpactWindow): string =>
  `inc_${shortHash(`${impactedText({ affected_services: [service], affected_parts: [...parts] })} ${onset_ns}`)}`;

interface Facts {
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

function conclude(facts: Facts): Conclusion {
  const { window, graph, options, mechanisms, background } = facts;
  const measuredServices = measuredDuring(facts.measurements.values(), window.onset_ns, window.end_ns);
  const place = { window, graph, impacts: facts.impacts, measuredServices };
  const service = graph.node(window.service)?.id ?? '?';
  const { candidates, followers } = gatherAround(
    window,
    { events: facts.events.filter(mayHarm(window, mechanisms)), graph, mechanisms, relationOf: relationFinder(place) },
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
  const { hypotheses, root, context, suspects } = ranking;
  const members = root ? membersFrom(root, [...candidates, ...followers], context) : [];
  const chain = buildChain(members, context, { options, physical: physicalShare(hypotheses) });
  // A failure without measurements may have begun the chain months ago; the incident itself is shorter.
  const first = members.find(({ event }) => event.time_ns >= shortlyBefore(window, options));
  const start_ns = earlier(first?.event.time_ns ?? window.onset_ns, window.onset_ns);
  const unmapped = [
    ...new Set(candidates.filter(({ relation }) => relation === 'unmapped').map(({ event }) => event.device_id)),
  ];
  const missing_layers = background.eventsInCase > 0 ? missingUnder(place, background.recordedLayers) : [];
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
    hypotheses,
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
  const sum = (of: (type: string) => boolean) =>
    hypotheses.reduce((total, { type, probability }) => total + (of(type) ? probability : 0), 0);
  const software = sum((type) => type === 'no_physical_cause');
  const devices = sum((type) => type !== 'no_physical_cause' && type !== 'insufficient_evidence');
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
  const hasEvents = background.eventsInCase > 0;
  const isLead = chain.members.length > 0 && best && best.event_id !== chain.members[0]?.event.original_id;
  const measurements = window.baseline.points;
  const services = overlappingServices(facts);
  const { onset_ns, onset_earliest_ns, previous_ns } = window;
  const onset = { onset_ns, onset_earliest_ns, previous_ns };
  const favoured = best && { type: best.type, on: best.subject?.id ?? null, probability: best.probability };
  const all: readonly (Warning | false | undefined)[] = [
    unseenOnsetText(service, onset) !== null && { kind: 'onset_not_measured', service, onset },
    window.isStated && { kind: options.at === null ? 'only_service_was_specified' : 'time_was_specified', service },
    !hasEvents && { kind: 'no_events', service },
    hasEvents && !found.isPlaced && { kind: 'no_topology', service, byCompany: found.byCompany },
    hasEvents && chain.members.length === 0 && { kind: 'no_physical_cause', service, lag_s: options.lag },
    missing_layers.length > 0 && { kind: 'layers_not_recorded', layers: missing_layers },
    isLead && favoured && { kind: 'chain_is_a_lead', favoured },
    unmapped.length > 0 && { kind: 'not_in_topology', devices: unmapped },
    isMeasuredHarm(window.harm) &&
      measurements < impact.fewestNormalPoints && { kind: 'short_baseline', service, measurements },
    services.length > 0 && { kind: 'overlaps', services },
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

/** The shape that scripts rely on (DESIGN section 6). */
export function toReport(investigation: Investigation, generated_at: bigint): Report {
  const incidents = investigation.conclusions.map(({ incident }) => writtenIncident(incident));
  return {
    generated_at: formatUtc(nanos(generated_at)),
    incidents,
    warnings: investigation.warnings.map(warningText),
    summary: {
      total_events_processed: investigation.eventsInCase,
      total_incidents_detected: incidents.length,
      total_unmapped_devices: new Set(incidents.flatMap((incident) => incident.unmapped_devices)).size,
      total_warnings:
        investigation.warnings.length + incidents.reduce((sum, incident) => sum + incident.warnings.length, 0),
    },
  };
}
