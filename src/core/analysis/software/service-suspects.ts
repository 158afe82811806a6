import type { TypedEvidence } from '../../../model/incident/incident.ts';
import type { CallFact, Phases } from '../../store/facts/reader.ts';
import { namesOf } from '../evidence/evidence-text.ts';
import { type ParametersOf, weighedLine } from '../evidence/kind.ts';
import { accountsFor, movesUnlike, serviceChange, wayTo } from '../evidence/software.ts';
import type { Measurements } from '../impact/measurement-table.ts';
import { type CallPaths, callPaths } from './call-paths.ts';
import type { ServiceComplaint } from './complaints.ts';
import {
  believed,
  type Deviation,
  deviate,
  deviationOf,
  extentOf,
  type LatencyField,
  latencyOf,
  type ServiceDeviation,
} from './deviation.ts';
import { type Load, loadFromOutside } from './load.ts';
import { software } from './parameters.ts';
import { relevance } from './relevance.ts';
import { supposedCalls } from './supposed-calls.ts';
import { type Finding, finding, type SuspectType } from './suspect.ts';
import { waysTo } from './ways-to.ts';

/** Span data of a service as a whole: the share of its degradation that is its own. */
export interface OwnShare {
  /** Of the time that its requests took longer, the share spent in the service itself, 0 to 1; NaN: unknown. */
  readonly latency: number;
  /** Of the additional errors, the share that began in it; NaN: unknown. */
  readonly errors: number;
}

export interface ServiceFacts {
  readonly measurements: ReadonlyMap<number, Measurements>;
  readonly phases: Phases;
  readonly calls: readonly CallFact[];
  /** Services by span data; empty without spans. */
  readonly own: ReadonlyMap<number, OwnShare>;
  /** Services that stopped answering their callers. */
  readonly unreachable: ReadonlySet<number>;
  /** What services logged about failed calls of others. */
  readonly complaints: readonly ServiceComplaint[];
  /** Measurements of normal days. */
  readonly history?: ReadonlyMap<number, Measurements> | undefined;
  /** Of whom users complain; undefined: unknown. */
  readonly sufferer?: number | undefined;
  nameOf(service: number): string;
}

export interface ServiceVerdict {
  readonly service: number;
  readonly deviation: ServiceDeviation;
  /** Share of its degradation explained by its callees (by its callers for throughput), 0 to 1. */
  readonly explained: number;
  readonly explainedBy: readonly number[];
  /** Of its latency and errors alone, share passed in from callees, 0 to 1: the same share of its log evidence is discounted. */
  readonly excused: number;
  /** Share of its latency and errors explained by each callee, 0 to 1. */
  readonly shares: ReadonlyMap<number, number>;
}

/** Requests beyond a quantile: what share of calls must meet a callee for it to move that quantile. */
const TAIL: Readonly<Record<LatencyField, number>> = { p50: 0.5, p95: 0.05, p99: 0.01 };

/**
 * Services that deviate from their own baseline and are not explained by another. Latency and errors propagate from callee to
 * caller, loss or surge of requests from caller to callee; the share explained by such a neighbour is subtracted. Services that
 * call each other in a cycle are explained only by one of them that deviates more.
 */
export function serviceSuspects(facts: ServiceFacts): {
  readonly findings: Finding[];
  readonly verdicts: ReadonlyMap<number, ServiceVerdict>;
  readonly load: Load;
  /** Complaints about services that nothing else shows to be well. */
  readonly complaints: readonly ServiceComplaint[];
  readonly supposed: readonly CallFact[];
} {
  const deviations = new Map(
    [...facts.measurements.values()].map((measured) => {
      const deviation = deviate(measured, facts.phases, facts.history?.get(measured.service));
      return [measured.service, measured.service === facts.sufferer ? believed(deviation) : deviation];
    }),
  );
  const measured = new Set(deviations.keys());
  const recorded = callPaths(facts.calls, measured);
  const ways = waysTo(facts, deviations, recorded);
  const passedOn = [...ways].map(([caller, callee]): CallFact => ({ caller, callee }));
  const known = ways.size === 0 ? recorded : callPaths([...facts.calls, ...passedOn], measured);
  const supposed = supposedCalls(facts, deviations, known);
  const paths = supposed.length === 0 ? known : callPaths([...facts.calls, ...passedOn, ...supposed], measured);
  const load = loadFromOutside(deviations, paths);
  const complaints = facts.complaints.filter((one) => mayBeRight(one, deviations, paths));
  const ground: Ground = {
    ...{ facts, deviations, paths, ways },
    supposed: new Map(supposed.map(({ caller, callee }) => [caller, callee])),
    complaints: Map.groupBy(complaints, ({ caller }) => caller),
  };
  const judged = [...deviations.values()].map((deviation) => judge(deviation, ground));
  const verdicts = new Map(judged.map(({ verdict }) => [verdict.service, verdict]));
  const findings = judged
    .map((one) => serviceFinding(one, ground, verdicts))
    .filter(({ weight, evidence }) => weight > 0 || evidence.length > 0);
  return {
    findings: findings.sort((a, b) => b.weight - a.weight || a.key - b.key),
    verdicts,
    load,
    complaints,
    supposed,
  };
}

interface Ground {
  readonly facts: ServiceFacts;
  readonly deviations: ReadonlyMap<number, ServiceDeviation>;
  readonly paths: CallPaths;
  /** Services that only lead to another one. */
  readonly ways: ReadonlyMap<number, number>;
  /** Whom services call by {@link supposedCalls}. */
  readonly supposed: ReadonlyMap<number, number>;
  /** By who complains. */
  readonly complaints: ReadonlyMap<number, readonly ServiceComplaint[]>;
}

/** Who gets as many requests as before and answers them as before is well, whatever the way to it looks like, unless its callers state a reason; of two that complain of each other the worse one is meant. */
function mayBeRight(
  { caller, callee, reason }: ServiceComplaint,
  deviations: ReadonlyMap<number, ServiceDeviation>,
  paths: CallPaths,
): boolean {
  const [own, other] = [deviations.get(caller), deviations.get(callee)];
  if (!other || reason !== '') return true;
  const isStarved = (other.throughput?.weight ?? 0) >= software.notableOdds;
  if (deviationOf(other) < software.notableOdds && !isStarved) return false;
  return !own || !paths.circular(caller, callee) || isWorse(other, own);
}

/** Callees that a service could not reach, as its spans or its log show it. */
function goneFor({ service }: ServiceDeviation, callees: readonly ServiceDeviation[], ground: Ground): Set<number> {
  const unanswered = callees.map((callee) => callee.service).filter((one) => ground.facts.unreachable.has(one));
  return new Set([...unanswered, ...(ground.complaints.get(service) ?? []).map(({ callee }) => callee)]);
}

interface Part {
  readonly kind: 'latency' | 'errors' | 'throughput';
  readonly deviation: Deviation;
  readonly explained: number;
  /** Share explained by each neighbour, 0 to 1. */
  readonly shares: ReadonlyMap<number, number>;
}

interface Judged {
  readonly verdict: ServiceVerdict;
  readonly parts: readonly Part[];
}

/** Neighbours that explain a part of a service's degradation, by share. */
const behind = ({ shares }: Part): number[] =>
  [...shares]
    .filter(([, share]) => share >= software.leastNeighbourShare)
    .sort((a, b) => b[1] - a[1])
    .map(([other]) => other);

function excusedShare(parts: readonly Part[]): number {
  const upward = parts.filter(({ kind }) => kind !== 'throughput');
  const total = upward.reduce((sum, { deviation }) => sum + deviation.weight, 0);
  if (total < software.notableOdds) return 0;
  return upward.reduce((sum, { deviation, explained }) => sum + deviation.weight * explained, 0) / total;
}

/** Latency and errors together, by weight. */
function sharesOf(parts: readonly Part[]): Map<number, number> {
  const upward = parts.filter(({ kind }) => kind !== 'throughput');
  const total = upward.reduce((sum, { deviation }) => sum + deviation.weight, 0);
  const shares = new Map<number, number>();
  for (const { deviation, shares: own } of upward)
    for (const [callee, share] of own)
      shares.set(callee, (shares.get(callee) ?? 0) + (share * deviation.weight) / total);
  return shares;
}

/** Tie-break by size, for a total order. */
const isWorse = (a: ServiceDeviation, b: ServiceDeviation): boolean =>
  extentOf(a) > extentOf(b) || (extentOf(a) === extentOf(b) && a.service < b.service);

function judge(deviation: ServiceDeviation, ground: Ground): Judged {
  const parts = [
    latencyPart(deviation, ground),
    errorPart(deviation, ground),
    throughputPart(deviation, ground),
  ].filter((part) => part !== null);
  const total = parts.reduce((sum, part) => sum + part.deviation.weight, 0);
  const taken = parts.reduce((sum, part) => sum + part.deviation.weight * part.explained, 0);
  return {
    parts,
    verdict: {
      service: deviation.service,
      deviation,
      explained: total > 0 ? taken / total : 0,
      explainedBy: [...new Set(parts.filter((part) => part.explained >= software.explainedShare).flatMap(behind))],
      excused: excusedShare(parts),
      shares: sharesOf(parts),
    },
  };
}

/** Deviating callees that may explain their caller. */
function deviatingCallees({ service }: ServiceDeviation, { deviations, paths, facts }: Ground): ServiceDeviation[] {
  return paths.callees(service).flatMap((callee) => {
    const other = deviations.get(callee);
    if (!other || !(deviationOf(other) >= software.notableOdds || facts.unreachable.has(callee))) return [];
    return !paths.circular(service, callee) || isWorse(other, deviations.get(service)!) ? [other] : [];
  });
}

/** How far a callee that a share of the requests meets can move a quantile: below the tail's own share hardly at all. */
const reachOf = (calls: number, field: LatencyField): number => Math.min(1, calls / TAIL[field]) ** 2;

/** Calls of `callee` per request of `caller`; 1 when unknown. Its other callers are not separated: then at most 1. */
function callsPerRequest(caller: ServiceDeviation, callee: ServiceDeviation, paths: CallPaths): number {
  const ratio = (callee.throughput?.after ?? Number.NaN) / (caller.throughput?.after ?? Number.NaN);
  if (!Number.isFinite(ratio)) return 1;
  return paths.callers(callee.service).length > 1 ? Math.min(1, ratio) : ratio;
}

function latencyPart(deviation: ServiceDeviation, ground: Ground): Part | null {
  const mine = latencyOf(deviation);
  if (!mine || mine.weight <= 0 || deviation.latency === null) return null;
  const field = deviation.latency;
  const callees = deviatingCallees(deviation, ground);
  const gone = goneFor(deviation, callees, ground);
  const own = ground.facts.own.get(deviation.service)?.latency ?? Number.NaN;
  const shares = new Map<number, number>();
  for (const callee of callees) {
    // The way to a service sees a part of its requests, so quantiles differ.
    const isWay = ground.ways.get(deviation.service) === callee.service;
    const theirs = isWay ? latencyOf(callee) : (callee.latencies[field] ?? latencyOf(callee));
    const calls = isWay ? 1 : callsPerRequest(deviation, callee, ground.paths);
    const reach = calls > 1 ? calls : reachOf(calls, field);
    let share = theirs ? (Math.max(0, theirs.after - theirs.before) * reach) / (mine.after - mine.before) : 0;
    if ((callee.errors?.weight ?? 0) >= software.sureOdds) share = Math.max(share, software.retryShare * reach);
    shares.set(callee.service, Math.min(1, share));
  }
  for (const callee of gone) shares.set(callee, software.goneShare);
  const most = Number.isNaN(own) ? 1 : gone.size > 0 ? Math.max(software.goneShare, 1 - own) : 1 - own;
  return { kind: 'latency', deviation: mine, ...fitted(shares, most, !Number.isNaN(own)) };
}

/**
 * Scales shares to a sum of at most `most`. Span data are exact: then they are scaled up to it, and the part that no measured
 * callee explains was still spent in calls.
 */
function fitted(shares: ReadonlyMap<number, number>, most: number, exact: boolean): Pick<Part, 'explained' | 'shares'> {
  const total = [...shares.values()].reduce((sum, share) => sum + share, 0);
  const scale = total > 0 && (exact || total > most) ? most / total : 1;
  return {
    explained: exact ? most : Math.min(most, total),
    shares: new Map([...shares].map(([callee, share]) => [callee, share * scale])),
  };
}

function errorPart(deviation: ServiceDeviation, ground: Ground): Part | null {
  const mine = deviation.errors;
  if (!mine || mine.weight <= 0) return null;
  const callees = deviatingCallees(deviation, ground);
  const gone = goneFor(deviation, callees, ground);
  const own = ground.facts.own.get(deviation.service)?.errors ?? Number.NaN;
  const shares = new Map<number, number>();
  let timeouts = 0;
  for (const callee of callees) {
    const isWay = ground.ways.get(deviation.service) === callee.service;
    const calls = callsPerRequest(deviation, callee, ground.paths);
    const rise = callee.errors && callee.errors.weight > 0 ? callee.errors.after - callee.errors.before : 0;
    // Errors of the way to a service are errors of that service, which has other requests besides.
    let share = isWay && rise > 0 ? 1 : (rise * calls) / (mine.after - mine.before);
    // A caller that gives up on a slow callee fails by itself, as spans see it.
    if ((latencyOf(callee)?.weight ?? 0) >= software.sureOdds) {
      share = Math.max(share, software.timeoutShare * reachOf(calls, 'p95'));
      timeouts = Math.max(timeouts, share);
    }
    shares.set(callee.service, Math.min(1, share));
  }
  for (const callee of gone) shares.set(callee, software.goneShare);
  const most = Number.isNaN(own)
    ? 1
    : Math.max(1 - own, Math.min(software.timeoutShare, timeouts), gone.size > 0 ? software.goneShare : 0);
  return { kind: 'errors', deviation: mine, ...fitted(shares, most, !Number.isNaN(own)) };
}

/** A service that gets fewer requests is starved by its callers, or by its own slowness; never by its callees. */
function throughputPart(deviation: ServiceDeviation, { deviations, paths }: Ground): Part | null {
  const mine = deviation.throughput;
  if (!mine || mine.weight <= 0) return null;
  const change = Math.log(mine.after / mine.before);
  const callers = paths.callers(deviation.service).flatMap((caller) => {
    const other = deviations.get(caller);
    if (!other) return [];
    const theirs = other.throughput ? Math.log(other.throughput.after / other.throughput.before) : 0;
    const moved = theirs * change > 0 ? Math.min(1, theirs / change) : 0;
    const failing = change < 0 && deviationOf(other) >= software.notableOdds ? 1 : 0;
    return [{ caller, share: Math.max(Number.isNaN(moved) ? 1 : moved, failing) }];
  });
  const worst = callers.reduce((most, { share }) => Math.max(most, share), 0);
  const own = change < 0 && deviationOf(deviation) >= software.notableOdds ? 1 : 0;
  return {
    kind: 'throughput',
    deviation: { ...mine, weight: Math.min(software.mostThroughputOdds, mine.weight) },
    explained: Math.max(worst, own),
    shares: new Map(callers.map(({ caller, share }) => [caller, share])),
  };
}

/** Services whose degradation this one explains, directly or indirectly. */
function explainedThrough(service: number, verdicts: ReadonlyMap<number, ServiceVerdict>): ServiceVerdict[] {
  const reached = new Set([service]);
  for (const cause of reached)
    for (const other of verdicts.values())
      if (other.explained >= software.explainedShare && other.explainedBy.includes(cause)) reached.add(other.service);
  return [...verdicts.values()].filter((other) => other.service !== service && reached.has(other.service));
}

const typeOf = { latency: 'service_latency', errors: 'service_errors', throughput: 'service_throughput' } as const;

function serviceFinding(
  { verdict, parts }: Judged,
  ground: Ground,
  verdicts: ReadonlyMap<number, ServiceVerdict>,
): Finding {
  const { service } = verdict;
  const evidence = parts.flatMap((part) => changeLines(part, verdict, ground));
  const left = evidence.reduce((sum, { weight }) => sum + weight, 0);
  const behindIt = ground.ways.get(service);
  if (behindIt !== undefined) evidence.push(weighedLine(wayTo, 0, { service: ground.facts.nameOf(behindIt) }));
  const effects = explainedThrough(service, verdicts);
  if ((left >= software.notableOdds || ground.facts.unreachable.has(service)) && effects.length > 0) {
    const weight = Math.min(software.mostExplainsOdds, software.explainsOdds * Math.log2(1 + effects.length));
    const names = effects.map((other) => ground.facts.nameOf(other.service));
    evidence.push(
      weighedLine(
        accountsFor,
        weight,
        { services: namesOf(names) },
        names.slice(0, 3).map((other) => `entity:service:${other}`),
      ),
    );
  }
  const worst = parts.reduce<{ type: SuspectType; weight: number }>(
    (most, part) => {
      const weight = part.deviation.weight * (1 - part.explained);
      return weight > most.weight ? { type: typeOf[part.kind], weight } : most;
    },
    { type: 'service_latency', weight: -1 },
  );
  return finding({ key: service, type: worst.type, layer: 'service', evidence });
}

/** A change, and why it counts less than its significance. */
function changeLines(part: Part, { service, deviation }: ServiceVerdict, ground: Ground): TypedEvidence[] {
  const { nameOf, sufferer } = ground.facts;
  const share = relevance(part.kind, deviation, ground);
  const others = part.explained > 0 ? behind(part) : [];
  const refs = [service, ...others].map((one) => `entity:service:${nameOf(one)}`);
  const change = changeOf(nameOf(service), part, deviation, ground);
  const lines = [weighedLine(serviceChange, part.deviation.weight * (1 - part.explained) * share, change, refs)];
  if (share < software.unlikeBelowShare && sufferer !== undefined)
    lines.push(weighedLine(movesUnlike, 0, { of: part.kind, service: nameOf(sufferer), share }));
  return lines;
}

const changeOf = (
  service: string,
  part: Part,
  deviation: ServiceDeviation,
  { facts, paths, supposed }: Ground,
): ParametersOf<typeof serviceChange> => ({
  service,
  of: part.kind,
  quantile: part.kind === 'latency' ? (deviation.meanOf ? `mean_${deviation.meanOf}` : deviation.latency) : null,
  before: part.deviation.before,
  after: part.deviation.after,
  neighbours: namesOf(behind(part).map((other) => facts.nameOf(other))),
  explained: part.explained,
  hasCallees: paths.callees(deviation.service).length > 0,
  areSupposed: supposed.has(deviation.service),
  byCallers: deviation.byCallers === 'all' || deviation.byCallers === part.kind,
});
