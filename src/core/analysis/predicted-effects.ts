import type { EventFact } from '../store/reader.ts';
import { eventRef, type Line, line, listed } from './hypothesis-line.ts';
import type { Mechanism } from './mechanisms.ts';
import type { Story } from './situation.ts';

/** A likelihood ratio of one kind of effect says no more than this: one mechanism is never sure. */
const MOST = 3;
/** Chance that a thing shows an effect without the cause. */
const CHANCE = 0.02;
/** Mechanisms reach what they should less often than the book says: records are lost. */
const RECORDED = 0.8;

/** Effects of a cause that should be there: which are, which are not although their things were recorded. */
export function predictedEffects(event: EventFact, story: Story): Line[] {
  const { mechanisms } = story.situation;
  const below = mechanisms.causedBy(event.type).filter(({ relation }) => relation === 'below');
  const found = [...Map.groupBy(below, ({ effect }) => effect).values()].flatMap(([mechanism]) =>
    mechanism ? (compare(event, mechanism, story) ?? []) : [],
  );
  return found.map(({ value, ...rest }) => ({ ...rest, value: value / Math.max(1, found.length) ** 0.5 }));
}

function compare(event: EventFact, mechanism: Mechanism, story: Story): Line | undefined {
  const { graph, background } = story.situation;
  const kinds = story.kindsOf(mechanism.effect);
  if (kinds.size === 0) return undefined;
  const isTarget = (key: number) => kinds.has(graph.node(key)?.kind ?? 'device');
  const targets = [...graph.below(event.entity)].filter((key) => key !== event.entity && isTarget(key));
  const watched = targets.filter((key) => background.isWatched(key));
  if (watched.length === 0) return undefined;
  const hit = new Map(
    story.links
      .effectsOf(event)
      .filter((l) => l.effect.type === mechanism.effect)
      .map((l) => [l.effect.entity, l.effect]),
  );
  const inside = new Set(targets);
  const others = new Set(
    story
      .ofType(mechanism.effect)
      .filter(({ entity }) => !inside.has(entity))
      .map(({ entity }) => entity),
  );
  const shown = watched.filter((key) => hit.has(key));
  const expected = RECORDED * mechanism.strength;
  const value =
    shown.length * Math.log(expected / CHANCE) +
    (watched.length - shown.length) * Math.log((1 - expected) / (1 - CHANCE));
  const name = graph.node(event.entity)?.id ?? event.device_id;
  const blind = targets.length - watched.length;
  const text = [
    `${shown.length} of ${watched.length} ${kindWord([...kinds])} on ${name} show ${mechanism.effect}${spread(shown, hit)}`,
    ...(blind > 0 ? [`${blind} more have no data`] : []),
    `${others.size} off it do`,
  ].join('; ');
  return line(
    'predicted',
    Math.max(-MOST, Math.min(MOST, value)),
    text,
    shown.map((key) => eventRef(hit.get(key) as EventFact)),
  );
}

const kindWord = (kinds: readonly string[]): string => listed(kinds.map((kind) => `${kind}s`));

function spread(shown: readonly number[], hit: ReadonlyMap<number, EventFact>): string {
  if (shown.length < 2) return '';
  const times = shown.map((key) => Number((hit.get(key) as EventFact).time_ns / 1_000_000n) / 1000);
  return ` within ${(Math.max(...times) - Math.min(...times)).toFixed(1)} s`;
}
