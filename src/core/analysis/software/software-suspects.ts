import { type EntityKind, entityKey } from '../../../model/entity.ts';
import type { TypedEvidence } from '../../../model/incident/incident.ts';
import { nanoseconds } from '../../../model/time.ts';
import type { CallFact, EdgeFact, EntityFact, Phases, Reader } from '../../store/facts/reader.ts';
import { reweighed, weighedLine } from '../evidence/kind.ts';
import {
  besideRestarted,
  excusedBy,
  excusedByLoad,
  excusedBySender,
  responsible,
  softwarePrior,
  unrelated,
} from '../evidence/software.ts';
import type { Measurements } from '../impact/measurement-table.ts';
import { readMeasurements } from '../impact/measurements.ts';
import type { ServingCondition } from '../serving/condition.ts';
import { complaintFindings, complaintsOfServices, reasonsOfUnknown, type ServiceComplaint } from './complaints.ts';
import type { Load } from './load.ts';
import { type LogVerdict, logTemplates } from './log-templates.ts';
import { metricSuspects } from './metric-suspects.ts';
import { software } from './parameters.ts';
import { passedOn, responsibilities, sharesWithoutCalls } from './responsibilities.ts';
import { movedToRestarts, type Restart, reachOfRestarts, restartFindings, shareExplained } from './restarts.ts';
import { type SelectedPhases, selectPhases, type WhenAndWhere } from './select-phases.ts';
import { movedToSenders, type Sender, sendersOf } from './senders.ts';
import { type ServiceVerdict, serviceSuspects } from './service-suspects.ts';
import { servingSuspects } from './serving-suspects.ts';
import { skippedSteps } from './skipped-steps.ts';
import type { Finding, SuspectType } from './suspect.ts';
import { traceBlame } from './trace-blame.ts';

/** Optional data of the caller; the rest is read. */
export interface SoftwareQuery extends WhenAndWhere {
  readonly measurements?: ReadonlyMap<number, Measurements>;
  /** Of normal days at any date, by service; not among `measurements`. */
  readonly history?: ReadonlyMap<number, Measurements>;
  /** What changed in the serving of models at that time, strongest first. */
  readonly conditions?: readonly ServingCondition[];
  /** Only requests for one model, route or tenant are affected, and `measurements` of the affected service are theirs. */
  readonly isOfRequests?: boolean;
  /** Software that started shortly before. */
  readonly restarts?: readonly Restart[];
  readonly entities?: readonly EntityFact[];
  readonly edges?: readonly EdgeFact[];
}

/** A software suspect, ready to become a hypothesis. */
export interface SoftwareSuspect {
  /** Canonical entity. */
  readonly key: number;
  readonly subject: { readonly kind: EntityKind; readonly id: string };
  readonly type: SuspectType;
  /** Log-odds, natural: prior and evidence, as `evidence` lists them. */
  readonly score: number;
  /** Of these, those of its own changes: without prior and without its relation to the affected service. */
  readonly changed: number;
  readonly evidence: readonly TypedEvidence[];
  /** The strongest name from its layers; null if there is none. */
  readonly span: string | null;
  readonly template: string | null;
  readonly metric: string | null;
  readonly instance: string | null;
  /** That log lines state, and that may concern the affected service; '' for none. */
  readonly reason: string;
}

export interface SoftwareConclusion {
  /** Best first. */
  readonly suspects: readonly SoftwareSuspect[];
  /** The compared phases; null without a specified time and without an impact. */
  readonly phases: SelectedPhases | null;
  readonly warnings: readonly string[];
  /** Log-odds against chance of more requests from outside, of which no service is the cause; 0 without. */
  readonly load: number;
}

/**
 * Software suspects if hardware is not the cause: services that deviate and are not explained by a neighbour, span names with
 * higher self time or own errors, log templates that are new or surge, other metrics that deviate from their baseline. Reads
 * only. Works without a failure time, and with one that is off by a minute: see {@link selectPhases}.
 */
export async function softwareSuspects(reader: Reader, query: SoftwareQuery = {}): Promise<SoftwareConclusion> {
  const entities = query.entities ?? (await reader.entities());
  const measurements = query.measurements ?? (await readMeasurements(reader));
  const recorded = query.history?.size ? rangeOf(measurements) : await reader.recordedRange();
  const phases = recorded ? selectPhases(measurements, query, recorded) : null;
  if (!phases) return { suspects: [], phases: null, warnings: ['no impact found and no time specified'], load: 0 };
  const nodes = new Map(entities.filter((e) => e.entity_id === e.canonical_id).map((e) => [e.entity_id, e]));
  const nameOf = (key: number): string => nodes.get(key)?.id ?? 'an unnamed source';
  const calls = [
    ...(await reader.calls(phases.before_from_ns, phases.window_to_ns, await reader.callShare())),
    ...callsIn(query.edges ?? (await reader.edges())),
  ];
  // A service on its own needs no calls; of several, none that calls another means that calls were not recorded.
  const callsKnown = calls.length > 0 || measurements.size < 2;
  const trace = traceBlame(await reader.spanShifts(phases), nameOf, callsKnown);
  const logs = await logTemplates(reader.logBodies(phases), phases, nameOf);
  const complaints = complaintsOfServices(logs.complaints, entities);
  const services = serviceSuspects({
    ...{ measurements, phases, calls, nameOf },
    own: trace.own,
    unreachable: trace.unreachable,
    complaints: complaints.known,
    sufferer: query.service,
    history: query.history,
  });
  const steps = skippedSteps(await reader.spanSteps(phases), calls, nameOf);
  const metrics = metricSuspects(await reader.metricShifts(sampled(phases), software.mostSeries), nameOf);
  const senders = sendersOf(query.conditions ?? [], entities);
  // A balancer or a client may be in no recorded call, though others are.
  const placed = query.service === undefined || isInCalls(query.service, calls) || measurements.size < 2;
  const related = placed ? relatives(query.service, [...calls, ...services.supposed], senders) : null;
  const serving = servingSuspects(query.conditions ?? [], senders, nameOf);
  const restarts = query.restarts ?? [];
  const restarted = reachOfRestarts(restarts, calls);
  const begins =
    query.service === undefined
      ? new Map<number, number>()
      : placed
        ? responsibilities(query.service, services.verdicts)
        : passedOn(sharesWithoutCalls(query.service, services.verdicts, { measurements, phases }), services.verdicts);
  const changes = [...services.findings, ...trace.findings, ...steps, ...logs.findings, ...metrics, ...serving];
  const stated = [
    ...restartFindings(restarts, nameOf),
    ...complaintFindings(services.complaints, nameOf),
    ...reasonsOfUnknown(complaints.unknown, nameOf),
  ];
  const merged = merge([...changes, ...stated], {
    affected: query.service,
    reached: restarted,
    verdicts: services.verdicts,
    load: services.load,
    complaints: Map.groupBy(services.complaints, ({ caller }) => caller),
    supposed: new Set(services.supposed.map(({ caller }) => caller)),
    related,
    callsKnown: placed,
    begins: movedToSenders(movedToRestarts(begins, restarted), senders),
    senders,
    servicesKnown: new Set([...measurements.keys(), ...trace.own.keys()]).size,
    affectedService: query.service === undefined ? null : nameOf(query.service),
    nodes,
    nameOf,
  });
  const callers = onlyCallers(query, [...calls, ...services.supposed], senders);
  const suspects = merged.filter(({ key }) => !callers.has(key)).slice(0, software.listed);
  return { suspects, phases, warnings: leftOut(logs), load: loadOdds(services.load, query.service) };
}

const leftOut = ({ left_out, lines }: LogVerdict): string[] =>
  left_out > 0 ? [`${left_out} of ${lines} log lines fit no template and were left out`] : [];

/** Time that measurements cover: normal days, which may be months away, are no part of the recording. */
function rangeOf(measurements: ReadonlyMap<number, Measurements>): { from_ns: bigint; to_ns: bigint } | null {
  const ends = [...measurements.values()].flatMap(({ time_ns }) => [time_ns[0]!, time_ns.at(-1)!]);
  return ends.length === 0
    ? null
    : { from_ns: ends.reduce((a, b) => (a < b ? a : b)), to_ns: ends.reduce((a, b) => (a > b ? a : b)) };
}

const sampled = (phases: Phases): Phases => ({
  ...phases,
  window_to_ns: phases.window_to_ns + nanoseconds(software.sampleSeconds),
});

const callsIn = (edges: readonly EdgeFact[]): CallFact[] =>
  edges.flatMap(({ kind, from_id, to_id }) => (kind === 'calls' ? [{ caller: from_id, callee: to_id }] : []));

const isInCalls = (service: number, calls: readonly CallFact[]): boolean =>
  calls.some(({ caller, callee }) => caller === service || callee === service);

/** Services from which degradation can reach the affected service; null: affected service or call graph unknown. */
function relatives(
  service: number | undefined,
  calls: readonly CallFact[],
  senders: ReadonlyMap<number, Sender>,
): ReadonlySet<number> | null {
  if (service === undefined || calls.length === 0) return null;
  const called = calledBy(service, calls);
  const sending = [...called].flatMap((one) => senders.get(one)?.service ?? []);
  return new Set([...called, ...sending, ...callersOf(service, calls)]);
}

type End = (call: CallFact) => number;
const callerOf: End = ({ caller }) => caller;
const calleeOf: End = ({ callee }) => callee;

/** A service, and all that are reached from it along calls. */
function alongCalls(service: number, calls: readonly CallFact[], [from, to]: readonly [End, End]): Set<number> {
  const next = Map.groupBy(calls, from);
  const found = new Set([service]);
  for (const one of found) for (const call of next.get(one) ?? []) found.add(to(call));
  return found;
}
const calledBy = (service: number, calls: readonly CallFact[]): Set<number> =>
  alongCalls(service, calls, [callerOf, calleeOf]);
const callersOf = (service: number, calls: readonly CallFact[]): Set<number> =>
  alongCalls(service, calls, [calleeOf, callerOf]);

/**
 * Services that only call the affected one. They make none of its answers slow but by longer requests, or by more, which those for one
 * model, route or tenant would not be alone in.
 */
function onlyCallers(
  { service, isOfRequests }: SoftwareQuery,
  calls: readonly CallFact[],
  senders: ReadonlyMap<number, Sender>,
): ReadonlySet<number> {
  if (service === undefined || isOfRequests !== true) return new Set();
  const others = calledBy(service, calls);
  for (const sender of senders.values()) others.add(sender.service);
  return new Set([...callersOf(service, calls)].filter((one) => !others.has(one)));
}

/** As of a suspect: the change itself, and how much of the degradation of the affected service it explains. */
const loadOdds = (load: Load, sufferer: number | undefined): number =>
  sufferer === undefined
    ? 0
    : (load.entryOf(sufferer)?.weight ?? 0) + software.responsibleOdds * load.explained(sufferer);

interface Ground {
  readonly affected: number | undefined;
  /** Services that a restart may have made worse. */
  readonly reached: ReadonlyMap<number, Restart>;
  /** By the service that their requests make slow. */
  readonly senders: ReadonlyMap<number, Sender>;
  readonly verdicts: ReadonlyMap<number, ServiceVerdict>;
  readonly load: Load;
  /** By who complains. */
  readonly complaints: ReadonlyMap<number, readonly ServiceComplaint[]>;
  /** Services whose calls could not be recorded, with one that may be behind them. */
  readonly supposed: ReadonlySet<number>;
  readonly related: ReadonlySet<number> | null;
  readonly callsKnown: boolean;
  /** Share of the affected service's degradation that begins in each service; empty if unknown. */
  readonly begins: ReadonlyMap<number, number>;
  readonly servicesKnown: number;
  readonly affectedService: string | null;
  readonly nodes: ReadonlyMap<number, EntityFact>;
  nameOf(key: number): string;
}

function merge(findings: readonly Finding[], ground: Ground): SoftwareSuspect[] {
  const suspects = [...Map.groupBy(findings, ({ key }) => key)].flatMap(([key, list]) => {
    const node = ground.nodes.get(key);
    return node ? [suspectOf(node, list, ground)] : [];
  });
  return suspects.sort((a, b) => b.score - a.score || a.key - b.key);
}

function suspectOf(node: EntityFact, findings: readonly Finding[], ground: Ground): SoftwareSuspect {
  const key = node.canonical_id;
  const services = Math.max(software.leastServices, ground.servicesKnown);
  const evidence = [weighedLine(softwarePrior, -Math.log(services), { services })];
  const layers = [...Map.groupBy(findings, ({ layer }) => layer).values()]
    .map((list) => list.map((one) => excused(one, ground)).toSorted((a, b) => b.weight - a.weight))
    .toSorted((a, b) => (b[0]?.weight ?? 0) - (a[0]?.weight ?? 0));
  layers.forEach(([best], i) => {
    const factor = software.furtherLayerShare ** i;
    for (const one of best?.evidence ?? []) evidence.push(reweighed(one, one.weight * factor));
  });
  const changed = evidence.slice(1).reduce((sum, { weight }) => sum + weight, 0);
  const topSuspects = layers.flatMap((list) => list.slice(0, 1));
  const bears = bearing(node, ground);
  evidence.push(...bears);
  const named = <T>(pick: (one: Finding) => T | null): T | null =>
    topSuspects.map(pick).find((value) => value !== null) ?? null;
  return {
    key,
    subject: { kind: node.kind, id: node.id },
    // That it is slow is a symptom beside the reason.
    type: (topSuspects.find(({ layer }) => layer === 'serving') ?? topSuspects[0])?.type ?? 'service_latency',
    score: evidence.reduce((sum, { weight }) => sum + weight, 0),
    changed,
    evidence,
    span: named(({ span }) => span),
    template: named(({ template }) => template),
    metric: named(({ metric }) => metric),
    instance: named(({ instance }) => instance),
    reason: bears.some(({ weight }) => weight < 0) ? '' : (findings.find(({ reason }) => reason !== '')?.reason ?? ''),
  };
}

/** Relation of a suspect to the affected service. */
function bearing(node: EntityFact, ground: Ground): TypedEvidence[] {
  const { related, begins, load, affectedService, callsKnown, affected, reached } = ground;
  if (node.kind !== 'service' || affectedService === null) return [];
  const refs = [`entity:${entityKey(node.kind, node.id)}`];
  const isBeside = affected !== undefined && reached.get(affected)?.service === node.canonical_id;
  if (isBeside) {
    const about = { service: node.id, affected: affectedService };
    const weight =
      software.responsibleOdds * Math.min(1, (begins.get(node.canonical_id) ?? 0) / software.responsibleShare);
    return [weighedLine(besideRestarted, weight, about, refs)];
  }
  if (related && !related.has(node.canonical_id))
    return [weighedLine(unrelated, software.unrelatedOdds, { service: affectedService }, refs)];
  if (begins.size === 0) return [];
  const share = begins.get(node.canonical_id) ?? 0;
  if (share < software.slightShare)
    return [weighedLine(responsible, software.slightOdds, { service: affectedService, share: null, callsKnown }, refs)];
  const byLoad = load.explained(node.canonical_id);
  const weight =
    software.responsibleOdds * (callsKnown ? Math.min(1, share / software.responsibleShare) : lead(share, begins));
  return [weighedLine(responsible, weight * (1 - byLoad), { service: affectedService, share, callsKnown }, refs)];
}

/** How much more of the change is one service's than if all had an equal part, -0.75 to 1; of one service alone, than of two. */
const lead = (share: number, begins: ReadonlyMap<number, number>): number =>
  Math.max(software.slightOdds / software.responsibleOdds, Math.min(1, Math.log(share * Math.max(2, begins.size))));

/** What the callees of a caller may be behind: of one that could not reach a callee, or whose calls could not be recorded, also what its spans show. */
const mayPass: ReadonlySet<Finding['layer']> = new Set(['log', 'metric']);
const mayFail: ReadonlySet<Finding['layer']> = new Set(['log', 'metric', 'trace', 'step']);

/**
 * Log errors and machine load of a caller may be due to its callees, and all that a service shows to more requests: that share is
 * discounted. The rise of requests itself is judged by its callers ({@link serviceSuspects}).
 */
function excused(found: Finding, ground: Ground): Finding {
  const { verdicts, load, reached, senders, complaints, supposed, nameOf } = ground;
  const verdict = verdicts.get(found.key);
  const layers = complaints.has(found.key) || supposed.has(found.key) ? mayFail : mayPass;
  const byCallees = verdict && layers.has(found.layer) ? verdict.excused : 0;
  const byLoad = found.type === 'service_throughput' ? 0 : load.explained(found.key);
  const restart = found.layer === 'start' ? undefined : reached.get(found.key);
  const byRestart = restart && restart.service !== found.key ? shareExplained(restart) : 0;
  const sender = senders.get(found.key);
  const bySender = sender?.share ?? 0;
  if (byCallees === 0 && byLoad === 0 && byRestart === 0 && bySender === 0) return found;
  const left = (1 - byCallees) * (1 - byLoad) * (1 - byRestart) * (1 - bySender);
  const evidence = found.evidence.map((one) => reweighed(one, one.weight * left));
  if (verdict && byCallees >= 0.5 && verdict.explainedBy.length > 0)
    evidence.push(weighedLine(excusedBy, 0, { services: verdict.explainedBy.map(nameOf) }));
  if (restart && byRestart > 0) evidence.push(weighedLine(excusedBy, 0, { services: [nameOf(restart.service)] }));
  if (sender) evidence.push(weighedLine(excusedBySender, 0, { sender: nameOf(sender.service) }));
  const entry = load.entryOf(found.key);
  if (entry && byLoad > 0)
    evidence.push(weighedLine(excusedByLoad, 0, { share: byLoad, times: entry.times, entry: nameOf(entry.service) }));
  return { ...found, evidence, weight: found.weight * left };
}
