import type { EventFact } from '../store/reader.ts';
import type { Link } from './causal-links.ts';
import { type Contrast, contrastWords, logOddsRatio, words } from './contrast.ts';
import { eventRef, type Line, line, listed } from './hypothesis-line.ts';
import type { Story } from './situation.ts';

/** The same effect elsewhere counts when it is this close in time, or as close as the mechanism allows, seconds. */
const TOGETHER_S = 60;
const LONGEST_S = 300;
/** That a weaker mechanism did not show says nothing. */
const RELIABLE = 0.5;
/** Of fewer machines a share says little. */
const SEVERAL = 3;
/** Of the effects that a mechanism has, so many are recorded. */
const RECORDED = 0.6;

/**
 * Effects that a cause should have on the machines behind it: on how many of those that are watched they show, compared
 * with the machines that it cannot reach. Of several kinds of effect the most telling one counts, because they go together.
 */
export function predictedEffects(event: EventFact, story: Story): Line[] {
  const { mechanisms } = story.situation;
  if (event.entity < 0) return [];
  const below = mechanisms.causedBy(event.type).filter(({ relation }) => relation === 'below');
  if (below.length === 0) return [];
  const inside = watchedBehind(event, story);
  if (inside.size === 0) return [];
  const own = story.links.effectsOf(event).filter(({ mechanism }) => mechanism.relation === 'below');
  if (own.length === 0) {
    const reliable = below.filter(({ strength }) => strength >= RELIABLE);
    if (reliable.length === 0) return [];
    const most = Math.max(...reliable.map(({ strength }) => strength));
    const names = listed([...new Set(reliable.map(({ effect }) => words(effect)))]);
    const count = inside.size === 1 ? 'the machine' : `none of the ${inside.size} machines`;
    const text = `${count} behind ${event.device_id} ${inside.size === 1 ? 'does not show' : 'shows'} what usually follows: ${names}`;
    return [line('absent', most, text, [eventRef(event)])];
  }
  const judged = [...Map.groupBy(own, ({ effect }) => effect.type)].map(([type, links]) => {
    const contrast = contrastOf(event, links, { inside, story });
    return { type, links, contrast, value: logOddsRatio(contrast), refs: links.map(({ effect }) => eventRef(effect)) };
  });
  const best = judged.reduce((a, b) => (b.value > a.value ? b : a));
  const { shown, of } = best.contrast;
  const sparse = sparseness(best.contrast, best.links);
  if (sparse > 0) {
    const text = `behind ${event.device_id} only ${shown} of ${of} machines show ${words(best.type)}`;
    return [line('sparse', sparse, text, best.refs)];
  }
  return [
    line('predicted', best.value, `behind ${event.device_id} ${contrastWords(best.contrast, [best.type])}`, best.refs),
  ];
}

/** How much less of an effect shows behind a cause than its mechanism makes one expect, 0 to 1; of few machines it says nothing. */
function sparseness({ shown, of }: Contrast, links: readonly Link[]): number {
  const strength = Math.max(...links.map(({ mechanism }) => mechanism.strength));
  return of < SEVERAL ? 0 : Math.max(0, 1 - shown / (RECORDED * strength * of));
}

const coverages = new WeakMap<Story, Map<EventFact, Map<string, number>>>();

/**
 * How well a cause explains an effect by how far it shows on what else hangs on the cause, 0 to 1: a cooling unit that was too warm
 * for sixty GPUs does not explain one that throttles.
 */
export function coverage({ cause, effect, mechanism }: Link, story: Story): number {
  if (mechanism.relation !== 'below') return 1;
  const known = coverages.get(story) ?? new Map<EventFact, Map<string, number>>();
  coverages.set(story, known);
  const byType = known.get(cause) ?? new Map<string, number>();
  known.set(cause, byType);
  const found = byType.get(effect.type);
  if (found !== undefined) return found;
  const inside = watchedBehind(cause, story);
  const links = story.links
    .effectsOf(cause)
    .filter((link) => link.mechanism.relation === 'below' && link.effect.type === effect.type);
  const value = inside.size === 0 ? 1 : 1 - sparseness(contrastOf(cause, links, { inside, story }), links);
  byType.set(effect.type, value);
  return value;
}

const watchedBehind = ({ entity }: EventFact, { situation: { graph }, watchedBoxes }: Story): ReadonlySet<number> =>
  new Set([...graph.boxesBelow(entity)].filter((box) => watchedBoxes.has(box)));

function contrastOf(
  event: EventFact,
  links: readonly Link[],
  { inside, story }: { readonly inside: ReadonlySet<number>; readonly story: Story },
): Contrast {
  const longest = Math.min(LONGEST_S, Math.max(TOGETHER_S, ...links.map(({ mechanism }) => mechanism.delay_s[1])));
  const effects = links.map(({ effect }) => effect);
  return compare(effects, { type: (effects[0] as EventFact).type, inside, at: event, longest }, story);
}

interface Where {
  readonly type: string;
  readonly inside: ReadonlySet<number>;
  readonly at: EventFact;
  readonly longest: number;
}

function compare(effects: readonly EventFact[], { type, inside, at, longest }: Where, story: Story): Contrast {
  const { graph } = story.situation;
  // A strip that sags shows it for all the machines on it.
  const boxes = (events: readonly EventFact[]) =>
    new Set(events.flatMap(({ entity }) => [...graph.boxesBelow(entity)]));
  const shown = [...boxes(effects)].filter((box) => inside.has(box)).length;
  const near = story.ofType(type).filter(({ entity, time_ns }) => {
    return entity >= 0 && Math.abs(Number(time_ns - at.time_ns)) / 1e9 <= longest;
  });
  const elsewhere = [...boxes(near)].filter((box) => !inside.has(box));
  return {
    shown,
    of: Math.max(shown, inside.size),
    shownElsewhere: elsewhere.length,
    ofElsewhere: Math.max(elsewhere.length, story.watchedBoxes.size - inside.size),
  };
}
