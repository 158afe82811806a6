import { isQualified } from '../../../model/telemetry/event-details.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import type { Background } from '../causality/background.ts';
import { CausalLinks, type Link, linkConfidence } from '../causality/causal-links.ts';
import { Coverage } from '../causality/coverage.ts';
import { isOfLinks, severityWeight } from '../causality/event-traits.ts';
import { mayBeginFrom, mayLast, openers } from '../causality/lasting-events.ts';
import type { Mechanisms } from '../causality/mechanisms.ts';
import type { Movements } from '../causality/movements.ts';
import type { TimeDoubts } from '../clocks/time-doubts.ts';
import type { ImpactWindow } from '../impact/impact.ts';
import { isUnseen } from '../impact/onset.ts';
import type { EntityGraph, Relation } from '../topology/entity-graph.ts';
import type { Candidate } from './candidates.ts';

/** Everything a ranking may look at. */
export interface RankingInput {
  readonly window: ImpactWindow;
  readonly service: string;
  readonly candidates: readonly Candidate[];
  /** Every event of the window, of other services' devices too. */
  readonly nearby: readonly EventFact[];
  readonly graph: EntityGraph;
  readonly mechanisms: Mechanisms;
  /** All impacts of the case, this one included: who else broke, and who did not. */
  readonly impacts: readonly ImpactWindow[];
  readonly measuredServices: readonly number[];
  readonly background: Background;
  /** An event this long after the first anomaly may still have opened the window, seconds. */
  readonly late_s: number;
  readonly doubts: TimeDoubts;
  /** What the machines' own numbers did meanwhile. */
  readonly movements: Movements;
}

/** How much of the harm done by something reaches a service, by how it lies to it. */
const reach: Readonly<Record<Relation, number>> = { mapped: 1, caller: 0.5, sibling: 0.3, unmapped: 0.1, other: 0 };
/** Records of polled things come late, and so does the harm when clocks or measurements are coarse, seconds. */
const LATE_S = 15;
/** An effect of an effect speaks for the first cause too, but each further step less surely. */
const FURTHER = 0.9;
const MOST_STEPS = 6;
const ELSEWHERE = 0.2;
const SURE_PATH = 0.3;
/** An effect that leads to the impact at least this surely continues what its cause began. */
const LEADS = 0.1;

/** A delay that may be nothing counts from this share of its longest. */
const LOG_SPAN = 30;

/** And that it is an effect at all is likelier than not. */
const LIKELY = 0.5;

/**
 * At this distance an event's time weighs nothing, neither for nor against (`timeLines`). Where nobody measured, what lasts may have
 * become trouble at any time, so that this is how far it is when it is as old as measurements leave open anyway (an hour). Older
 * it is further, as many times as it is older, for it may have been mended unseen: a judgement, no labelled incident is like that.
 */
export const NEITHER_NEAR_NOR_FAR_S = 30;

/** What a switch tells of several ports within this many seconds is one trouble. */
const SAME_TROUBLE_S = 30;

/** So many devices are everybody. */
const MANY = 50;

/** What harms a service less surely than this, or is reported as of no account, is no trouble that wants a cause. */
const HARMFUL = 0.15;
const LOW = 3;

/** A place tells of something of a kind about once an hour for reasons of its own: per second. */
const UNRELATED = 1 / 3600;

interface Harmful {
  readonly event: EventFact;
  readonly harm: number;
}

interface Elsewhere {
  readonly lag_s: readonly number[];
  readonly devices: readonly string[];
}

/** A situation with its causal links, and how strongly each event leads to the impact. */
export class IncidentContext {
  readonly input: RankingInput;
  readonly links: CausalLinks;
  /** Machines about which anything was recorded: of these it means something that they show nothing. */
  readonly watchedMachines: ReadonlySet<number>;
  private readonly coverage: Coverage;
  private readonly beliefs = new Map<Link, number>();
  private readonly paths = new Map<EventFact, number>();
  private readonly explained = new Map<EventFact, ReadonlyMap<EventFact, number>>();
  private readonly ports = new Map<EventFact, number>();
  private readonly counts = new Map<string, Map<number, number>>();
  private readonly others = new Map<string, Elsewhere>();
  private harms: readonly Harmful[] | undefined;
  private eventsByType: ReadonlyMap<string, readonly EventFact[]> | undefined;
  private byType: ReadonlyMap<string, readonly EventFact[]> | undefined;

  constructor(input: RankingInput) {
    this.input = input;
    this.watchedMachines = input.graph.machines(input.background.isWatched);
    const { graph, nearby, candidates } = input;
    // What shares a source with a candidate tells whether the source is to blame.
    // So does what was over afterwards: what came back had been gone.
    const ended = nearby.filter((event) => openers.has(event.type) && this.relationOf(event) === 'mapped');
    const candidateEntities = new Set([
      ...candidates.map(({ event }) => event.entity),
      ...ended.map(({ entity }) => entity),
    ]);
    const sources = new Set([...candidateEntities].flatMap((entity) => [...graph.above(entity)]));
    const places = new Set([...sources].flatMap((source) => [...graph.below(source)]));
    const candidateEvents = new Set(candidates.map(({ event }) => event));
    this.links = new CausalLinks(
      nearby.filter((event) => candidateEvents.has(event) || places.has(event.entity)),
      graph,
      input,
    );
    this.coverage = new Coverage(this.links, { graph, watchedMachines: this.watchedMachines });
  }

  relationOf = (event: EventFact): Relation => this.input.graph.relation(event.entity, this.input.window.service);

  /** Seconds from an event to the onset; negative when it came after. */
  lagOf = (event: EventFact): number => Number(this.input.window.onset_ns - event.time_ns) / 1e9;

  /** Seconds that an event came before the trouble may have begun at least, whatever the clocks. */
  beforeOnset(event: EventFact): number {
    const { window } = this.input;
    const least = Math.max(0, Number(window.causes_from_ns - event.time_ns - event.clock_uncertainty_ns) / 1e9);
    if (!isUnseen(window) || !mayLast(event)) return least;
    const age = Number(window.onset_ns - event.time_ns) / Number(window.onset_ns - window.causes_from_ns);
    return Math.min(least, NEITHER_NEAR_NOR_FAR_S * age);
  }

  /** Seconds that an event came after the first anomaly at least, whatever the clocks and however late it is usually told. */
  afterOnset(event: EventFact): number {
    const { doubts, mechanisms } = this.input;
    const after = -this.lagOf(event) - Number(event.clock_uncertainty_ns) / 1e9;
    return Math.max(0, after - doubts.seenLate_s(event) - mechanisms.maxReportDelay_s(event.type));
  }

  /** As {@link beforeOnset} of the last thing that an event brought about on its way to the impact. */
  gap(event: EventFact): number {
    let least = this.beforeOnset(event);
    for (const [effect, strength] of this.explainedBy(event))
      if (strength >= LIKELY && effect.time_ns >= event.time_ns && this.path(effect) >= LEADS)
        least = Math.min(least, this.beforeOnset(effect));
    return least;
  }

  /** How surely an event harms the service by itself, 0 to 1. */
  directHarm(event: EventFact): number {
    const harm = this.input.mechanisms.harmOf(event.type);
    if (!harm) return 0;
    const { window } = this.input;
    const slack = Number(event.clock_uncertainty_ns) / 1e9;
    const latest = this.lagOf(event) + this.input.doubts.seenLate_s(event);
    const earliest = Math.min(this.lagOf(event), Number(mayBeginFrom(event, window) - event.time_ns) / 1e9);
    const [least, most] = harm.delay_s;
    const miss = Math.max(0, earliest - most - slack, least - slack - latest);
    const sure = harm.strength * severityWeight(event) * this.breadth(event);
    return sure * reach[this.relationOf(event)] * Math.exp(-miss / LATE_S);
  }

  /**
   * How much of what hangs on a thing an event is about, 0 to 1: of a switch's links, those that it told of (IF-MIB's traps are
   * each of one port).
   */
  breadth(event: EventFact): number {
    const { graph } = this.input;
    if (!isOfLinks(event) || graph.node(event.entity)?.kind !== 'switch' || isQualified(event, 'several_ports'))
      return 1;
    return Math.min(1, this.portsOf(event) / Math.max(1, graph.directlyBelow(event.entity).length));
  }

  /** Of how many ports a switch told at about the same time. */
  private portsOf(event: EventFact): number {
    const known = this.ports.get(event);
    if (known !== undefined) return known;
    const told = this.ofType(event.type).filter(
      (one) => one.entity === event.entity && Math.abs(Number(one.time_ns - event.time_ns)) / 1e9 <= SAME_TROUBLE_S,
    );
    const ports = new Set(told.map(({ message }) => message)).size;
    this.ports.set(event, ports);
    return ports;
  }

  /** How surely an event leads to the impact, by itself or by what it brings about, 0 to 1. */
  path(event: EventFact, steps = MOST_STEPS): number {
    const known = this.paths.get(event);
    if (known !== undefined) return known;
    const direct = this.directHarm(event);
    if (steps === 0) return direct;
    // Clock doubts can close a circle; the second time round an event only counts for itself.
    this.paths.set(event, direct);
    let spared = 1 - direct;
    for (const link of this.links.effectsOf(event))
      spared *= 1 - FURTHER * this.sureness(link) * this.belief(link) * this.path(link.effect, steps - 1);
    const total = 1 - spared;
    this.paths.set(event, total);
    return total;
  }

  /** How much an effect has to do with the impact, 0 to 1: what happens elsewhere proves less. */
  relevance(event: EventFact): number {
    return ELSEWHERE + (1 - ELSEWHERE) * Math.min(1, this.path(event) / SURE_PATH);
  }

  /**
   * How surely a cause brought an effect about, 0 to 1, now that both are recorded: by how surely it does so and how likely the
   * time between them is, against the others that may have, and against something of its own that happened there just then
   * (Bayes' rule), as far as it shows on what else hangs on the cause. What is itself a step from one cause to the effect is no rival.
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
    const likely = own / rivals.reduce((sum, one) => sum + this.density(one), own + UNRELATED);
    const belief = likely * this.coverage.of(link);
    this.beliefs.set(link, belief);
    return belief;
  }

  private sureness(link: Link): number {
    const share = link.mechanism.relation === 'same' ? 1 : this.breadth(link.cause);
    return share * linkConfidence(link);
  }

  /** Chance per second of the effect, so long after the cause: delays are spread evenly over the logarithm of their range. */
  private density(link: Link): number {
    const { cause, effect, mechanism } = link;
    const [least, most] = mechanism.delay_s;
    const shortest = Math.max(least, most / LOG_SPAN, 0.01);
    const { seenLate_s } = this.input.doubts;
    const clocks = cause.source_id === effect.source_id ? 0n : cause.clock_uncertainty_ns + effect.clock_uncertainty_ns;
    const blur = Number(clocks) / 1e9 + seenLate_s(cause) + seenLate_s(effect);
    const delay = Math.abs(Number(effect.time_ns - cause.time_ns)) / 1e9;
    return this.sureness(link) / Math.max(shortest, blur, delay) / Math.log(Math.max(2, most / shortest));
  }

  /** What an event explains, directly and through what it explains, with how surely. */
  explainedBy(event: EventFact): ReadonlyMap<EventFact, number> {
    const known = this.explained.get(event);
    if (known) return known;
    const found = this.reachedFrom(event, (cause) => this.links.effectsOf(cause).map((link) => [link.effect, link]));
    this.explained.set(event, found);
    return found;
  }

  /** What explains an event, directly or by steps, with how surely. */
  explainersOf = (event: EventFact): ReadonlyMap<EventFact, number> =>
    this.reachedFrom(event, (effect) => this.links.causesOf(effect).map((link) => [link.cause, link]));

  private reachedFrom(
    event: EventFact,
    linked: (from: EventFact) => readonly (readonly [to: EventFact, link: Link])[],
  ): ReadonlyMap<EventFact, number> {
    const found = new Map<EventFact, number>();
    let frontier: [EventFact, number][] = [[event, 1]];
    for (let step = 0; step < MOST_STEPS && frontier.length > 0; step++) {
      const next: [EventFact, number][] = [];
      for (const [from, strength] of frontier)
        for (const [to, link] of linked(from)) {
          if (to === event || found.has(to)) continue;
          const reached = strength * this.belief(link) * this.shareOf(link);
          found.set(to, reached);
          next.push([to, reached]);
        }
      frontier = next;
    }
    return found;
  }

  /** One port takes down one other end: which of those that it may be is left open. */
  private shareOf({ cause, mechanism }: Link): number {
    if (mechanism.relation === 'same' || this.breadth(cause) === 1) return 1;
    const ends = this.links.effectsOf(cause).filter((one) => one.mechanism.relation !== 'same');
    return Math.min(1, this.portsOf(cause) / new Set(ends.map(({ effect }) => effect.entity)).size);
  }

  /** Events on what the service runs on that harm it by themselves, each with how surely. */
  harmful(): readonly Harmful[] {
    this.harms ??= this.input.candidates
      .filter(({ relation, event }) => relation === 'mapped' && event.severity < LOW)
      .map(({ event }) => ({ event, harm: this.directHarm(event) }))
      .filter(({ harm }) => harm >= HARMFUL);
    return this.harms;
  }

  /** Events of a type around here, in order of time. */
  ofType(type: string): readonly EventFact[] {
    this.byType ??= Map.groupBy(this.input.nearby, (event) => event.type);
    return this.byType.get(type) ?? [];
  }

  /** Those among them that share a source with a candidate, each told once. */
  eventsOfType(type: string): readonly EventFact[] {
    this.eventsByType ??= Map.groupBy(this.links.events, (event) => event.type);
    return this.eventsByType.get(type) ?? [];
  }

  /** How many events of a type were recorded on an entity around here. */
  timesOn(type: string, entity: number): number {
    let counts = this.counts.get(type);
    if (!counts) {
      counts = new Map();
      for (const event of this.ofType(type)) counts.set(event.entity, (counts.get(event.entity) ?? 0) + 1);
      this.counts.set(type, counts);
    }
    return counts.get(entity) ?? 0;
  }

  /** How many devices that the service does not use reported a type within so many seconds of a time; of many, some. */
  elsewhere(type: string, time_ns: bigint, within_s: number): number {
    let others = this.others.get(type);
    if (!others) {
      const events = this.ofType(type).filter((event) => this.relationOf(event) === 'other');
      others = { lag_s: events.map(this.lagOf), devices: events.map(({ device_id }) => device_id) };
      this.others.set(type, others);
    }
    const lag = Number(this.input.window.onset_ns - time_ns) / 1e9;
    const devices = new Set<string>();
    // Lags fall as time goes on.
    for (let i = firstBelow(others.lag_s, lag + within_s); i < others.lag_s.length; i++) {
      if (others.lag_s[i]! < lag - within_s || devices.size >= MANY) break;
      devices.add(others.devices[i]!);
    }
    return devices.size;
  }
}

/** Place of the first of falling values that is no more than `most`. */
function firstBelow(falling: readonly number[], most: number): number {
  let [low, high] = [0, falling.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (falling[middle]! > most) low = middle + 1;
    else high = middle;
  }
  return low;
}
