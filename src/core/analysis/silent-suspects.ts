import { layerOf } from '../../model/entity.ts';
import type { EventFact } from '../store/reader.ts';
import type { EntityNode } from './entity-graph.ts';
import { pathValue, severityLine, timeLines } from './event-suspects.ts';
import { eventRef, type Line, line, listed, RECORDED, type Suspect } from './hypothesis-line.ts';
import type { Mechanism } from './mechanisms.ts';
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
  const spoke = Map.groupBy(story.links.events, ({ entity }) => entity);
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
  const { node, type, explained } = silent;
  const types = new Set(explained.map(({ effect }) => effect));
  const branches = branchesBelow(node.key, story);
  const own = events.filter((event) => types.has(event.type) && branches.has(event.entity));
  // What a recorded thing further up explains needs no silent one.
  const effects = together(
    own.filter((event) => !isExplainedOutside(event, branches, story)),
    branches,
  );
  // What is wrong in one branch only is wrong in that branch.
  if (new Set(effects.map(({ entity }) => branches.get(entity))).size < 2) return [];
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
        ...effectLines({ node, effects, branches }, story),
        ...timeLines(effects[0] as EventFact, story),
        severest(effects),
        ...watchedLines(node, story),
      ].filter(({ value }) => value !== 0),
    },
  ];
}

const isExplainedOutside = (event: EventFact, branches: Branches, story: Story): boolean =>
  story.links
    .causesOf(event)
    .some(({ cause, mechanism }) => mechanism.relation === 'below' && !branches.has(cause.entity));

type Branches = ReadonlyMap<number, number>;

function severest(effects: readonly EventFact[]): Line {
  const worst = effects.reduce((a, b) => (b.severity < a.severity ? b : a));
  return severityLine(worst);
}

/** What lies below a thing, by the part directly below it through which it is reached. */
function branchesBelow(key: number, { situation: { graph } }: Story): Branches {
  const branches = new Map<number, number>();
  for (const part of graph.directlyBelow(key))
    for (const reached of graph.below(part)) if (!branches.has(reached)) branches.set(reached, part);
  return branches;
}

/** The run of events that follow each other closely and show in most branches. */
function together(events: readonly EventFact[], branches: Branches): EventFact[] {
  const width = (run: readonly EventFact[]) => new Set(run.map(({ entity }) => branches.get(entity))).size;
  let best: EventFact[] = [];
  let run: EventFact[] = [];
  for (const event of events) {
    const last = run.at(-1);
    const slack = TOGETHER_S + Number(event.clock_uncertainty_ns) / 1e9;
    run = last && Number(event.time_ns - last.time_ns) / 1e9 <= slack ? [...run, event] : [event];
    if (width(run) > width(best)) best = run;
  }
  return best;
}

interface Effects {
  readonly node: EntityNode;
  readonly effects: readonly EventFact[];
  readonly branches: Branches;
}

function effectLines({ node, effects, branches }: Effects, story: Story): Line[] {
  const { graph, background } = story.situation;
  const first = effects[0] as EventFact;
  const span = Number((effects.at(-1) as EventFact).time_ns - first.time_ns) / 1e9;
  const shown = new Set(effects.map(({ entity }) => branches.get(entity) as number));
  const kinds = new Set([...shown].map((key) => graph.node(key)?.kind));
  const isRecorded = (part: number) => [...graph.below(part)].some((key) => background.isWatched(key));
  const parts = graph.directlyBelow(node.key).filter((key) => kinds.has(graph.node(key)?.kind) && isRecorded(key));
  const missing = parts.filter((part) => !shown.has(part)).length;
  const share = shown.size * Math.log(EXPECTED / CHANCE) + missing * Math.log((1 - EXPECTED) / (1 - CHANCE));
  const refs = effects.map(eventRef);
  // Effects within the branches that their own recorded things explain need no common cause.
  const known = effects.filter((effect) =>
    story.links.causesOf(effect).some(({ cause }) => branches.has(cause.entity)),
  );
  const further = new Map<EventFact, number>(effects.map((effect) => [effect, EXPECTED]));
  for (const effect of effects)
    for (const [event, strength] of story.explainedBy(effect))
      if (!further.has(event)) further.set(event, EXPECTED * strength);
  const explained = [...further].reduce((sum, [event, strength]) => sum + strength * story.relevance(event), 0);
  const spared = effects.reduce((left, effect) => left * (1 - 0.8 * story.path(effect)), 1);
  const names = listed([...shown].map((key) => graph.node(key)?.id ?? '?'));
  const of = `${shown.size} of ${Math.max(parts.length, shown.size)} recorded things directly behind ${node.id}`;
  return [
    line('silent_devices', Math.log(shown.size), `${of} were in trouble within ${span.toFixed(1)} s: ${names}`, refs),
    line('silent_share', clipped(share), `${missing} of those recorded were not`, refs),
    line('silent_together', 1 / (1 + span), `within ${span.toFixed(1)} s`, refs),
    line(
      'silent_explained',
      known.length / effects.length,
      `${known.length} of the ${effects.length} events are explained by what is recorded behind it`,
      known.map(eventRef),
    ),
    line('explains', Math.log1p(explained), `would explain ${further.size} recorded events`, refs),
    line('path', pathValue(1 - spared), `what they report leads to ${story.situation.service}`, refs),
  ];
}

const clipped = (share: number): number => Math.max(-MOST_SHARE, Math.min(MOST_SHARE, share));

function watchedLines(node: EntityNode, { situation }: Story): Line[] {
  const { background } = situation;
  if (background.isWatched(node.key))
    return [line('silent_watched', 1, `${node.id} was recorded, and said nothing`, RECORDED)];
  if (background.recordedLayers.has(layerOf(node.kind)))
    return [line('silent_watched', 0.5, `other ${node.kind} devices were recorded, this one was not`, RECORDED)];
  return [];
}
