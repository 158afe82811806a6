import type { EventFact } from '../../store/facts/reader.ts';
import { commonSourceLines } from '../causality/common-source.ts';
import { isOrchestrators, limitsPerformance, severityWeight } from '../causality/event-traits.ts';
import type { Movement } from '../causality/movements.ts';
import { predictedEffects } from '../causality/predicted-effects.ts';
import { explained, explainedRoot, explains } from '../evidence/effects.ts';
import { type Names, namesOf } from '../evidence/evidence-text.ts';
import { elsewhere, routine } from '../evidence/habit.ts';
import { entityRef, eventRef, type Line, line } from '../evidence/kind.ts';
import { elsewhereMoved, limited, moved, notLimited, unmoved } from '../evidence/numbers.ts';
import { path, unconnected } from '../evidence/path.ts';
import {
  calleeCovered,
  calleeFine,
  calleeMissed,
  caller,
  scope,
  scopeNone,
  servicesBroke,
  servicesHealthy,
  sibling,
  unmapped,
} from '../evidence/place.ts';
import { priorEvent } from '../evidence/priors.ts';
import { far, late, lateUnsure, timing } from '../evidence/time.ts';
import { rootType, severity } from '../evidence/type.ts';
import type { ImpactWindow } from '../impact/impact.ts';
import { round } from '../statistics.ts';
import type { Candidate } from './candidates.ts';
import type { Suspect } from './hypothesis-line.ts';
import { type IncidentContext, NEITHER_NEAR_NOR_FAR_S } from './incident-context.ts';
import { zoneLines } from './supposed-zones.ts';
import { familyOf, leftOpenLines } from './unexplained-harm.ts';

const SEVERITY = [1, 0.5, 0, -1] as const;
/** Keeps log-odds of a path finite. */
const [LEAST_PATH, MOST_PATH] = [0.02, 0.98];
const FAR_S = 60;
const LATE_S = 10;
const [MOST_LATE, MOST_FAR] = [3, 3];
/** More occurrences than this add no evidence. */
const MOST_ROUTINE = 50;
/** Events elsewhere count as simultaneous within this time. */
const ELSEWHERE_S = 120;

/** One event as a suspect, with its evidence. */
export function suspectEvent(candidate: Candidate, context: IncidentContext): Suspect {
  const { event } = candidate;
  const node = context.input.graph.node(event.entity);
  return {
    event,
    type: event.type,
    subject: { kind: node?.kind ?? 'device', id: event.device_id },
    lines: [
      line(priorEvent, 1, {}),
      ...typeLines(event, context),
      ...pathLines(event, context),
      ...effectLines(event, context),
      ...causeLines(event, context),
      ...commonSourceLines(event, context),
      ...predictedEffects(event, context),
      ...leftOpenLines(familyOf(event, context), context),
      ...timeLines(event, context),
      ...zoneLines(event, context),
      ...movementLines(event.entity, context, !isOrchestrators(event.type)),
      ...limitedLines(event, context),
      ...relationLines(candidate, context),
      ...contrastLines(candidate, context),
      ...companyLines(event.entity, context),
      ...habitLines(candidate, context),
    ].filter(({ value }) => value !== 0),
  };
}

function typeLines(event: EventFact, { input }: IncidentContext): Line[] {
  const weight = input.mechanisms.rootWeight(event.type) - (1 - severityWeight(event));
  const { type } = event;
  return [line(rootType, weight, { type, isRoot: weight > 0 }, [`mechanism:${type}`]), severityLine(event)];
}

export const severityLine = (event: EventFact): Line =>
  line(severity, SEVERITY[event.severity] ?? 0, { severity: event.severity }, [eventRef(event)]);

/** Log-odds of a known path, 0 at a probability of one half. */
export const pathValue = (share: number): number => {
  const bounded = Math.min(MOST_PATH, Math.max(LEAST_PATH, share));
  return Math.log(bounded / (1 - bounded));
};

function pathLines(event: EventFact, context: IncidentContext): Line[] {
  const share = context.path(event);
  const { service } = context.input;
  return [line(path, pathValue(share), { of: 'event', service, share }, [`mechanism:${event.type}`])];
}

/** An event that harms no service by itself and has no recorded effect that does. */
const HARMLESS = 0.15;

/** Probability that it harms workloads on its entity, 0 to 1. */
const harmOf = (event: EventFact, { input: { mechanisms } }: IncidentContext): number =>
  (mechanisms.harmOf(event.type)?.strength ?? 0) * severityWeight(event);

const unconnectedLine = (event: EventFact, { input: { service } }: IncidentContext): Line =>
  line(unconnected, 1, { service }, [eventRef(event)]);

function effectLines(event: EventFact, context: IncidentContext): Line[] {
  const found = [...context.explainedBy(event)].map(
    ([effect, strength]) => [effect, strength * context.relevance(effect)] as const,
  );
  const total = found.reduce((sum, [, strength]) => sum + strength, 0);
  if (total === 0) return harmOf(event, context) < HARMLESS ? [unconnectedLine(event, context)] : [];
  const value = Math.log1p(total);
  const groups = [...Map.groupBy(found, ([effect]) => effect.type)];
  // Their total weight is divided among them, so that the lines add up.
  return groups.map(([type, group]) => {
    const strength = group.reduce((sum, [, one]) => sum + one, 0);
    const effects = group.map(([effect]) => effect);
    const delay_s = Math.min(...effects.map(({ time_ns }) => Number(time_ns - event.time_ns) / 1e9));
    const devices = namesOf([...new Set(effects.map(({ device_id }) => device_id))]);
    return line(explains, (value * strength) / total, { of: 'event', type, devices, delay_s }, effects.map(eventRef));
  });
}

function causeLines(event: EventFact, context: IncidentContext): Line[] {
  const best = context.links
    .causesOf(event)
    .filter(({ cause }) => context.relationOf(cause) !== 'other')
    .map((link) => ({ cause: link.cause, sure: context.belief(link) }))
    .toSorted((a, b) => b.sure - a.sure)[0];
  if (!best) return [];
  const { cause, sure } = best;
  const before_s = Number(event.time_ns - cause.time_ns) / 1e9;
  const { type, device_id: device } = cause;
  return [line(explained, sure, { type, device, before_s }, [eventRef(cause)]), ...originLines(event, context)];
}

/** A known root cause explains the event over any number of steps: without it the event would be one more coincidence. */
function originLines(event: EventFact, context: IncidentContext): Line[] {
  const { mechanisms } = context.input;
  const origins = [...context.explainersOf(event)]
    .filter(([cause]) => context.relationOf(cause) !== 'other')
    .map(([cause, sure]) => ({
      cause,
      value: sure * Math.min(1, mechanisms.rootWeight(cause.type) * severityWeight(cause)),
    }))
    .toSorted((a, b) => b.value - a.value);
  const [best] = origins;
  if (!best || best.value <= 0) return [];
  const { cause, value } = best;
  return [line(explainedRoot, value, { type: cause.type, device: cause.device_id }, [eventRef(cause)])];
}

export function timeLines(event: EventFact, context: IncidentContext): Line[] {
  const refs = [eventRef(event)];
  const lag_s = context.lagOf(event);
  const after = context.afterOnset(event);
  if (after > 0) {
    const kind = context.input.doubts.isVouchedFor(event) ? late : lateUnsure;
    return [line(kind, Math.min(MOST_LATE, after / LATE_S), { lag_s }, refs)];
  }
  const gap = context.gap(event);
  const distance = Math.min(MOST_FAR, Math.max(0, Math.log(gap / NEITHER_NEAR_NOR_FAR_S)));
  if (distance > 0) return [line(far, distance, { lag_s, isFar: gap > FAR_S }, refs)];
  return [line(timing, Math.max(0, 1 - gap / NEITHER_NEAR_NOR_FAR_S), { lag_s }, refs)];
}

/** Most metric changes in one line of evidence. */
const MOST_CHANGES = 2;

/**
 * Evidence from metrics of machines: the machines that changed should be among those that the suspect can reach. Whether it
 * must change them is another matter: a node under pressure draws the same power.
 */
export function movementLines(entity: number, { input: situation }: IncidentContext, shouldMove = true): Line[] {
  const { graph, movements, window } = situation;
  if (entity < 0 || movements.size === 0) return [];
  const below = graph.machinesBelow(entity);
  const machines = new Set(
    [window.service, ...graph.calleesOf(window.service)].flatMap((one) => graph.machinesOfService(one)),
  );
  const known = [...machines].flatMap((machine) => movements.get(machine) ?? []);
  const changed = known.filter((one) => one.moved);
  const mine = known.filter(({ machine }) => below.has(machine));
  const hit = mine.filter((one) => one.moved);
  const changesOf = (list: readonly Movement[]) => ({
    changes: list.slice(0, MOST_CHANGES).map(({ change }) => change),
  });
  const refs = (list: readonly Movement[]) => list.flatMap((one) => one.refs);
  const still = mine.filter((one) => one.still);
  // The end of a pod does not predict other metrics of its machine.
  const stayed =
    shouldMove && mine.length > 0 && !graph.isSoftware(entity)
      ? [line(unmoved, still.length / mine.length, { still: still.length, of: mine.length }, refs(still))]
      : [];
  if (hit.length > 0) return [line(moved, hit.length / changed.length, changesOf(hit), refs(hit)), ...stayed];
  if (changed.length === 0) return stayed;
  return [line(elsewhereMoved, 1, changesOf(changed), refs(changed)), ...stayed];
}

/** A limit that slows a machine shows in its metrics; one that it never reaches does not, and is harmless. */
function limitedLines(event: EventFact, { input: situation }: IncidentContext): Line[] {
  const { graph, movements } = situation;
  if (event.entity < 0 || !limitsPerformance(event)) return [];
  const known = graph.machinesOf(event.entity).flatMap((box) => movements.get(box) ?? []);
  const [still, fell] = [known.filter((one) => one.still), known.filter((one) => one.moved && !one.busier)];
  const parametersOf = (list: readonly Movement[]) => ({ type: event.type, changes: list.map(({ change }) => change) });
  const refs = (list: readonly Movement[]) => list.flatMap((one) => one.refs);
  if (fell.length > 0)
    return [line(limited, (severityWeight(event) * fell.length) / known.length, parametersOf(fell), refs(fell))];
  if (still.length === 0) return [];
  return [line(notLimited, still.length / known.length, parametersOf(still), refs(still))];
}

function relationLines({ event, relation }: Candidate, { input: situation }: IncidentContext): Line[] {
  const { graph, service, window, measuredServices, impacts } = situation;
  const device = entityRef(graph, event.entity);
  switch (relation) {
    case 'unmapped':
      return [line(unmapped, 1, { of: 'device', device: event.device_id, service }, device)];
    case 'sibling':
      return [line(sibling, 1, { device: event.device_id }, device)];
    case 'caller': {
      const refs = [...device, ...entityRef(graph, window.service)];
      const between = [...graph.servicesNear(event.entity)].filter((one) => graph.calleesOf(window.service).has(one));
      const through = line(caller, 1, { service }, refs);
      if (
        between.length === 0 ||
        between.some((one) => !measuredServices.includes(one) || impacts.some((other) => other.service === one))
      )
        return [through];
      const callees = namesOf(between.map((one) => graph.node(one)?.id ?? '?'));
      const fine = between.flatMap((one) => entityRef(graph, one));
      return [through, line(calleeFine, 1, { callees }, fine)];
    }
    case 'mapped':
      return [];
  }
}

function contrastLines({ event, relation }: Candidate, { input: situation }: IncidentContext): Line[] {
  const { graph, impacts, measuredServices, mechanisms, window } = situation;
  if (relation === 'unmapped') return [];
  const carried = [...graph.servicesOn(event.entity)].filter(
    (service) => service !== window.service && measuredServices.includes(service),
  );
  const broke = carried.filter((service) =>
    impacts.some((other) => other.service === service && overlaps(other, window)),
  );
  const isOfOne = mechanisms.harmOf(event.type)?.one === true;
  const healthy = isOfOne ? [] : carried.filter((service) => !broke.includes(service));
  const refs = (keys: readonly number[]) => keys.flatMap((key) => entityRef(graph, key));
  const parametersOf = (keys: readonly number[]) => ({
    of: carried.length,
    count: keys.length,
    services: namesOf(keys.map((key) => graph.node(key)?.id ?? '?')),
  });
  return [
    line(servicesBroke, Math.log1p(broke.length), parametersOf(broke), refs(broke)),
    line(servicesHealthy, Math.log1p(healthy.length), parametersOf(healthy), refs(healthy)),
  ];
}

export const overlaps = (a: ImpactWindow, b: ImpactWindow): boolean =>
  a.onset_earliest_ns <= b.end_ns && b.onset_earliest_ns <= a.end_ns;

/** So many at the same time are no coincidence. */
const SEVERAL = 2;

/** Services that degraded at the same time: callees pass degradation on, and one cause may explain all. */
export function companyLines(entity: number, { input: situation }: IncidentContext): Line[] {
  const { graph, impacts, window, service } = situation;
  // A service that calls this one degrades in any case and is no evidence on the cause.
  const others = [...new Set(impacts.filter((one) => began(one, window)).map((one) => one.service))].filter(
    (one) => !graph.calleesOf(one).has(window.service),
  );
  if (entity < 0 || others.length === 0) return [];
  const callees = graph.calleesOf(window.service);
  const reaches = (other: number) => {
    const relation = graph.relation(entity, other);
    return relation === 'mapped' || relation === 'caller';
  };
  const hurt = others.filter((other) => callees.has(other));
  const covered = others.filter(reaches);
  const names = (keys: readonly number[]): Names => namesOf(keys.map((key) => graph.node(key)?.id ?? '?'));
  const refs = (keys: readonly number[]) => keys.flatMap((key) => entityRef(graph, key));
  const of = others.length;
  const reached = { covered: covered.length, of, service, reached: names(covered) };
  const lines = [line(scope, covered.length / of, reached, refs(covered))];
  if (covered.length === 0 && of >= SEVERAL) lines.push(line(scopeNone, 1, { of, service }, refs(others)));
  if (hurt.length === 0) return lines;
  const known = hurt.filter(reaches);
  const called = { service, callees: names(hurt) };
  return known.length > 0
    ? [...lines, line(calleeCovered, 1, called, refs(known))]
    : [...lines, line(calleeMissed, 1, called, refs(hurt))];
}

/** Measurements of two services count as simultaneous up to this distance. */
const SAME_ONSET_NS = 30_000_000_000n;

/** Whether another service's impact began within the onset uncertainty of this one, and lasted longer. */
export const began = (other: ImpactWindow, window: ImpactWindow): boolean =>
  other.service !== window.service &&
  other.onset_earliest_ns - SAME_ONSET_NS <= window.onset_ns &&
  window.onset_earliest_ns - SAME_ONSET_NS <= other.onset_ns;

/** An event that recurs all the time, or on many devices, is rarely a root cause. */
function habitLines({ event }: Candidate, context: IncidentContext): Line[] {
  const { background, graph, service } = context.input;
  const recorded = background.occurrences(event.entity, event.type);
  const same = recorded < 2 ? 1 : context.timesOn(event.type, event.entity);
  const before = Math.max(0, recorded - same);
  const devices = context.elsewhere(event.type, event.time_ns, ELSEWHERE_S);
  const { type, device_id: device } = event;
  return [
    line(
      routine,
      Math.log1p(Math.min(before, MOST_ROUTINE)),
      { type, device, times: before },
      entityRef(graph, event.entity),
    ),
    line(elsewhere, round(Math.log1p(devices), 3), { type, devices, service }, [eventRef(event)]),
  ];
}
