import { layerOf } from '../../model/entity.ts';
import type { EventFact } from '../store/reader.ts';
import type { EntityNode } from './entity-graph.ts';
import { pathValue } from './event-suspects.ts';
import { eventRef, type Line, line, listed, RECORDED, type Suspect } from './hypothesis-line.ts';
import { inTime, type Mechanism } from './mechanisms.ts';
import type { Story } from './situation.ts';

/** Things that fail for the same reason do so this close together, seconds. */
const TOGETHER_S = 5;
const CHANCE = 0.02;
const EXPECTED = 0.7;
const MOST_SHARE = 4;

/**
 * Several devices in trouble together although nothing they share said a word: the silent source is a suspect.
 * Devices of other services count here: what they share with ours is the point.
 */
export function suspectSilent(story: Story): Suspect[] {
  const { graph, mechanisms } = story.situation;
  const bySource = new Map<number, EventFact[]>();
  for (const event of story.links.events) {
    if (mechanisms.causesOf(event.type).every(({ relation }) => relation !== 'below')) continue;
    for (const source of graph.above(event.entity))
      if (source !== event.entity) bySource.set(source, [...(bySource.get(source) ?? []), event]);
  }
  const spoke = new Map(Map.groupBy(story.links.events, ({ entity }) => entity));
  return [...bySource].flatMap(([source, events]) => {
    const node = graph.node(source);
    const type = node && mechanisms.silentCause(node.kind);
    if (!node || !type || graph.relation(source, story.situation.window.service) === 'other') return [];
    const own = spoke.get(source) ?? [];
    if (own.some((event) => mechanisms.rootWeight(event.type) > 0)) return [];
    const explained = mechanisms.causedBy(type).filter(({ relation }) => relation === 'below');
    return suspect({ node, type, explained }, events, story);
  });
}

interface Silent {
  readonly node: EntityNode;
  readonly type: string;
  readonly explained: readonly Mechanism[];
}

function suspect(silent: Silent, events: readonly EventFact[], story: Story): Suspect[] {
  const types = new Set(silent.explained.map(({ effect }) => effect));
  const effects = together(events.filter(({ type }) => types.has(type)));
  const devices = new Set(effects.map(({ entity }) => entity));
  if (devices.size < 2) return [];
  const { node, type } = silent;
  return [
    {
      event: null,
      subject: { kind: node.kind, id: node.id },
      type: 'unobserved_fault',
      lines: [
        line('prior_silent', 1, `${node.id} itself reported nothing (prior)`),
        line('root_type', story.situation.mechanisms.rootWeight(type), `${type} is known to start incidents`, [
          `mechanism:${type}`,
        ]),
        ...effectLines(silent, effects, story),
        ...watchedLines(node, story),
      ].filter(({ value }) => value !== 0),
    },
  ];
}

/** The densest run of events that follow each other closely. */
function together(events: readonly EventFact[]): EventFact[] {
  let best: EventFact[] = [];
  let run: EventFact[] = [];
  for (const event of events.toSorted((a, b) => Number(a.time_ns - b.time_ns))) {
    const last = run.at(-1);
    const slack = TOGETHER_S + Number(event.clock_uncertainty_ns) / 1e9;
    run = last && Number(event.time_ns - last.time_ns) / 1e9 <= slack ? [...run, event] : [event];
    if (new Set(run.map(({ entity }) => entity)).size > new Set(best.map(({ entity }) => entity)).size) best = run;
  }
  return best;
}

function effectLines({ node, explained }: Silent, effects: readonly EventFact[], story: Story): Line[] {
  const { graph, background } = story.situation;
  const first = effects[0] as EventFact;
  const span = Number((effects.at(-1) as EventFact).time_ns - first.time_ns) / 1e9;
  const devices = [...new Map(effects.map((event) => [event.entity, event.device_id])).entries()];
  const kinds = new Set(devices.map(([key]) => graph.node(key)?.kind));
  const targets = [...graph.below(node.key)].filter(
    (key) => kinds.has(graph.node(key)?.kind) && background.isWatched(key),
  );
  const missing = Math.max(0, targets.length - devices.length);
  const share = devices.length * Math.log(EXPECTED / CHANCE) + missing * Math.log((1 - EXPECTED) / (1 - CHANCE));
  const refs = effects.map(eventRef);
  const known = effects.filter((effect) =>
    story.links
      .causesOf(effect)
      .some(({ cause }) => cause.entity !== effect.entity && explained.some((m) => inTime(m.delay_s, cause, effect))),
  );
  const spared = effects.reduce((left, effect) => left * (1 - 0.8 * story.path(effect)), 1);
  const of = `${devices.length} of ${targets.length} that it carries`;
  return [
    line(
      'silent_devices',
      Math.log(devices.length),
      `${of} were in trouble together: ${listed(devices.map(([, id]) => id))}`,
      refs,
    ),
    line(
      'silent_share',
      Math.max(-MOST_SHARE, Math.min(MOST_SHARE, share)),
      `${missing} of those recorded were not`,
      refs,
    ),
    line('silent_together', 1 / (1 + span), `within ${span.toFixed(1)} s`, refs),
    line(
      'silent_explained',
      known.length / effects.length,
      `${known.length} of them are explained by something recorded`,
      known.map(eventRef),
    ),
    line('path', pathValue(1 - spared), `what they report leads to ${story.situation.service}`, refs),
  ];
}

function watchedLines(node: EntityNode, { situation }: Story): Line[] {
  const { background } = situation;
  if (background.isWatched(node.key))
    return [line('silent_watched', 1, `${node.id} was recorded, and said nothing`, RECORDED)];
  if (background.recordedLayers.has(layerOf(node.kind)))
    return [line('silent_watched', 0.5, `other ${node.kind} devices were recorded, this one was not`, RECORDED)];
  return [];
}
