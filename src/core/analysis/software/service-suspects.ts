import type { CallFact, Phases } from '../../store/reader.ts';
import type { Measurements } from '../measurement-table.ts';
import { type CallPaths, callPaths } from './call-paths.ts';
import { type Deviation, deviate, type LatencyField, type ServiceDeviation } from './deviation.ts';
import { type Finding, figure, finding, line, milliseconds, names, type SuspectType } from './suspect.ts';

/** What spans say of a service as a whole: which part of its trouble is its own. */
export interface OwnShare {
  /** Of the time that its requests took longer, the share spent in the service itself, 0 to 1; NaN: unknown. */
  readonly latency: number;
  /** Of the errors that came on top, the share that began in it; NaN: unknown. */
  readonly errors: number;
}

export interface ServiceFacts {
  readonly measurements: ReadonlyMap<number, Measurements>;
  readonly phases: Phases;
  readonly calls: readonly CallFact[];
  /** Services by the spans' account; empty without spans. */
  readonly own: ReadonlyMap<number, OwnShare>;
  /** Services whose callers got no answer any more. */
  readonly unreachable: ReadonlySet<number>;
  nameOf(service: number): string;
}

export interface ServiceVerdict {
  readonly service: number;
  readonly deviation: ServiceDeviation;
  /** The share of its trouble that services it calls (or is called by, for throughput) account for, 0 to 1. */
  readonly explained: number;
  readonly explainedBy: readonly number[];
}

/** A rise that weighs less explains nothing. */
const NOTABLE = 0.5;
/** That a callee is slow makes callers time out; that it fails makes them retry; that it is gone makes them do both. */
const TIMEOUTS = 0.7;
const RETRIES = 0.5;
const GONE = 0.9;
const SURE = 2;
/** Starved or flooded, a service is hardly the one to blame. */
const THROUGHPUT_MOST = 1;
const EXPLAINS_EACH = 0.5;
const EXPLAINS_MOST = 1.5;
/** Requests beyond a quantile: what share of calls must meet a callee for it to move that quantile. */
const TAIL: Readonly<Record<LatencyField, number>> = { p50: 0.5, p95: 0.05, p99: 0.01 };

/**
 * Which services do worse than their own baseline and cannot blame another. Latency and errors travel from a callee to its
 * callers, a loss or surge of requests from a caller to its callees; what such a neighbour accounts for is taken off.
 * Services that call each other in a circle are explained only by one of them that deviates more.
 */
export function serviceSuspects(facts: ServiceFacts): {
  readonly findings: Finding[];
  readonly verdicts: ReadonlyMap<number, ServiceVerdict>;
} {
  const deviations = new Map(
    [...facts.measurements.values()].map((measured) => [measured.service, deviate(measured, facts.phases)]),
  );
  const paths = callPaths(facts.calls, new Set(deviations.keys()));
  const ground: Ground = { facts, deviations, paths };
  const judged = [...deviations.values()].map((deviation) => judge(deviation, ground));
  const verdicts = new Map(judged.map(({ verdict }) => [verdict.service, verdict]));
  const findings = judged
    .map((one) => tell(one, ground, verdicts))
    .filter(({ weight, evidence }) => weight > 0 || evidence.length > 0);
  return { findings: findings.sort((a, b) => b.weight - a.weight || a.key - b.key), verdicts };
}

interface Ground {
  readonly facts: ServiceFacts;
  readonly deviations: ReadonlyMap<number, ServiceDeviation>;
  readonly paths: CallPaths;
}

interface Part {
  readonly kind: 'latency' | 'errors' | 'throughput';
  readonly deviation: Deviation;
  readonly explained: number;
  readonly by: readonly number[];
}

interface Judged {
  readonly verdict: ServiceVerdict;
  readonly parts: readonly Part[];
}

const latencyOf = ({ latencies, latency }: ServiceDeviation): Deviation | null =>
  latency === null ? null : (latencies[latency] ?? null);
const troubleOf = (deviation: ServiceDeviation | undefined): number =>
  deviation ? Math.max(latencyOf(deviation)?.weight ?? 0, deviation.errors?.weight ?? 0) : 0;

/** By how much, where certainty is the same: any order will do as long as it is one. */
function isWorse(a: ServiceDeviation, b: ServiceDeviation): boolean {
  const extent = (one: ServiceDeviation): number => {
    const latency = latencyOf(one);
    const errors = one.errors ? one.errors.after - one.errors.before : 0;
    return (latency ? Math.log(latency.after / latency.before) : 0) + Math.max(0, errors) / 10;
  };
  return extent(a) > extent(b) || (extent(a) === extent(b) && a.service < b.service);
}

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
      explainedBy: [...new Set(parts.filter((part) => part.explained >= 0.5).flatMap((part) => part.by))],
    },
  };
}

/** Callees that deviate and may be behind what their caller shows. */
function troubledCallees({ service }: ServiceDeviation, { deviations, paths, facts }: Ground): ServiceDeviation[] {
  return paths.callees(service).flatMap((callee) => {
    const other = deviations.get(callee);
    if (!other || !(troubleOf(other) >= NOTABLE || facts.unreachable.has(callee))) return [];
    return !paths.circular(service, callee) || isWorse(other, deviations.get(service) as ServiceDeviation)
      ? [other]
      : [];
  });
}

/** Calls of `callee` per request of `caller`; 1 when unknown. Its other callers are not told apart: then at most 1. */
function callsPerRequest(caller: ServiceDeviation, callee: ServiceDeviation, paths: CallPaths): number {
  const ratio = (callee.throughput?.after ?? Number.NaN) / (caller.throughput?.after ?? Number.NaN);
  if (!Number.isFinite(ratio)) return 1;
  return paths.callers(callee.service).length > 1 ? Math.min(1, ratio) : ratio;
}

function latencyPart(deviation: ServiceDeviation, ground: Ground): Part | null {
  const mine = latencyOf(deviation);
  if (!mine || mine.weight <= 0 || deviation.latency === null) return null;
  const field = deviation.latency;
  const callees = troubledCallees(deviation, ground);
  const gone = callees.some(({ service }) => ground.facts.unreachable.has(service));
  const own = ground.facts.own.get(deviation.service)?.latency ?? Number.NaN;
  let explained = 0;
  if (!Number.isNaN(own)) explained = gone ? Math.max(GONE, 1 - own) : 1 - own;
  else {
    for (const callee of callees) {
      const theirs = callee.latencies[field] ?? latencyOf(callee);
      const calls = callsPerRequest(deviation, callee, ground.paths);
      const reach = calls > 1 ? calls : Math.min(1, calls / TAIL[field]);
      if (theirs) explained += (Math.max(0, theirs.after - theirs.before) * reach) / (mine.after - mine.before);
      if ((callee.errors?.weight ?? 0) >= SURE) explained = Math.max(explained, RETRIES);
    }
    if (gone) explained = Math.max(explained, GONE);
  }
  const by = callees.map(({ service }) => service);
  return { kind: 'latency', deviation: mine, explained: Math.min(1, Math.max(0, explained)), by };
}

function errorPart(deviation: ServiceDeviation, ground: Ground): Part | null {
  const mine = deviation.errors;
  if (!mine || mine.weight <= 0) return null;
  const callees = troubledCallees(deviation, ground);
  const gone = callees.some(({ service }) => ground.facts.unreachable.has(service));
  const own = ground.facts.own.get(deviation.service)?.errors ?? Number.NaN;
  let explained = Number.isNaN(own) ? 0 : 1 - own;
  for (const callee of callees) {
    if (Number.isNaN(own) && callee.errors && callee.errors.weight > 0) {
      const calls = callsPerRequest(deviation, callee, ground.paths);
      explained += ((callee.errors.after - callee.errors.before) * calls) / (mine.after - mine.before);
    }
    // A caller that gives up on a slow callee fails by itself, as spans see it.
    if ((latencyOf(callee)?.weight ?? 0) >= SURE) explained = Math.max(explained, TIMEOUTS);
  }
  if (gone) explained = Math.max(explained, GONE);
  const by = callees.map(({ service }) => service);
  return { kind: 'errors', deviation: mine, explained: Math.min(1, Math.max(0, explained)), by };
}

/** A service that gets fewer requests is starved by its callers, or by its own slowness; never by what it calls. */
function throughputPart(deviation: ServiceDeviation, { deviations, paths }: Ground): Part | null {
  const mine = deviation.throughput;
  if (!mine || mine.weight <= 0) return null;
  const change = Math.log(mine.after / mine.before);
  const callers = paths.callers(deviation.service).flatMap((caller) => {
    const other = deviations.get(caller);
    if (!other) return [];
    const theirs = other.throughput ? Math.log(other.throughput.after / other.throughput.before) : 0;
    const moved = theirs * change > 0 ? Math.min(1, theirs / change) : 0;
    const failing = change < 0 && troubleOf(other) >= NOTABLE ? 1 : 0;
    return [{ caller, share: Math.max(Number.isNaN(moved) ? 1 : moved, failing) }];
  });
  const worst = callers.reduce((most, { share }) => Math.max(most, share), 0);
  const by = callers.filter(({ share }) => share >= 0.5).map(({ caller }) => caller);
  const own = change < 0 && troubleOf(deviation) >= NOTABLE ? 1 : 0;
  return {
    kind: 'throughput',
    deviation: { ...mine, weight: Math.min(THROUGHPUT_MOST, mine.weight) },
    explained: Math.max(worst, own),
    by,
  };
}

/** Services whose trouble is accounted for by this one, directly or through one that is. */
function explainedThrough(service: number, verdicts: ReadonlyMap<number, ServiceVerdict>): ServiceVerdict[] {
  const reached = new Set([service]);
  for (const cause of reached)
    for (const other of verdicts.values())
      if (other.explained >= 0.5 && other.explainedBy.includes(cause)) reached.add(other.service);
  return [...verdicts.values()].filter((other) => other.service !== service && reached.has(other.service));
}

const typeOf = { latency: 'service_latency', errors: 'service_errors', throughput: 'service_throughput' } as const;

function tell({ verdict, parts }: Judged, ground: Ground, verdicts: ReadonlyMap<number, ServiceVerdict>): Finding {
  const { service } = verdict;
  const name = ground.facts.nameOf(service);
  const evidence = parts.map((part) =>
    line(part.deviation.weight * (1 - part.explained), sentence(name, part, verdict.deviation, ground), [
      `entity:service:${name}`,
      ...(part.explained > 0 ? part.by.map((other) => `entity:service:${ground.facts.nameOf(other)}`) : []),
    ]),
  );
  const left = evidence.reduce((sum, { weight }) => sum + weight, 0);
  const effects = explainedThrough(service, verdicts);
  if ((left >= NOTABLE || ground.facts.unreachable.has(service)) && effects.length > 0) {
    const weight = Math.min(EXPLAINS_MOST, EXPLAINS_EACH * Math.log2(1 + effects.length));
    const whom = effects.map((other) => ground.facts.nameOf(other.service));
    evidence.push(
      line(
        weight,
        `accounts for what ${names(whom)} showed`,
        whom.slice(0, 3).map((other) => `entity:service:${other}`),
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

function sentence(name: string, part: Part, { service, latency }: ServiceDeviation, { facts, paths }: Ground): string {
  const { before, after } = part.deviation;
  const said = {
    latency: `${latency?.toUpperCase()} of ${name} rose from ${milliseconds(before)} to ${milliseconds(after)}`,
    errors: `errors of ${name} rose from ${figure(before)} to ${figure(after)} %`,
    throughput: `requests of ${name} ${after < before ? 'fell' : 'rose'} from ${figure(before)} to ${figure(after)} per second`,
  }[part.kind];
  const others = names(part.by.map((other) => facts.nameOf(other)));
  const share = `${Math.round(100 * part.explained)} %`;
  if (part.kind === 'throughput') {
    if (part.by.length > 0) return `${said}, as ${others}, which calls it, would make it`;
    return part.explained > 0
      ? `${said}, as its own trouble would make it`
      : `${said}; nothing that calls it tells why`;
  }
  if (part.explained >= 0.1 && part.by.length > 0)
    return `${said}; ${others}, which it calls, accounts for ${share} of it`;
  if (part.explained >= 0.1) return `${said}; ${share} of it passed in services that it calls`;
  return paths.callees(service).length > 0 ? `${said}; its callees do not account for it` : said;
}
