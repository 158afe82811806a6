import { layerOf } from '../../model/entity.ts';
import type { EventFact } from '../store/reader.ts';
import { words } from './contrast.ts';
import type { EntityNode } from './entity-graph.ts';
import { companyLines, movementLines, pathValue, percent, severityLine, timeLines } from './event-suspects.ts';
import { eventRef, type Line, line, listed, RECORDED, type Suspect } from './hypothesis-line.ts';
import type { Mechanism } from './mechanisms.ts';
import { namedPart } from './named-part.ts';
import type { Story } from './situation.ts';

/** Branches that fail for one reason begin to do so within seconds: half of the weight is gone at this distance. */
const TOGETHER_S = 5;
const EXPECTED = 0.7;

/**
 * Several devices in trouble together although nothing they share said a word: the silent source is a suspect.
 * Devices of other services count here: what they share with ours is the point.
 */
export function suspectSilent(story: Story): Suspect[] {
  const { graph, mechanisms } = story.situation;
  const bySource = new Map<number, EventFact[]>();
  for (const event of story.links.events) {
    if (mechanisms.causesOf(event.type).every(({ relation }) => relation !== 'below')) continue;
    const supplies = suppliesNamed(event, story);
    for (const source of graph.above(event.entity)) {
      if (source === event.entity) continue;
      // A supply that lost its input lost it to its own feed, not to the other one.
      if (supplies.some(([box, part]) => graph.isFed(box, source) && !graph.isFed(part, source))) continue;
      const known = bySource.get(source);
      if (known) known.push(event);
      else bySource.set(source, [event]);
    }
  }
  const spoke = Map.groupBy(story.links.events, ({ entity }) => entity);
  return [...bySource].flatMap(([source, events]) => {
    const node = graph.node(source);
    const type = node && mechanisms.silentCause(node.kind);
    if (!node || !type || graph.relation(source, story.situation.window.service) === 'other') return [];
    const own = spoke.get(source) ?? [];
    if (own.some((event) => event.severity < 3 && mechanisms.rootWeight(event.type) > 0)) return [];
    const explained = mechanisms.causedBy(type).filter(({ relation }) => relation === 'below');
    return suspect({ node, type, explained }, events, story);
  });
}

/** Parts that an event, or what brought it about on the same machine, names; each with its machine. */
function suppliesNamed(event: EventFact, { situation: { graph }, links }: Story): (readonly [number, number])[] {
  const own = new Set(graph.boxesOf(event.entity));
  const near = links
    .causesOf(event)
    .flatMap(({ cause }) => (graph.boxesOf(cause.entity).some((box) => own.has(box)) ? [cause] : []));
  return [event, ...near].flatMap((one) => {
    const part = namedPart(one, graph);
    return part === one.entity ? [] : [[one.entity, part] as const];
  });
}

interface Silent {
  readonly node: EntityNode;
  readonly type: string;
  readonly explained: readonly Mechanism[];
}

function suspect(silent: Silent, events: readonly EventFact[], story: Story): Suspect[] {
  const { node, type } = silent;
  const branches = branchesBelow(node.key, story);
  const own = events.filter((event) => branches.has(event.entity));
  const effects = together(own, silent, { branches, story });
  // What is wrong in one branch only is wrong in that branch.
  if (new Set(effects.map(({ entity }) => branches.get(entity))).size < 2) return [];
  return [
    {
      event: null,
      subject: { kind: node.kind, id: node.id },
      type: 'unobserved_fault',
      lines: [
        line('prior_silent', 1, `before any evidence: ${node.id} itself reported nothing`),
        line('root_type', story.situation.mechanisms.rootWeight(type), `${words(type)} is known to start incidents`, [
          `mechanism:${type}`,
        ]),
        ...effectLines({ node, effects, branches }, story),
        ...timeLines(effects[0] as EventFact, story),
        ...movementLines(node.key, story),
        ...companyLines(node.key, story),
        severest(effects),
        ...watchedLines(node, story),
      ].filter(({ value }) => value !== 0),
    },
  ];
}

/** What a recorded thing further up, or beside, explains needs no silent one: how surely it does, 0 to 1, at most. */
function explainedOutside(event: EventFact, branches: Branches, story: Story): number {
  const outside = story.links
    .causesOf(event)
    .filter(({ cause, mechanism }) => mechanism.relation === 'below' && !branches.has(cause.entity));
  return Math.max(0, ...outside.map((link) => story.belief(link)));
}

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

/**
 * What one failure would have brought about: for each event that may have been its first effect, those that its mechanisms
 * allow from then on; the moment that explains events in most branches, and of these the one nearest to the onset.
 */
function together(
  events: readonly EventFact[],
  { explained }: Silent,
  { branches, story }: { readonly branches: Branches; readonly story: Story },
): EventFact[] {
  const { doubts } = story.situation;
  const delays = new Map<string, readonly [number, number]>();
  for (const { effect, delay_s } of explained) delays.set(effect, delays.get(effect) ?? delay_s);
  const able = events.filter(({ type }) => delays.has(type));
  const from = (first: EventFact): EventFact[] => {
    const [soonest] = delays.get(first.type) as readonly [number, number];
    return able.filter((event) => {
      const [least, most] = delays.get(event.type) as readonly [number, number];
      const clocks = event.source_id === first.source_id ? 0n : event.clock_uncertainty_ns + first.clock_uncertainty_ns;
      const slack = Number(clocks) / 1e9;
      const delay = Number(event.time_ns - first.time_ns) / 1e9 + soonest;
      return delay >= least - slack - doubts.seenLate_s(first) - 1 && delay <= most + slack + doubts.seenLate_s(event);
    });
  };
  const width = (run: readonly EventFact[]) => new Set(run.map(({ entity }) => branches.get(entity))).size;
  const distance = ([first]: readonly EventFact[]) =>
    first ? story.beforeOnset(first) + story.afterOnset(first) : Number.POSITIVE_INFINITY;
  let best: EventFact[] = [];
  for (const first of able) {
    const run = from(first);
    const wider = width(run) - width(best);
    if (wider > 0 || (wider === 0 && distance(run) < distance(best))) best = run;
  }
  return best;
}

interface Effects {
  readonly node: EntityNode;
  readonly effects: readonly EventFact[];
  readonly branches: Branches;
}

/** Seconds between the first sign of trouble in the first branch and in the last. */
function spanOf(effects: readonly EventFact[], branches: Branches): number {
  const firsts = new Map<number | undefined, bigint>();
  for (const { entity, time_ns } of effects) {
    const branch = branches.get(entity);
    if (!firsts.has(branch)) firsts.set(branch, time_ns);
  }
  const times = [...firsts.values()].sort((a, b) => (a < b ? -1 : 1));
  return Number((times.at(-1) as bigint) - (times[0] as bigint)) / 1e9;
}

function effectLines({ node, effects, branches }: Effects, story: Story): Line[] {
  const { graph } = story.situation;
  const span = spanOf(effects, branches);
  const shown = new Set(effects.map(({ entity }) => branches.get(entity) as number));
  const refs = effects.map(eventRef);
  // Effects within the branches that their own recorded things explain need no common cause.
  const known = effects.filter((effect) =>
    story.links.causesOf(effect).some(({ cause }) => branches.has(cause.entity) && !effects.includes(cause)),
  );
  const further = new Map<EventFact, number>(effects.map((effect) => [effect, EXPECTED]));
  for (const effect of effects)
    for (const [event, strength] of story.explainedBy(effect))
      if (!further.has(event)) further.set(event, EXPECTED * strength);
  const explained = [...further].reduce((sum, [event, strength]) => sum + strength * story.relevance(event), 0);
  const spared = effects.reduce((left, effect) => left * (1 - 0.8 * story.path(effect)), 1);
  const rival = effects.reduce((sum, effect) => sum + explainedOutside(effect, branches, story), 0) / effects.length;
  const names = listed([...shown].map((key) => graph.node(key)?.id ?? '?'));
  const watched = new Set([...graph.boxesBelow(node.key)].filter((box) => story.watchedBoxes.has(box)));
  const troubled = new Set([...further.keys()].flatMap(({ entity }) => [...graph.boxesBelow(entity)]));
  const share = watched.size === 0 ? 0 : [...watched].filter((box) => troubled.has(box)).length / watched.size;
  const of = watched.size > 0 ? `, of ${watched.size} machines that are watched there` : '';
  return [
    line('silent_devices', Math.log(shown.size), `${names} behind ${node.id} were in trouble${of}`, refs),
    line('silent_share', share, `${percent(share)} of the machines that are watched behind it show trouble`, refs),
    line('silent_together', 1 / (1 + span / TOGETHER_S), `within ${span.toFixed(1)} s of each other`, refs),
    line(
      'silent_explained',
      known.length / effects.length,
      `${known.length} of the ${effects.length} events are explained by what is recorded behind it`,
      known.map(eventRef),
    ),
    line('silent_rival', rival, 'what is recorded elsewhere explains these events as well', refs),
    line('explains', Math.log1p(explained), `would explain ${further.size} recorded events`, refs),
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
