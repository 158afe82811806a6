import { severities } from '../../model/entity.ts';
import type { EventFact } from '../store/reader.ts';
import type { Candidate } from './candidates.ts';
import { seriousness } from './event-nature.ts';
import { entityRef, eventRef, type Line, line, listed, type Suspect, seconds } from './hypothesis-line.ts';
import type { ImpactWindow } from './impact.ts';
import { predictedEffects } from './predicted-effects.ts';
import type { Story } from './situation.ts';
import { round } from './statistics.ts';

const SEVERITY = [1, 0.5, 0, -1] as const;
/** A path that is never sure, and never impossible. */
const [LEAST_PATH, MOST_PATH] = [0.02, 0.98];
const NEAR_S = 30;
const FAR_S = 60;
const LATE_S = 10;
/** Occurrences beyond this make nothing more of a routine. */
const MOST_ROUTINE = 50;
/** The same elsewhere counts when it is this close in time. */
const ELSEWHERE_S = 120;

/** The suspicion against one event, told by its evidence. */
export function suspectEvent(candidate: Candidate, story: Story): Suspect {
  const { event } = candidate;
  const node = story.situation.graph.node(event.entity);
  return {
    event,
    type: event.type,
    subject: { kind: node?.kind ?? 'device', id: event.device_id },
    lines: [
      line('prior_event', 1, 'one of the events near the first anomaly (prior)'),
      ...typeLines(event, story),
      ...pathLines(event, story),
      ...effectLines(event, story),
      ...causeLines(event, story),
      ...predictedEffects(event, story),
      ...timeLines(event, story),
      ...relationLines(candidate, story),
      ...contrastLines(candidate, story),
      ...habitLines(candidate, story),
    ].filter(({ value, feature }) => value !== 0 || feature === 'prior_event'),
  };
}

function typeLines(event: EventFact, { situation }: Story): Line[] {
  const weight = situation.mechanisms.rootWeight(event.type) - (1 - seriousness(event));
  const known = weight > 0 ? 'is known to start incidents' : 'is usually an effect of something else, or harmless';
  return [line('root_type', weight, `${event.type} ${known}`, [`mechanism:${event.type}`]), severityLine(event)];
}

export const severityLine = (event: EventFact): Line =>
  line('severity', SEVERITY[event.severity] ?? 0, `reported as ${severities[event.severity] ?? 'unknown severity'}`, [
    eventRef(event),
  ]);

/** Log-odds of a path that is known to be there, 0 at evens. */
export const pathValue = (path: number): number => {
  const bounded = Math.min(MOST_PATH, Math.max(LEAST_PATH, path));
  return Math.log(bounded / (1 - bounded));
};

function pathLines(event: EventFact, story: Story): Line[] {
  const path = story.path(event);
  const { service } = story.situation;
  const how =
    path < 0.05
      ? `nothing known leads from it to ${service} (mechanisms)`
      : `leads to ${service} in ${percent(path)} of such cases (mechanisms)`;
  return [line('path', pathValue(path), how, [`mechanism:${event.type}`])];
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

function effectLines(event: EventFact, story: Story): Line[] {
  const found = [...story.explainedBy(event)].map(
    ([effect, strength]) => [effect, strength * story.relevance(effect)] as const,
  );
  const total = found.reduce((sum, [, strength]) => sum + strength, 0);
  if (total === 0) return [];
  const value = Math.log1p(total);
  const groups = [...Map.groupBy(found, ([effect]) => effect.type)];
  // What all of them weigh together is shared out, so that the lines add up.
  return groups.map(([type, group]) => {
    const strength = group.reduce((sum, [, one]) => sum + one, 0);
    const effects = group.map(([effect]) => effect);
    const delay = Math.min(...effects.map(({ time_ns }) => Number(time_ns - event.time_ns) / 1e9));
    const devices = [...new Set(effects.map(({ device_id }) => device_id))];
    const text = `explains ${type} on ${listed(devices)}, ${seconds(delay)} ${delay < 0 ? 'before by the record' : 'later'}`;
    return line('explains', (value * strength) / total, text, effects.map(eventRef));
  });
}

function causeLines(event: EventFact, story: Story): Line[] {
  const best = story.links
    .causesOf(event)
    .filter(({ cause }) => story.relationOf(cause) !== 'other')
    .toSorted((a, b) => b.mechanism.strength - a.mechanism.strength)[0];
  if (!best) return [];
  const { cause, mechanism } = best;
  const before = seconds(Number(event.time_ns - cause.time_ns) / 1e9);
  const text = `itself explained by ${cause.type} on ${cause.device_id}, ${before} before`;
  return [line('explained', mechanism.strength, text, [eventRef(cause)])];
}

export function timeLines(event: EventFact, story: Story): Line[] {
  const lag = story.lagOf(event);
  const refs = [eventRef(event)];
  if (lag < 0) {
    const late = Math.min(3, -lag / LATE_S);
    return [line('late', late, `came ${seconds(lag)} after the first anomaly`, refs)];
  }
  const near = line('timing', Math.max(0, 1 - lag / NEAR_S), `${seconds(lag)} before the first anomaly`, refs);
  const far = Math.min(3, Math.max(0, Math.log(lag / NEAR_S)));
  if (far === 0) return [near];
  return [
    line('far', far, `${seconds(lag)} before the first anomaly${lag > FAR_S ? ': far for a direct effect' : ''}`, refs),
  ];
}

function relationLines({ event, relation }: Candidate, { situation }: Story): Line[] {
  const { graph, service, window } = situation;
  const device = entityRef(graph, event.entity);
  switch (relation) {
    case 'unmapped':
      return [line('unmapped', 1, `${event.device_id} is not in the topology: nothing ties it to ${service}`, device)];
    case 'sibling':
      return [line('sibling', 1, `${event.device_id} is mapped to another service on the same machine`, device)];
    case 'caller': {
      const refs = [...device, ...entityRef(graph, window.service)];
      return [line('caller', 1, `reaches ${service} only through a service that it calls`, refs)];
    }
    case 'mapped':
      return [];
  }
}

function contrastLines({ event, relation }: Candidate, { situation }: Story): Line[] {
  const { graph, impacts, measuredServices, window } = situation;
  if (relation === 'unmapped') return [];
  const carried = [...graph.servicesOn(event.entity)].filter(
    (service) => service !== window.service && measuredServices.includes(service),
  );
  const broke = carried.filter((service) =>
    impacts.some((other) => other.service === service && overlaps(other, window)),
  );
  const healthy = carried.filter((service) => !broke.includes(service));
  const names = (keys: readonly number[]) => listed(keys.map((key) => graph.node(key)?.id ?? '?'));
  const refs = (keys: readonly number[]) => keys.flatMap((key) => entityRef(graph, key));
  const of = `of ${carried.length} other services on the same device`;
  return [
    line(
      'services_broke',
      Math.log1p(broke.length),
      `${broke.length} ${of} degraded at the same time: ${names(broke)}`,
      refs(broke),
    ),
    line(
      'services_healthy',
      Math.log1p(healthy.length),
      `${healthy.length} ${of} stayed healthy: ${names(healthy)}`,
      refs(healthy),
    ),
  ];
}

export const overlaps = (a: ImpactWindow, b: ImpactWindow): boolean =>
  a.onset_earliest_ns <= b.end_ns && b.onset_earliest_ns <= a.end_ns;

/** What happens every hour, or to everybody, breaks nothing by itself. */
function habitLines({ event }: Candidate, story: Story): Line[] {
  const { background, graph, service } = story.situation;
  const recorded = background.occurrences(event.entity, event.type);
  const same = recorded < 2 ? 1 : story.ofType(event.type).filter(({ entity }) => entity === event.entity).length;
  const before = Math.max(0, recorded - same);
  const elsewhere = story.elsewhere(event.type, event.time_ns, ELSEWHERE_S);
  return [
    line(
      'routine',
      Math.log1p(Math.min(before, MOST_ROUTINE)),
      `${event.type} was recorded ${before} times on ${event.device_id} at other times`,
      entityRef(graph, event.entity),
    ),
    line(
      'elsewhere',
      round(Math.log1p(elsewhere), 3),
      `${event.type} at the same time on ${elsewhere} devices that ${service} does not use`,
      [eventRef(event)],
    ),
  ];
}
