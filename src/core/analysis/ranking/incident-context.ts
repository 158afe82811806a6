import type { Layer } from '../../../model/entity.ts';
import { isQualified } from '../../../model/telemetry/event-details.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import type { Background } from '../causality/background.ts';
import { CausalLinks, type Link, linkConfidence } from '../causality/causal-links.ts';
import { Coverage } from '../causality/coverage.ts';
import { isOfLinks, severityWeight } from '../causality/event-traits.ts';
import { harmWithHidden } from '../causality/hidden-harm.ts';
import { mayBeginFrom, mayLast, openers } from '../causality/lasting-events.ts';
import type { Harm, Mechanisms } from '../causality/mechanisms.ts';
import type { Movements } from '../causality/movements.ts';
import { causality } from '../causality/parameters.ts';
import { clocksApart_s } from '../clocks/clocks-apart.ts';
import type { TimeDoubts } from '../clocks/time-doubts.ts';
import type { ImpactWindow } from '../impact/impact.ts';
import { isUnseen } from '../impact/onset.ts';
import type { ServingCondition } from '../serving/condition.ts';
import type { EntityGraph } from '../topology/entity-graph.ts';
import { failedSupplies, isOfSoleSupply, leavesNoSupply } from '../topology/sole-supply.ts';
import type { Candidate } from './candidates.ts';
import { type ImpactRelation, missingUnder, relationFinder, siteShareFinder } from './impacted-services.ts';
import { ranking } from './parameters.ts';

/** Input of a ranking. */
export interface RankingInput {
  readonly window: ImpactWindow;
  readonly service: string;
  readonly candidates: readonly Candidate[];
  /** Every event of the window, including devices of other services. */
  readonly nearby: readonly EventFact[];
  readonly graph: EntityGraph;
  readonly mechanisms: Mechanisms;
  /** All impacts of the case, including this one. */
  readonly impacts: readonly ImpactWindow[];
  readonly measuredServices: readonly number[];
  readonly background: Background;
  /** An event this long after the first anomaly may still have opened the window, seconds. */
  readonly late_s: number;
  readonly doubts: TimeDoubts;
  /** What changed in the serving of models at the onset, strongest first. */
  readonly conditions: readonly ServingCondition[];
  /** Metric changes of the machines during the impact. */
  readonly movements: Movements;
}

const LOW = 3;

/** An event with the probability that it harms the service directly, 0 to 1. */
export interface Harmful {
  readonly event: EventFact;
  readonly harm: number;
}

interface Elsewhere {
  readonly lag_s: readonly number[];
  readonly devices: readonly string[];
}

/** Input of a ranking with its causal links and path probabilities. */
export class IncidentContext {
  readonly input: RankingInput;
  readonly links: CausalLinks;
  /** Machines with any recorded data: only their lack of events is evidence. */
  readonly watchedMachines: ReadonlySet<number>;
  private readonly relate: (entity: number) => ImpactRelation;
  /** How probable it is that a service of unknown place is behind an entity, 0 to 1. */
  readonly siteShare: (entity: number) => number;
  private readonly coverage: Coverage;
  private readonly beliefs = new Map<Link, number>();
  private readonly paths = new Map<EventFact, number>();
  private readonly explained = new Map<EventFact, ReadonlyMap<EventFact, number>>();
  private readonly ports = new Map<EventFact, number>();
  private readonly byEntity = new Map<string, ReadonlyMap<number, readonly EventFact[]>>();
  private readonly ends = new Map<EventFact, number>();
  private readonly others = new Map<string, Elsewhere>();
  private readonly harmByType = new Map<string, Harm | undefined>();
  /** Layers under the service without recordings. */
  private missing: ReadonlySet<Layer> | undefined;
  private harms: readonly Harmful[] | undefined;
  private eventsByType: ReadonlyMap<string, readonly EventFact[]> | undefined;
  private byType: ReadonlyMap<string, readonly EventFact[]> | undefined;
  private readonly computed = new Map<(context: IncidentContext) => unknown, unknown>();

  constructor(input: RankingInput) {
    this.input = input;
    this.relate = relationFinder(input);
    this.siteShare = siteShareFinder(input);
    this.watchedMachines = input.graph.machines(input.background.isWatched);
    const { graph, nearby, candidates } = input;
    // Entities with the same supply as a candidate show whether the supply is the cause.
    // So do later recoveries: they imply an earlier loss.
    const ended = nearby.filter((event) => openers.has(event.type) && this.relationOf(event) === 'mapped');
    const sources = new Set<number>();
    for (const { entity } of [...candidates.map(({ event }) => event), ...ended])
      for (const source of graph.above(entity)) sources.add(source);
    const places = new Set<number>();
    for (const source of sources) for (const place of graph.below(source)) places.add(place);
    const candidateEvents = new Set(candidates.map(({ event }) => event));
    const suspected = new Set(candidates.map(({ event }) => event.entity));
    // What befalls the pods of a machine, whatever their service, is an effect of what the machine reported.
    const isCarried = (entity: number): boolean =>
      graph.isSoftware(entity) && graph.machinesOf(entity).some((machine) => suspected.has(machine));
    this.links = new CausalLinks(
      nearby.filter((event) => candidateEvents.has(event) || places.has(event.entity) || isCarried(event.entity)),
      graph,
      input,
    );
    this.coverage = new Coverage(this.links, { graph, watchedMachines: this.watchedMachines });
  }

  /** A value that the evidence of every suspect needs, computed for the first of them. */
  once<T>(compute: (context: IncidentContext) => T): T {
    if (!this.computed.has(compute)) this.computed.set(compute, compute(this));
    return this.computed.get(compute) as T;
  }

  relationOf = ({ entity }: Pick<EventFact, 'entity'>): ImpactRelation => this.relate(entity);

  /** Seconds from an event to the onset; negative when it came after. */
  lagOf = (event: EventFact): number => Number(this.input.window.onset_ns - event.time_ns) / 1e9;

  /**
   * Least time from an event to the earliest onset, whatever the clock errors, seconds. Without measurements a lasting fault may
   * have become an impact at any time, so an event as old as the measurement gap (an hour) is at the neutral distance. Older
   * events are proportionally further, because they may have been repaired unseen: by judgement, no labelled incident is like
   * that.
   */
  beforeOnset(event: EventFact): number {
    const { window } = this.input;
    const least = Math.max(0, Number(window.causes_from_ns - event.time_ns - event.clock_uncertainty_ns) / 1e9);
    if (!isUnseen(window) || !mayLast(event)) return least;
    const age = Number(window.onset_ns - event.time_ns) / Number(window.onset_ns - window.causes_from_ns);
    return Math.min(least, ranking.neutralSeconds * age);
  }

  /** Least time from the first anomaly to an event, whatever the clock errors and reporting delay, seconds. */
  afterOnset(event: EventFact): number {
    const { doubts, mechanisms } = this.input;
    const after = -this.lagOf(event) - Number(event.clock_uncertainty_ns) / 1e9;
    return Math.max(0, after - doubts.seenLate_s(event) - mechanisms.maxReportDelay_s(event.type));
  }

  /** As {@link beforeOnset} of its last effect on the path to the impact. */
  gap(event: EventFact): number {
    let least = this.beforeOnset(event);
    for (const [effect, strength] of this.explainedBy(event))
      if (
        strength >= ranking.likelyBelief &&
        effect.time_ns >= event.time_ns &&
        this.path(effect) >= ranking.leadingPath
      )
        least = Math.min(least, this.beforeOnset(effect));
    return least;
  }

  /** With what it does by effects that nobody recorded. */
  harmOf(type: string): Harm | undefined {
    if (!this.harmByType.has(type)) {
      this.missing ??= new Set(missingUnder(this.input, this.input.background.recordedLayers));
      this.harmByType.set(type, harmWithHidden(type, this.input.mechanisms, this.missing));
    }
    return this.harmByType.get(type);
  }

  /** Probability that an event harms the service directly, 0 to 1. */
  directHarm(event: EventFact): number {
    const harm = this.harmOf(event.type);
    if (!harm) return 0;
    const { window, graph } = this.input;
    const slack = Number(event.clock_uncertainty_ns) / 1e9;
    const latest = this.lagOf(event) + this.input.doubts.seenLate_s(event);
    const earliest = Math.min(this.lagOf(event), Number(mayBeginFrom(event, window) - event.time_ns) / 1e9);
    const [least, most] = harm.delay_s;
    const miss = Math.max(0, earliest - most - slack, least - slack - latest);
    const isWithout = isOfSoleSupply(event, graph) || leavesNoSupply(event, this.once(failures), graph);
    const strength = isWithout ? ranking.soleSupplyHarm : harm.strength;
    const sure = strength * severityWeight(event) * this.breadth(event);
    const reach = Math.max(reachOf(this.relationOf(event)), this.siteShare(event.entity));
    return sure * reach * Math.exp(-miss / ranking.harmDecaySeconds);
  }

  /**
   * Share of an entity's dependents that an event concerns, 0 to 1: of a switch, the links that it reported (each trap of IF-MIB
   * is about one port).
   */
  breadth(event: EventFact): number {
    const { graph } = this.input;
    if (!isOfLinks(event) || graph.node(event.entity)?.kind !== 'switch' || isQualified(event, 'several_ports'))
      return 1;
    return Math.min(1, this.portsOf(event) / Math.max(1, graph.directlyBelow(event.entity).length));
  }

  /** Number of ports that a switch reported at about the same time. */
  private portsOf(event: EventFact): number {
    const known = this.ports.get(event);
    if (known !== undefined) return known;
    const reported = (this.onEntity(event.type).get(event.entity) ?? []).filter(
      (one) => Math.abs(Number(one.time_ns - event.time_ns)) / 1e9 <= causality.repeatSeconds,
    );
    const ports = new Set(reported.map(({ message }) => message)).size;
    this.ports.set(event, ports);
    return ports;
  }

  /** Probability that an event leads to the impact, directly or through its effects, 0 to 1. */
  path(event: EventFact, steps = ranking.mostSteps): number {
    const known = this.paths.get(event);
    if (known !== undefined) return known;
    const direct = this.directHarm(event);
    if (steps === 0) return direct;
    // Clock uncertainty can close a cycle; on its second visit an event counts only directly.
    this.paths.set(event, direct);
    let spared = 1 - direct;
    for (const link of this.links.effectsOf(event))
      spared *= 1 - ranking.stepFactor * this.sureness(link) * this.belief(link) * this.path(link.effect, steps - 1);
    const total = 1 - spared;
    this.paths.set(event, total);
    return total;
  }

  /** Relevance of an effect to the impact, 0 to 1: effects elsewhere count less. */
  relevance(event: EventFact): number {
    return (
      ranking.elsewhereRelevance + (1 - ranking.elsewhereRelevance) * Math.min(1, this.path(event) / ranking.surePath)
    );
  }

  /**
   * Link belief, 0 to 1, after both events are recorded (Bayes' rule): strength of the mechanism and likelihood of the delay,
   * against the other possible causes and the background rate of the effect, corrected by how many other dependents of the
   * cause show the effect. An intermediate step between cause and effect is no rival.
   */
  belief(link: Link): number {
    const known = this.beliefs.get(link);
    if (known !== undefined) return known;
    const { cause, effect } = link;
    const isStep = (a: EventFact, b: EventFact) => this.links.causesOf(a).some((one) => one.cause === b);
    const rivals = this.links
      .causesOf(effect)
      .filter((one) => one.cause !== cause && !isStep(one.cause, cause) && !isStep(cause, one.cause));
    const own = this.density(link);
    const likely = own / rivals.reduce((sum, one) => sum + this.density(one), own + ranking.unrelatedPerHour / 3600);
    const belief = likely * this.coverage.of(link);
    this.beliefs.set(link, belief);
    return belief;
  }

  private sureness(link: Link): number {
    const share = link.mechanism.relation === 'same' ? 1 : this.breadth(link.cause);
    return share * linkConfidence(link);
  }

  /** Probability density of a delay, per second: log-uniform over the delay range. */
  private density(link: Link): number {
    const { cause, effect, mechanism } = link;
    const [least, most] = mechanism.delay_s;
    const shortest = Math.max(least, most / causality.delaySpan, ranking.shortestDelaySeconds);
    const { seenLate_s } = this.input.doubts;
    const blur = clocksApart_s(cause, effect) + seenLate_s(cause) + seenLate_s(effect);
    const delay = Math.abs(Number(effect.time_ns - cause.time_ns)) / 1e9;
    return this.sureness(link) / Math.max(shortest, blur, delay) / Math.log(Math.max(2, most / shortest));
  }

  /** Effects of an event, direct and indirect, with their probability. */
  explainedBy(event: EventFact): ReadonlyMap<EventFact, number> {
    const known = this.explained.get(event);
    if (known) return known;
    const found = this.reachedFrom(event, this.links.effectsOf, ({ effect }) => effect);
    this.explained.set(event, found);
    return found;
  }

  /** Causes of an event, direct and indirect, with their probability. */
  explainersOf = (event: EventFact): ReadonlyMap<EventFact, number> =>
    this.reachedFrom(event, this.links.causesOf, ({ cause }) => cause);

  private reachedFrom(
    event: EventFact,
    linksOf: (from: EventFact) => readonly Link[],
    endOf: (link: Link) => EventFact,
  ): ReadonlyMap<EventFact, number> {
    const found = new Map<EventFact, number>();
    let frontier: [EventFact, number][] = [[event, 1]];
    for (let step = 0; step < ranking.mostSteps && frontier.length > 0; step++) {
      const next: [EventFact, number][] = [];
      for (const [from, strength] of frontier)
        for (const link of linksOf(from)) {
          const to = endOf(link);
          if (to === event || found.has(to)) continue;
          const reached = strength * this.belief(link) * this.shareOf(link);
          found.set(to, reached);
          next.push([to, reached]);
        }
      frontier = next;
    }
    return found;
  }

  /** A port takes down one other end; its candidates share the probability. */
  private shareOf({ cause, mechanism }: Link): number {
    if (mechanism.relation === 'same' || this.breadth(cause) === 1) return 1;
    return Math.min(1, this.portsOf(cause) / this.endsOf(cause));
  }

  /** Entities with effects of an event elsewhere. */
  private endsOf(cause: EventFact): number {
    const known = this.ends.get(cause);
    if (known !== undefined) return known;
    const elsewhere = this.links.effectsOf(cause).filter(({ mechanism }) => mechanism.relation !== 'same');
    const ends = new Set(elsewhere.map(({ effect }) => effect.entity)).size;
    this.ends.set(cause, ends);
    return ends;
  }

  /** Events on the infrastructure of the service that harm it directly, each with its probability. */
  harmful(): readonly Harmful[] {
    this.harms ??= this.input.candidates
      .filter(({ relation, event }) => relation === 'mapped' && event.severity < LOW)
      .map(({ event }) => ({ event, harm: this.directHarm(event) }))
      .filter(({ harm }) => harm >= ranking.leastHarm);
    return this.harms;
  }

  /** Events of a type around here, in order of time. */
  ofType(type: string): readonly EventFact[] {
    this.byType ??= Map.groupBy(this.input.nearby, (event) => event.type);
    return this.byType.get(type) ?? [];
  }

  /** Those of them that share a supply with a candidate, without repeats. */
  eventsOfType(type: string): readonly EventFact[] {
    this.eventsByType ??= Map.groupBy(this.links.events, (event) => event.type);
    return this.eventsByType.get(type) ?? [];
  }

  /** How many events of a type were recorded on an entity around here. */
  timesOn(type: string, entity: number): number {
    const all = this.onEntity(type).get(entity) ?? [];
    return all.filter((event) => this.lagOf(event) <= ranking.aroundSeconds).length;
  }

  /** Events of a type around here, by entity. */
  private onEntity(type: string): ReadonlyMap<number, readonly EventFact[]> {
    const known = this.byEntity.get(type) ?? Map.groupBy(this.ofType(type), ({ entity }) => entity);
    this.byEntity.set(type, known);
    return known;
  }

  /** Devices outside the service that reported a type near a time; capped. */
  elsewhere(type: string, time_ns: bigint, within_s: number): number {
    let others = this.others.get(type);
    if (!others) {
      const events = this.ofType(type).filter((event) => this.relationOf(event) === 'other');
      others = { lag_s: events.map(this.lagOf), devices: events.map(({ device_id }) => device_id) };
      this.others.set(type, others);
    }
    const lag = Number(this.input.window.onset_ns - time_ns) / 1e9;
    const devices = new Set<string>();
    // Lags are descending in time order.
    for (let i = firstBelow(others.lag_s, lag + within_s); i < others.lag_s.length; i++) {
      if (others.lag_s[i]! < lag - within_s || devices.size >= ranking.mostOccurrences) break;
      devices.add(others.devices[i]!);
    }
    return devices.size;
  }
}

const failures = (context: IncidentContext): ReadonlyMap<number, readonly EventFact[]> =>
  failedSupplies(context.ofType('psu_failure'), context.input.graph);

/** Share of the harm of an entity that reaches the service, by their relation, 0 to 1. */
const reachOf = (relation: ImpactRelation): number =>
  ({
    mapped: 1,
    caller: ranking.callerReach,
    sibling: ranking.siblingReach,
    together: ranking.togetherReach,
    unmapped: ranking.unmappedReach,
    other: 0,
  })[relation];

/** Index of the first value of a descending list that is at most `most`. */
function firstBelow(falling: readonly number[], most: number): number {
  let [low, high] = [0, falling.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (falling[middle]! > most) low = middle + 1;
    else high = middle;
  }
  return low;
}
