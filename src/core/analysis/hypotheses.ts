import { entityKey, type Layer, layers, severities } from '../../model/entity.ts';
import type { Evidence, Hypothesis } from '../../model/incident.ts';
import type { EventFact } from '../store/reader.ts';
import type { Candidate } from './candidates.ts';
import type { EntityGraph } from './entity-graph.ts';
import type { ImpactWindow } from './impact.ts';
import type { Mechanisms } from './mechanisms.ts';
import { round } from './statistics.ts';

/** Everything a ranking may look at. */
export interface Situation {
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
  readonly recordedLayers: ReadonlySet<Layer>;
  readonly eventsInCase: number;
}

interface Scored {
  readonly candidate: Candidate | null;
  readonly subject: Hypothesis['subject'];
  readonly type: string;
  readonly evidence: Evidence[];
}

/**
 * Weights in natural log-odds. They are a first judgement, not yet fitted: the calibrated correlator replaces them
 * and keeps the shape. A hypothesis starts at its prior; evidence adds; a softmax makes them exclusive.
 */
const PRIOR = { event: -1, noCause: 0, insufficient: -1.5, unobserved: -1 } as const;
const SEVERITY = [1, 0.5, 0, -1] as const;
const EXPLAINED = 0.8;
const EXPLAINED_MOST = 3;
const CAUSED = 1.5;
const NEAR = 0.6;
const NEAR_SECONDS = 30;
const LISTED = 10;

/** Possible root causes of one impact, most probable first; probabilities sum to one before the list is cut. */
export function rankHypotheses(situation: Situation): {
  readonly hypotheses: Hypothesis[];
  readonly root: Candidate | null;
} {
  const scored = [
    ...mergeRepeats(situation.candidates).map((candidate) => scoreEvent(candidate, situation)),
    ...unobservedSources(situation),
    noPhysicalCause(situation),
    notEnough(situation),
  ];
  const odds = scored.map(({ evidence }) => Math.exp(evidence.reduce((sum, { weight }) => sum + weight, 0)));
  const total = odds.reduce((sum, value) => sum + value, 0);
  const ranked = scored
    .map((hypothesis, i) => ({ ...hypothesis, probability: (odds[i] as number) / total }))
    .sort((a, b) => b.probability - a.probability);
  return {
    hypotheses: ranked.slice(0, LISTED).map(({ candidate, subject, type, evidence, probability }, i) => ({
      rank: i + 1,
      probability: round(probability, 4),
      subject,
      event_id: candidate?.event.original_id ?? null,
      type,
      metric: null,
      evidence,
    })),
    root: ranked.find(({ candidate }) => candidate)?.candidate ?? null,
  };
}

/** A device that reports one thing many times is one suspect: its first report stands for all. */
function mergeRepeats(candidates: readonly Candidate[]): Candidate[] {
  const seen = new Set<string>();
  return candidates.filter(({ event }) => {
    const key = `${event.entity} ${event.device_id} ${event.type}`;
    return !seen.has(key) && seen.add(key);
  });
}

const ref = (candidate: Candidate): string => `event:${candidate.event.event_id}`;
const evidence = (weight: number, text: string, refs: readonly string[] = []): Evidence => ({
  sign: weight > 0 ? 'for' : weight < 0 ? 'against' : 'neutral',
  weight: round(weight, 3),
  text,
  refs: [...refs],
});
const seconds = (value: number): string => `${round(Math.abs(value), 1)} s`;

function scoreEvent(candidate: Candidate, situation: Situation): Scored {
  const { event } = candidate;
  const node = situation.graph.node(event.entity);
  const lines = [
    evidence(PRIOR.event, 'any single event is rarely the root cause (prior)'),
    evidence(SEVERITY[event.severity] ?? 0, `reported as ${severities[event.severity] ?? 'unknown severity'}`, [
      ref(candidate),
    ]),
    ...typeEvidence(candidate, situation),
    ...effectEvidence(candidate, situation),
    ...causeEvidence(candidate, situation),
    timing(candidate),
    ...relationEvidence(candidate, situation),
    ...contrast(candidate, situation),
  ];
  return {
    candidate,
    type: event.type,
    evidence: lines.filter(({ weight }, i) => weight !== 0 || i === 0),
    subject: { kind: node?.kind ?? 'device', id: event.device_id },
  };
}

function typeEvidence({ event }: Candidate, { mechanisms }: Situation): Evidence[] {
  const weight = mechanisms.rootWeight(event.type);
  if (weight === 0) return [];
  const known = weight > 0 ? 'is known to start incidents' : 'is usually an effect of something else';
  return [evidence(weight, `${event.type} ${known}`, [`mechanism:${event.type}`])];
}

/** An effect of an effect speaks for the first cause too, but each further step less surely. */
const FURTHER = 0.6;

interface Explained {
  readonly effect: Candidate;
  readonly strength: number;
}

/** What a candidate explains, directly and through what it explains. */
function explainedBy(candidate: Candidate, { candidates, graph, mechanisms }: Situation): Explained[] {
  const found = new Map<Candidate, number>();
  let frontier: Explained[] = [{ effect: candidate, strength: 1 }];
  for (let step = 0; frontier.length > 0; step++) {
    const next: Explained[] = [];
    for (const { effect: cause, strength } of frontier) {
      for (const effect of candidates) {
        if (effect === candidate || found.has(effect)) continue;
        const mechanism = mechanisms.link(cause.event, effect.event, graph);
        if (!mechanism) continue;
        const reached = strength * mechanism.strength * (step === 0 ? 1 : FURTHER);
        found.set(effect, reached);
        next.push({ effect, strength: reached });
      }
    }
    frontier = next;
  }
  return [...found].map(([effect, strength]) => ({ effect, strength }));
}

function effectEvidence(candidate: Candidate, situation: Situation): Evidence[] {
  const lines: Evidence[] = [];
  let left = EXPLAINED_MOST;
  for (const [type, group] of Map.groupBy(explainedBy(candidate, situation), ({ effect }) => effect.event.type)) {
    const strongest = Math.max(...group.map(({ strength }) => strength));
    // A second device showing the same effect adds less than the first did.
    const weight = Math.min(left, EXPLAINED * strongest * (1 + Math.log2(group.length)));
    left -= weight;
    const effects = group.map(({ effect }) => effect);
    const devices = new Set(effects.map((effect) => effect.event.device_id));
    const delay = Number((effects[0] as Candidate).event.time_ns - candidate.event.time_ns) / 1e9;
    lines.push(
      evidence(weight, `explains ${type} on ${list([...devices])}, ${seconds(delay)} later`, effects.map(ref)),
    );
  }
  return lines;
}

function causeEvidence(candidate: Candidate, { candidates, graph, mechanisms }: Situation): Evidence[] {
  for (const other of candidates) {
    if (other === candidate) continue;
    const mechanism = mechanisms.link(other.event, candidate.event, graph);
    if (mechanism) {
      return [
        evidence(
          -CAUSED * mechanism.strength,
          `itself explained by ${other.event.type} on ${other.event.device_id}, ${seconds(Number(candidate.event.time_ns - other.event.time_ns) / 1e9)} before`,
          [ref(other)],
        ),
      ];
    }
  }
  return [];
}

function timing(candidate: Candidate): Evidence {
  const { lag_s } = candidate;
  if (lag_s < 0) return evidence(-1, `came ${seconds(lag_s)} after the first anomaly`, [ref(candidate)]);
  if (lag_s > NEAR_SECONDS)
    return evidence(-1.2, `${seconds(lag_s)} before the first anomaly: far for a direct effect`, [ref(candidate)]);
  return evidence(NEAR * (1 - lag_s / NEAR_SECONDS), `${seconds(lag_s)} before the first anomaly`, [ref(candidate)]);
}

const entityRef = (graph: EntityGraph, key: number): string[] => {
  const node = graph.node(key);
  return node ? [`entity:${entityKey(node.kind, node.id)}`] : [];
};

function relationEvidence({ event, relation }: Candidate, { service, graph, window }: Situation): Evidence[] {
  const device = entityRef(graph, event.entity);
  switch (relation) {
    case 'unmapped':
      return [evidence(-1.2, `${event.device_id} is not in the topology: nothing ties it to ${service}`, device)];
    case 'sibling':
      return [evidence(-0.6, `${event.device_id} is mapped to another service on the same machine`, device)];
    case 'caller': {
      const refs = [...device, ...entityRef(graph, window.service)];
      return [evidence(-0.3, `reaches ${service} only through a service that it calls`, refs)];
    }
    case 'mapped':
      return [];
  }
}

function contrast({ event, relation }: Candidate, { graph, impacts, measuredServices, window }: Situation): Evidence[] {
  if (relation === 'unmapped') return [];
  const carried = [...graph.servicesOn(event.entity)].filter(
    (service) => service !== window.service && measuredServices.includes(service),
  );
  const broke = carried.filter((service) =>
    impacts.some((other) => other.service === service && overlaps(other, window)),
  );
  const healthy = carried.filter((service) => !broke.includes(service));
  const names = (keys: readonly number[]) => list(keys.map((key) => graph.node(key)?.id ?? '?'));
  const refs = (keys: readonly number[]) => keys.flatMap((key) => entityRef(graph, key));
  const lines: Evidence[] = [];
  if (broke.length > 0) {
    const text = `${names(broke)}, on the same device, degraded at the same time`;
    lines.push(evidence(Math.min(1.2, 0.6 * broke.length), text, refs(broke)));
  }
  if (healthy.length > 0) {
    const text = `${names(healthy)}, on the same device, stayed healthy`;
    lines.push(evidence(Math.max(-1.2, -0.25 * healthy.length), text, refs(healthy)));
  }
  return lines;
}

const overlaps = (a: ImpactWindow, b: ImpactWindow): boolean =>
  a.onset_earliest_ns <= b.end_ns && b.onset_earliest_ns <= a.end_ns;

/** What a lost feed looks like from the device that it fed. */
const lossOfFeed = new Set(['psu_failover', 'psu_failure']);

/**
 * Several devices failing over together although nothing they share said a word: the silent source is a suspect.
 * Devices of other services count here: what they share with ours is the point.
 */
function unobservedSources({ nearby, graph, window, recordedLayers }: Situation): Scored[] {
  const spoke = new Set(nearby.map(({ entity }) => entity));
  const bySource = new Map<number, EventFact[]>();
  for (const event of nearby) {
    if (!lossOfFeed.has(event.type)) continue;
    for (const source of graph.feedersOf(event.entity)) bySource.set(source, [...(bySource.get(source) ?? []), event]);
  }
  return [...bySource].flatMap(([source, effects]) => {
    const devices = new Set(effects.map(({ device_id }) => device_id));
    const node = graph.node(source);
    if (devices.size < 2 || spoke.has(source) || !node || graph.relation(source, window.service) === 'other') return [];
    const lines = [
      evidence(PRIOR.unobserved, `${node.id} itself reported nothing (prior)`),
      evidence(
        1.2 * Math.log2(devices.size + 1),
        `${devices.size} devices that it feeds failed over: ${list([...devices])}`,
        effects.map(({ event_id }) => `event:${event_id}`),
      ),
    ];
    if (recordedLayers.has('power')) {
      lines.push(evidence(-0.8, 'power devices were recorded, and this one stayed silent', RECORDED));
    }
    return [{ candidate: null, subject: { kind: node.kind, id: node.id }, type: 'unobserved_fault', evidence: lines }];
  });
}

/** What was recorded at all, as evidence: the record names the layers and their sources. */
const RECORDED = ['case:layers'] as const;

function noPhysicalCause({ candidates, service, graph, window, recordedLayers, eventsInCase }: Situation): Scored {
  const related = candidates.filter(({ relation }) => relation !== 'unmapped');
  const lines = [evidence(PRIOR.noCause, 'software, load and deployments cause incidents too (prior)')];
  if (related.length === 0 && eventsInCase > 0 && graph.isPlaced(window.service)) {
    const text = `no recorded event on anything that ${service} runs on, up to the first anomaly`;
    lines.push(evidence(2.5, text, [...entityRef(graph, window.service), ...RECORDED]));
  }
  if (related.length > 0 && related.every(({ event }) => event.severity === 3)) {
    lines.push(evidence(0.8, `only low-severity events on what ${service} runs on`, related.map(ref)));
  }
  const strong = related.filter(({ event, lag_s }) => event.severity <= 1 && lag_s >= 0 && lag_s <= NEAR_SECONDS);
  if (strong.length > 0) {
    lines.push(
      evidence(
        -1,
        `${strong.length} critical or high event${strong.length > 1 ? 's' : ''} on its devices within ${NEAR_SECONDS} s`,
        strong.map(ref),
      ),
    );
  }
  if (!recordedLayers.has('power') && !recordedLayers.has('gpu') && !recordedLayers.has('server')) {
    lines.push(evidence(-2, 'no physical layer was recorded, so none can be cleared', RECORDED));
  }
  return { candidate: null, subject: null, type: 'no_physical_cause', evidence: lines };
}

function notEnough({ recordedLayers, eventsInCase, service, graph, window }: Situation): Scored {
  const lines = [evidence(PRIOR.insufficient, 'recordings usually hold enough to tell (prior)')];
  const missing = layers.filter((layer) => layer !== 'service' && !recordedLayers.has(layer));
  if (missing.length > 0) lines.push(evidence(0.2 * missing.length, `not recorded: ${missing.join(', ')}`, RECORDED));
  if (!graph.isPlaced(window.service)) {
    const text = `no topology says what ${service} runs on: no device can be tied to it, and none cleared`;
    lines.push(evidence(2.5, text, entityRef(graph, window.service)));
  }
  if (eventsInCase === 0) lines.push(evidence(3, 'the case holds no events of any device', RECORDED));
  return { candidate: null, subject: null, type: 'insufficient_evidence', evidence: lines };
}

function list(names: readonly string[]): string {
  if (names.length <= 3) return names.join(', ');
  return `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`;
}
