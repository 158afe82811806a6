import type { EventFact } from '../../store/facts/reader.ts';
import { leaves } from '../evidence/effects.ts';
import { eventRef, type Line, line } from '../evidence/kind.ts';
import { namesOf, words } from '../evidence/words.ts';
import type { Story } from './situation.ts';

/** Causes of causes of a suspect are not left open by it; they speak against it in another place. */
const MOST_STEPS = 4;

/**
 * What harms the service by itself, on what it runs on, and that a suspect has nothing to do with: two troubles at once are less
 * likely than one. Per machine the most harmful counts.
 *
 * @param known what the suspect is and explains
 */
export function leftOpenLines(known: ReadonlySet<EventFact>, story: Story): Line[] {
  const { graph, service } = story.situation;
  const left = new Map<number, { readonly event: EventFact; readonly harm: number }>();
  const own = new Set([...known].flatMap(({ entity }) => graph.boxesOf(entity)));
  for (const { event, harm } of story.harmful()) {
    if (known.has(event)) continue;
    const boxes = graph.boxesOf(event.entity);
    if (boxes.some((box) => own.has(box))) continue;
    const [box = event.entity] = boxes;
    if (harm > (left.get(box)?.harm ?? 0)) left.set(box, { event, harm });
  }
  if (left.size === 0) return [];
  const found = [...left.values()].sort((a, b) => b.harm - a.harm);
  const total = found.reduce((sum, { harm }) => sum + harm, 0);
  const troubles = namesOf(found.map(({ event }) => `${words(event.type)} on ${event.device_id}`));
  return [
    line(
      leaves,
      Math.log1p(total),
      { troubles, service },
      found.map(({ event }) => eventRef(event)),
    ),
  ];
}

/** An event with what it explains and what explains it. */
export function familyOf(event: EventFact, story: Story): ReadonlySet<EventFact> {
  const family = new Set<EventFact>([event, ...story.explainedBy(event).keys()]);
  let frontier = [event];
  for (let step = 0; step < MOST_STEPS && frontier.length > 0; step++)
    frontier = frontier
      .flatMap((effect) => story.links.causesOf(effect).map(({ cause }) => cause))
      .filter((cause) => !family.has(cause) && family.add(cause));
  return family;
}
