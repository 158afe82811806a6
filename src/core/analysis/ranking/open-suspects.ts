import { isMeasuredHarm } from '../../../model/incident/incident.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import { machinesShowing } from '../causality/coverage.ts';
import type { Movement } from '../causality/movements.ts';
import { namesOf } from '../evidence/evidence-text.ts';
import { entityRef, eventRef, type Line, line, RECORDED } from '../evidence/kind.ts';
import {
  brief,
  machinesBusier,
  machinesMoved,
  machinesStill,
  movedCompany,
  movedUnexplained,
} from '../evidence/numbers.ts';
import {
  layersMissing,
  lowOnly,
  machinesMissing,
  modelServing,
  noEvents,
  onePart,
  oneProcess,
  quiet,
  type RecordedMachines,
  surge,
  unplaced,
} from '../evidence/open.ts';
import { lead } from '../evidence/path.ts';
import { priorInsufficient, priorMoved, priorSoftware } from '../evidence/priors.ts';
import type { ImpactWindow } from '../impact/impact.ts';
import { impact } from '../impact/parameters.ts';
import { mayBeEffect, shareOf } from '../serving/causes.ts';
import { serving } from '../serving/parameters.ts';
import { began } from './began.ts';
import { cancelledLines } from './cancellations.ts';
import type { Candidate } from './candidates.ts';
import { companyLines } from './event-evidence/company.ts';
import { crowdedBy } from './event-evidence/crowding.ts';
import { movementLines } from './event-evidence/machines.ts';
import { pathValue } from './event-evidence/path.ts';
import type { Suspect } from './hypothesis-line.ts';
import { impactedServices, isPlaced, isPlacedByCompany, layersUnder, physical } from './impacted-services.ts';
import type { IncidentContext, RankingInput } from './incident-context.ts';
import { memoryLimitLines } from './memory-limits.ts';
import { ranking } from './parameters.ts';
import { isElsewhere } from './part-machines.ts';
import { rolloutLines } from './rollouts.ts';
import { silences } from './unrecorded-causes.ts';

const LOW = 2;

const isNear = ({ event }: Candidate, context: IncidentContext): boolean =>
  context.beforeOnset(event) < ranking.nearSeconds;

/** "No physical cause": load, deployments, software. */
export function suspectSoftware(context: IncidentContext): Suspect {
  const { candidates, service, graph, window, background } = context.input;
  const related = candidates.filter(({ relation }) => relation !== 'unmapped');
  const lines = [line(priorSoftware, 1, {})];
  // An unmapped event may have happened there.
  const isElsewhere = candidates.some(
    (one) => one.relation === 'unmapped' && one.event.severity < LOW && isNear(one, context),
  );
  const machines = context.once(recordedMachines);
  const isQuiet = related.length === 0 && !isElsewhere && background.deviceEvents > 0 && isPlaced(context.input);
  if (isQuiet && machines.recorded > 0)
    lines.push(
      line(quiet, machines.recorded / machines.of, { service, machines }, [
        ...entityRef(graph, window.service),
        ...RECORDED,
      ]),
    );
  if (related.length > 0 && related.every(({ event }) => event.severity === 3))
    lines.push(
      line(
        lowOnly,
        1,
        { service },
        related.map(({ event }) => eventRef(event)),
      ),
    );
  lines.push(...leadLines(context), ...surgeLines(context), ...rolloutLines(context), ...cancelledLines(context));
  lines.push(...memoryLimitLines(context), ...precursorLines(context), ...servingLines(context), ...partLines(context));
  return { event: null, subject: null, type: 'no_physical_cause', lines };
}

/** Worst degradation of a service over its metrics, as a factor. */
function timesWorse({ measurements, baseline, first, last, times_worse }: ImpactWindow): number {
  const typical = baseline.throughput || 0;
  let [errors, lowest] = [0, Number.POSITIVE_INFINITY];
  // In a loop: a window may contain more measurements than a call accepts arguments.
  for (let i = first; i <= last; i++) {
    errors = Math.max(errors, measurements.error_rate[i] || 0);
    const rate = measurements.throughput[i] ?? Number.NaN;
    if (rate < lowest) lowest = rate;
  }
  const starved = typical > 0 ? typical / Math.max(lowest, typical / ranking.mostTimesWorse) : 0;
  return Math.max(1, times_worse || 0, errors / Math.max(impact.errorFloorPercent, baseline.error_rate || 0), starved);
}

/** Noise affects one measurement, a fault lasts; and a fault changes metrics of its machine. */
function precursorLines({ input }: IncidentContext): Line[] {
  const { window, service, graph } = input;
  const [measurements, times] = [window.last - window.first + 1, timesWorse(window)];
  const chance = Math.min(1, (ranking.chanceTimes / times) ** 2) / measurements;
  // What does not go on at all is no noise, however short the recording of it.
  const lines = !isMeasuredHarm(window.harm) ? [] : [line(brief, chance, { service, measurements, times })];
  const known = ownMovements(input);
  const moved = known.filter((one) => one.moved);
  const refs = known.flatMap((one) => one.refs);
  // Work of somebody else that began there is a suspect of its own.
  const crowded = new Set(input.candidates.flatMap(({ event }) => crowdedBy(event, input)));
  const busier = known.filter((one) => one.busier && !crowded.has(one));
  if (busier.length > 0) lines.push(line(machinesBusier, 1, changesOf(busier), refs));
  if (moved.length > 0) lines.push(line(machinesMoved, Math.log1p(moved.length), changesOf(moved), refs));
  else if (known.length > 0 && known.every((one) => !one.busier)) lines.push(line(machinesStill, 1, { service }, refs));
  return lines.map((one) => ({ ...one, refs: [...one.refs, ...entityRef(graph, window.service)] }));
}

const changesOf = (movements: readonly Movement[]) => ({ changes: movements.map(({ change }) => change) });

/** Of the machines that the service runs on. */
const ownMovements = ({ graph, movements, window }: RankingInput): Movement[] =>
  graph.machinesOfService(window.service).flatMap((machine) => movements.get(machine) ?? []);

/** Machines of the service with changed metrics that no recorded event can explain. */
function unexplainedMovements(context: IncidentContext): readonly Movement[] {
  const { input } = context;
  const { candidates, graph, mechanisms } = input;
  const mayExplain = ({ severity, type }: EventFact): boolean =>
    severity < 3 || (mechanisms.harmOf(type)?.strength ?? 0) >= ranking.leastHarm;
  const near = candidates.filter(({ event }) => context.beforeOnset(event) < ranking.nearSeconds && mayExplain(event));
  const reached = machinesShowing(
    near.map(({ event }) => event),
    { graph },
  );
  return ownMovements(input).filter(({ machine, moved }) => moved && !reached.has(machine));
}

function unexplainedLines(context: IncidentContext): Line[] {
  const left = context.once(unexplainedMovements);
  if (left.length === 0) return [];
  const refs = left.flatMap((one) => one.refs);
  return [line(movedUnexplained, 1, changesOf(left), refs)];
}

/** A machine whose metrics changed without a recorded event; if several changed, a shared cause is likelier. */
export function suspectMoved(context: IncidentContext): Suspect[] {
  const { graph, service } = context.input;
  const moved = context.once(unexplainedMovements);
  return moved.flatMap(({ machine: box, refs }): Suspect[] => {
    const node = graph.node(box);
    if (!node || isElsewhere(box, context.input)) return [];
    return [
      {
        event: null,
        subject: { kind: node.kind, id: node.id },
        type: 'unobserved_fault',
        lines: [
          line(priorMoved, 1, { machine: node.id }, refs),
          line(movedCompany, Math.log(moved.length), { others: moved.length - 1, service }),
          ...movementLines(box, context),
          ...companyLines(box, context),
        ].filter(({ value }) => value !== 0),
      },
    ];
  });
}

/** Path probability of the best event: the lower, the likelier is no physical cause. */
function leadLines(context: IncidentContext): Line[] {
  const { candidates, service } = context.input;
  const paths = candidates.map(({ event }) => ({ event, path: context.path(event) }));
  const best = paths.toSorted((a, b) => b.path - a.path)[0];
  if (!best) return [];
  const { event, path: share } = best;
  const parameters = { service, type: event.type, device: event.device_id, share };
  return [line(lead, -pathValue(share), parameters, [eventRef(event)])];
}

/** Rising load of the service or of its callees is a cause by itself: {@link surgeOf}. */
function surgeLines({ input: situation }: IncidentContext): Line[] {
  const { window, graph, impacts } = situation;
  const callees = graph.calleesOf(window.service);
  const surged = [window, ...impacts.filter((one) => callees.has(one.service) && began(one, window))].map((one) => ({
    one,
    rise: surgeOf(one),
  }));
  const { one, rise } = surged.reduce((a, b) => (b.rise > a.rise ? b : a));
  if (rise < ranking.leastSurge) return [];
  const callee = one === window ? null : (graph.node(one.service)?.id ?? '?');
  return [
    line(surge, Math.min(ranking.mostSurge, rise), { times: Math.exp(rise), callee }, entityRef(graph, one.service)),
  ];
}

/**
 * Natural logarithm of the requests answered without an error during a window over those of its baseline; 0 if unknown. Failed ones are
 * sent again: a service of which two of three fail gets three times as many, and that is no load from outside.
 */
function surgeOf({ measurements, baseline, first, last }: ImpactWindow): number {
  const { throughput, error_rate } = measurements;
  const rates = throughput
    .slice(first, last + 1)
    .map((rate, i) => answered(rate, error_rate[first + i]!))
    .filter((rate) => !Number.isNaN(rate));
  const usual = rates.sort()[(rates.length - 1) >> 1] ?? 0;
  const before = answered(baseline.throughput, baseline.error_rate);
  return usual > 0 && before > 0 ? Math.log(usual / before) : 0;
}

/** @param errors percent; NaN: unknown, so none are taken off */
const answered = (rate: number, errors: number): number => rate * (1 - (Number.isNaN(errors) ? 0 : errors) / 100);

/** "Not enough evidence". */
export function suspectNothing(context: IncidentContext): Suspect {
  const { service, graph, window, background } = context.input;
  const lines = [line(priorInsufficient, 1, {})];
  const missing = context.once(silences);
  if (missing.size > 0) {
    const total = [...missing.values()].reduce((a, b) => a + b, 0);
    lines.push(line(layersMissing, total, { layers: [...missing.keys()] }, RECORDED));
  }
  lines.push(...unexplainedLines(context), ...processLines(context));
  const machines = context.once(recordedMachines);
  if (background.deviceEvents > 0 && isPlaced(context.input) && machines.recorded < machines.of)
    lines.push(line(machinesMissing, 1 - machines.recorded / machines.of, { service, machines }, RECORDED));
  if (!isPlaced(context.input)) {
    const byCompany = isPlacedByCompany(context.input);
    // What is below most of the site leads to the service wherever it runs.
    const widest = context.input.candidates.reduce(
      (most, one) => (isNear(one, context) ? Math.max(most, context.siteShare(one.event.entity)) : most),
      0,
    );
    const value = (byCompany ? ranking.companyShare : 1) * (1 - widest);
    const carriers = [...Map.groupBy(troublesOfUnknownReach(context), ({ device_id }) => device_id)];
    const mayCarry = namesOf(carriers.map(([device]) => device));
    // Thousands of devices may have one, so those that are named count as sources.
    const refs = carriers.slice(0, mayCarry.first.length).flatMap(([, [first]]) => eventRef(first!));
    lines.push(line(unplaced, value, { service, byCompany, mayCarry }, [...entityRef(graph, window.service), ...refs]));
  }
  // Layers that are known and were not recorded count above: the same silence is not held against software twice. That a job failed is
  // its own report, which speaks for neither.
  const under = layersUnder(context.input);
  const isOwnReport = window.harm === 'failed';
  if (background.deviceEvents === 0 && (isOwnReport || !physical.some((layer) => under.has(layer))))
    lines.push(line(noEvents, 1 - serving.answeredShare * servingShare(context), {}, RECORDED));
  return { event: null, subject: null, type: 'insufficient_evidence', lines };
}

/** Harmful events near the onset on devices that may carry a service of unknown place: nothing links them to it or rules them out. */
function troublesOfUnknownReach(context: IncidentContext): readonly EventFact[] {
  const { nearby, mechanisms, graph, late_s } = context.input;
  const carriesAny = (entity: number): boolean =>
    [...graph.machinesBelow(entity)].some((machine) => graph.servicesOn(machine).size > 0);
  return nearby.filter((event) => {
    const before_s = context.beforeOnset(event);
    const harm = mechanisms.harmOf(event.type);
    if (event.severity >= LOW || before_s >= ranking.nearSeconds || before_s < -late_s) return false;
    if (!harm || harm.strength < ranking.leastHarm) return false;
    // Services behind a link measure the requests that it lets through: they are well, and do not show that it is.
    return harm.intercepts ? carriesAny(event.entity) : context.siteShare(event.entity) > 0;
  });
}

/**
 * The silence of a machine of which nothing is recorded is no evidence. Where events alone are recorded, they do not show which
 * machines were monitored: all of them count.
 */
function recordedMachines({ input, watchedMachines }: IncidentContext): RecordedMachines {
  const { graph } = input;
  const machinesOf = (services: Iterable<number>) =>
    new Set([...services].flatMap((service) => graph.machinesOfService(service)));
  const impacted = machinesOf(impactedServices(input));
  const machines = impacted.size > 0 ? impacted : machinesOf(graph.calleesOf(input.window.service));
  const areKnown = graph.machines(input.background.isSampled).size > 0;
  const recorded = areKnown ? [...machines].filter((one) => watchedMachines.has(one)) : [...machines];
  return { recorded: recorded.length, of: machines.size };
}

/** How surely a change in the serving of a model is the cause, 0 to 1; beside events of devices it may be their effect. */
function servingShare({ input }: IncidentContext): number {
  const { conditions, candidates } = input;
  const hasEvent = candidates.some(({ event, relation }) => relation !== 'unmapped' && event.severity < LOW);
  const shares = conditions.map((one) => shareOf(one) * (hasEvent && mayBeEffect(one) ? serving.effectShare : 1));
  return Math.max(partShare(input), ...shares);
}

/** The same of requests of one kind beside others of the same service that did as before: devices make all of them slow. */
function partShare({ window }: RankingInput): number {
  const [part] = window.parts;
  if (!part || part.kind === 'replica' || part.kind === 'rank') return 0;
  return part.kind === 'model' ? serving.modelShare : serving.requestsShare;
}

function partLines(context: IncidentContext): Line[] {
  const { service, window, graph } = context.input;
  const [part] = window.parts;
  const share = partShare(context.input);
  return part && share > 0 ? [line(onePart, share, { service, part }, entityRef(graph, window.service))] : [];
}

/** A replica or rank that alone is slow, where no event could be the cause. */
function processLines({ input: { candidates, graph, service, window } }: IncidentContext): Line[] {
  const [part] = window.parts;
  const isProcess = part?.kind === 'replica' || part?.kind === 'rank';
  if (!isProcess || candidates.some(({ relation }) => relation !== 'unmapped')) return [];
  return [line(oneProcess, 1, { service, part }, entityRef(graph, window.service))];
}

function servingLines(context: IncidentContext): Line[] {
  const { conditions, graph } = context.input;
  const [strongest] = conditions;
  if (!strongest) return [];
  const service = graph.node(strongest.service)?.id ?? '?';
  const refs = strongest.evidence.flatMap(({ refs: own }) => own);
  return [line(modelServing, servingShare(context), { service, figures: strongest.figures }, refs)];
}
