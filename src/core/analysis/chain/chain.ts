import type { ChainStep, CorrelateOptions } from '../../../model/incident/incident.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import type { EventFact } from '../../store/facts/reader.ts';
import { type Link, linkConfidence } from '../causality/causal-links.ts';
import type { Candidate } from '../ranking/candidates.ts';
import type { IncidentContext } from '../ranking/incident-context.ts';
import { ranking } from '../ranking/parameters.ts';
import { round } from '../statistics.ts';
import { harmBelief, linkBelief } from './chain-beliefs.ts';
import { chain } from './parameters.ts';

export interface Chain {
  readonly steps: readonly ChainStep[];
  readonly members: readonly Candidate[];
  readonly confidence: number;
}

/**
 * The events from a root cause to the impact: its effects that lead there, and later events that harm the service directly.
 * Unmapped events are included if a mechanism links them to the root cause.
 */
export function membersFrom(root: EventFact, candidates: readonly Candidate[], context: IncidentContext): Candidate[] {
  const explained = context.explainedBy(root);
  const { mechanisms } = context.input;
  // Repeats, from one or two data sources, are one step.
  const linkedEvents = new Set(context.links.events);
  const members = candidates.filter(({ event, relation }) => {
    if (event === root) return true;
    if (!linkedEvents.has(event)) return false;
    if (explained.has(event)) return context.path(event) >= chain.leastPath;
    if (event.severity === 3 || event.time_ns < root.time_ns || event.type === root.type) return false;
    if (relation === 'unmapped') return mechanisms.causesOf(event.type).some(({ cause }) => cause === root.type);
    return relation === 'mapped' && context.directHarm(event) >= ranking.leastHarm;
  });
  // Clock errors may put an effect before its root cause: the root cause is first in any case.
  const others = members.filter(({ event }) => event !== root).sort((a, b) => byTime(a.event, b.event));
  const ordered = [...members.filter(({ event }) => event === root), ...others];
  return ordered.length <= chain.readableEvents ? ordered : thinned(ordered, context);
}

/** A limited number of events per type: first effects of those already selected, to stay on the same machines, then the earliest. */
function thinned(members: readonly Candidate[], context: IncidentContext): Candidate[] {
  const types = [...Map.groupBy(members, ({ event }) => event.type).values()];
  const each = Math.max(1, Math.floor(chain.readableEvents / types.length));
  const chainEvents = new Set<EventFact>();
  for (const group of types) {
    const isLed = ({ event }: Candidate) => context.links.causesOf(event).some(({ cause }) => chainEvents.has(cause));
    const [led, others] = [group.filter(isLed), group.filter((one) => !isLed(one))];
    for (const { event } of [...led, ...others].slice(0, each)) chainEvents.add(event);
  }
  return members.filter(({ event }) => chainEvents.has(event));
}

/**
 * The cause of each member within the chain: of the causes by mechanisms, one that no other candidate brought about in turn
 * (a sag makes a PSU fail over, which makes a cap: the cap is not caused by the sag directly). Earlier causes come before later
 * ones, other entities before the same, then the strongest. A member without a mechanism is attributed to the root cause.
 */
function causesWithin(members: readonly Candidate[], context: IncidentContext): (EventFact | undefined)[] {
  const events = new Set(members.map(({ event }) => event));
  const parents = new Map<EventFact, EventFact>();
  const leadsTo = (from: EventFact, to: EventFact): boolean => {
    for (let at: EventFact | undefined = from; at; at = parents.get(at)) if (at === to) return true;
    return false;
  };
  const [root, ...others] = members.map(({ event }) => event);
  for (const event of others) {
    const links = context.links.causesOf(event).filter(({ cause }) => events.has(cause));
    const near = links.filter(
      (link) => !leadsTo(link.cause, event) && !links.some((one) => isStep(one, link, context)),
    );
    const parent = near.toSorted(byNearness)[0]?.cause ?? root;
    if (parent) parents.set(event, parent);
  }
  return members.map(({ event }) => parents.get(event));
}

function byNearness(a: Link, b: Link): number {
  const isAfter = ({ cause, effect }: Link) => Number(byTime(cause, effect) > 0);
  const isSame = ({ cause, effect }: Link) => Number(cause.type === effect.type);
  return (
    isAfter(a) - isAfter(b) ||
    isSame(a) - isSame(b) ||
    linkConfidence(b) - linkConfidence(a) ||
    byTime(a.cause, b.cause)
  );
}

/** Whether the nearer cause is a step between the farther one and its effect. */
function isStep(nearer: Link, farther: Link, context: IncidentContext): boolean {
  const { cause, effect } = farther;
  const middle = nearer.cause;
  if (middle.type === effect.type || !isBetween(middle, farther, context)) return false;
  const isInOrder = byTime(cause, middle) < 0 && byTime(middle, effect) < 0;
  return linkConfidence(nearer) >= (isInOrder ? chain.stepStrengthShare : 1) * linkConfidence(farther);
}

const byTime = (a: EventFact, b: EventFact): number => (a.time_ns < b.time_ns ? -1 : a.time_ns > b.time_ns ? 1 : 0);

/** Whether an effect of a cause may be a cause of its effect. */
const isBetween = (middle: EventFact, { cause, effect }: Link, { links }: IncidentContext): boolean =>
  middle !== cause &&
  links.causesOf(middle).some((link) => link.cause === cause) &&
  !links.causesOf(cause).some((link) => link.cause === middle) &&
  !links.causesOf(middle).some((link) => link.cause === effect);

/**
 * Scores the members and ends the chain in the degradation itself.
 * @param about `physical`: probability that the cause is a device, 0 to 1
 */
export function buildChain(
  members: readonly Candidate[],
  context: IncidentContext,
  { options, physical }: { readonly options: CorrelateOptions; readonly physical: number },
): Chain {
  const { window, service } = context.input;
  const causes = causesWithin(members, context);
  const harming = harmful(members, causes, context);
  const scores = members.map((member, i) => score(member, members[i - 1], options));
  const confidence = scores.length === 0 ? 0 : scores.reduce((sum, { value }) => sum + value, 0) / scores.length;
  const steps = members.map((member, i): ChainStep => {
    const previous = members[i - 1];
    return {
      event_id: member.event.original_id,
      timestamp: formatUtc(nanos(member.event.time_ns)),
      source: member.event.origin,
      type: member.event.type,
      device_id: member.event.device_id,
      caused_by: causes[i]?.original_id ?? null,
      confidence: previous ? round(scores[i]!.value, 3) : null,
      probability: rounded(linkBelief(causes[i], member.event, context)),
      lag_seconds: round(previous ? gapSeconds(previous, member) : member.lag_s, 3),
      indirect_causality: scores[i]!.indirect,
    };
  });
  steps.push({
    event_id: `trace_impact_${service}`,
    timestamp: formatUtc(nanos(window.onset_ns)),
    source: 'otel_traces',
    type: 'trace_degradation',
    device_id: service,
    caused_by: harming?.original_id ?? null,
    confidence: members.length === 0 ? null : round(confidence, 2),
    probability: rounded(harming ? harmBelief(members, context, physical) : null),
    lag_seconds: 0,
    indirect_causality: false,
  });
  return { steps, members, confidence: round(confidence, 2) };
}

/**
 * The member that did the harm: of those that harm the service directly and are not after the onset, the one furthest from the
 * root cause, then the most harmful, then the first. Without a known harm, the last one before the onset.
 */
function harmful(
  members: readonly Candidate[],
  causes: readonly (EventFact | undefined)[],
  context: IncidentContext,
): EventFact | undefined {
  const causeOf = new Map(members.map(({ event }, i) => [event, causes[i]]));
  const depth = (event: EventFact): number => {
    const cause = causeOf.get(event);
    return cause ? 1 + depth(cause) : 0;
  };
  const before = members.filter(({ event }) => context.afterOnset(event) === 0);
  const harming = before.filter(({ event }) => context.directHarm(event) >= ranking.leastHarm);
  const most = harming.toSorted(
    (a, b) => depth(b.event) - depth(a.event) || context.directHarm(b.event) - context.directHarm(a.event),
  )[0];
  return (most ?? before.at(-1) ?? members[0])?.event;
}

const rounded = (belief: number | null): number | null => (belief === null ? null : round(belief, 3));

interface Score {
  readonly value: number;
  readonly indirect: boolean;
}

const severityDeduction = ({ event }: Candidate): number =>
  [0, 0, chain.edgeMediumSeverity, chain.edgeLowSeverity][event.severity] ?? 0;

/** The edge-score model of the seed (DESIGN section 6), unchanged because people script against its figures. */
function score(member: Candidate, previous: Candidate | undefined, options: CorrelateOptions): Score {
  let value = chain.edgeBase - severityDeduction(member);
  let indirect = false;
  if (member.relation === 'unmapped') value -= chain.edgeUnmapped;
  if (member.relation === 'sibling') value -= chain.edgeOtherService;
  if (member.lag_s > chain.edgeFarSeconds) {
    value -= chain.edgeFar;
    indirect = true;
  } else value -= (Math.max(0, member.lag_s) / options.lag) * chain.edgeLag;
  const gap = previous ? gapSeconds(previous, member) : 0;
  if (gap > chain.edgeFarSeconds) {
    value -= chain.edgeFar;
    indirect = true;
  } else if (gap >= chain.edgeGapSeconds) value -= chain.edgeGap;
  return { value: Math.min(chain.edgeHighest, Math.max(chain.edgeLowest, value)), indirect };
}

const gapSeconds = (from: Candidate, to: Candidate): number => Number(to.event.time_ns - from.event.time_ns) / 1e9;
